import Campaigns
import Commands
import Foundation
import PropertyTesting
import Simulation
import Synchronization
import Systems
import Traces

/// Runs this command as a child process that tries a mutant, with a time limit.
///
/// A mutant may loop without end or crash, so each trial has a process of its own.
enum TrialProcess {
  /// The signals that count as a crash, because a process causes them itself.
  ///
  /// Any other signal comes from outside, for example from a system that is out of memory.
  private static let crashes: Set<Int32> = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV, SIGFPE]

  /// Runs the command and waits for its end, or kills it after the time limit.
  ///
  /// - Returns: The exit status, `nil` if the process could not be started; the output, which must
  ///   fit into a pipe; whether the time limit ended the process; and whether a signal in `crashes`
  ///   ended it.
  static func run(
    _ command: String,
    _ arguments: [String],
    limit: Duration
  ) async -> (status: Int32?, text: String, isLate: Bool, isCrash: Bool) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let isLate = Atomic(false)
    let status: Int32? = await withCheckedContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { return continuation.resume(returning: nil) }
      let id = process.processIdentifier
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds)))
      {
        guard process.isRunning else { return }
        isLate.store(true, ordering: .relaxed)
        kill(id, SIGKILL)
      }
    }
    guard let status else { return (nil, "", false, false) }
    // The output fits into the pipe's buffer, so the process can end before it is read.
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let wasLate = isLate.load(ordering: .relaxed)
    let isCrash = process.terminationReason == .uncaughtSignal && crashes.contains(status)
    return (status, text, wasLate, !wasLate && isCrash)
  }
}

/// A trial in a process of its own: the plans of one seed run on one mutant.
///
/// The process runs this executable with a verb that the help does not list. A mutant may loop or
/// wait forever, so the process ends itself if a plan takes too long. After each plan that kills
/// the mutant, the process writes its results to a file, so that a later plan that hangs does not
/// lose them.
struct DescribedTrial {
  static let verb = "_trial"
  /// The time after which a plan counts as hanging.
  private static let planLimit = Duration.seconds(30)
  /// The exit code of a process whose plan took too long.
  private static let lateCode: Int32 = 124
  /// The time limit of a whole trial.
  private static let limit = Duration.seconds(1_800)

  let mutant: Mutant
  let seed: UInt64
  let caseCountMax: Int

  /// Runs the plans of ``seed`` on ``mutant`` in a new process.
  ///
  /// A plan that takes too long or crashes the process is no error; it ends the trial.
  ///
  /// - Throws: A lab error if the process fails otherwise, or exceeds the time limit of a trial.
  func run(_ command: String) async throws(LabError) -> MutantTrial {
    let file = FileManager.default.temporaryDirectory.appending(path: "trial-\(UUID().uuidString)")
      .path
    defer { unlink(file) }
    let arguments = [Self.verb, mutant.name, String(seed), String(caseCountMax), file]
    let clock = ContinuousClock()
    let start = clock.now
    let ended = await TrialProcess.run(command, arguments, limit: Self.limit)
    let isLate = ended.status == Self.lateCode
    let isUnfinished = isLate || ended.isCrash
    guard isUnfinished || ended.status == 0 else {
      throw failure(ended.text.isEmpty ? "status \(ended.status ?? -1)" : ended.text)
    }
    guard let data = FileManager.default.contents(atPath: file) else {
      guard isUnfinished else { throw failure("no result") }
      return MutantTrial(
        mutant: mutant.name,
        seed: seed,
        caseCount: 0,
        seconds: (isLate ? Self.planLimit : clock.now - start) / .seconds(1),
        kills: [],
        unfinished: isLate ? .late : .crashed
      )
    }
    do {
      return try JSONDecoder().decode(TrialDocument.self, from: data).trial(mutant)
    } catch {
      throw failure("a result that cannot be read: \(error)")
    }
  }

  private func failure(_ reason: String) -> LabError {
    .lab(
      "a trial of \(mutant.name) with the seed 0x\(String(seed, radix: 16)) ended with \(reason)."
    )
  }

  /// Runs the plans of one seed on one mutant, if this process was started to do that.
  ///
  /// - Returns: The exit code; `nil` if the arguments do not start with ``verb``.
  static func run(_ arguments: [String]) -> Int32? {
    guard arguments.first == verb else { return nil }
    guard arguments.count == 5, let mutant = Mutant.all.first(where: { $0.name == arguments[1] }),
      let seed = UInt64(arguments[2]), let count = Int(arguments[3])
    else { return 64 }
    let clock = ContinuousClock()
    let start = clock.now
    var worker = MutantWorker(
      place: .heap(),
      system: LabSystem(mutant),
      now: { clock.now - start },
      caseCountMax: count
    )
    let watch = PlanWatch(limit: Self.planLimit)
    worker.beforePlan = { watch.begin(at: clock.now) }
    Thread.detachNewThread {
      while !watch.isLate(at: clock.now) { usleep(200_000) }
      _exit(Self.lateCode)
    }
    do {
      let file = URL(fileURLWithPath: arguments[4])
      var failure: (any Error)?
      let trial = try worker.trial(mutant, seed: seed) { trial in
        do { try TrialDocument(trial).write(to: file) } catch { failure = error }
      }
      if let failure { throw failure }
      try TrialDocument(trial).write(to: file)
      return 0
    } catch {
      print((error as? LabError)?.sentence ?? error.localizedDescription)
      return 70
    }
  }
}

/// A stopwatch that shows whether the current plan takes too long.
final class PlanWatch: Sendable {
  private let begun = Mutex<ContinuousClock.Instant?>(nil)
  private let limit: Duration

  /// Creates a stopwatch; `limit` is the time limit of each plan.
  init(limit: Duration) { self.limit = limit }

  /// Starts the stopwatch at the beginning of a plan.
  func begin(at now: ContinuousClock.Instant) { begun.withLock { $0 = now } }

  /// Returns whether the current plan has taken longer than the time limit of a plan.
  func isLate(at now: ContinuousClock.Instant) -> Bool {
    begun.withLock { $0.map { now - $0 > limit } ?? false }
  }
}

/// The JSON form of a trial (one seed's plans on one mutant), in the file that its process writes.
private struct TrialDocument: Codable {
  private struct Kill: Codable {
    let found: String
    let shrunk: String
    let foundCommandCount: Int
    let plan: String
    let symptoms: [FailureSymptom]
    let evaluations: Int
    let seconds: Double
  }

  private let seed: UInt64
  private let caseCount: Int
  private let seconds: Double
  private let kills: [Kill]

  init(_ trial: MutantTrial) {
    (seed, caseCount, seconds) = (trial.seed, trial.caseCount, trial.seconds)
    kills = trial.kills.map {
      Kill(
        found: $0.checkers.found,
        shrunk: $0.checkers.shrunk,
        foundCommandCount: $0.foundCommandCount,
        plan: PlanCodec.encode($0.plan),
        symptoms: $0.symptoms,
        evaluations: $0.evaluations,
        seconds: $0.seconds
      )
    }
  }

  func write(to file: URL) throws {
    try JSONEncoder().encode(self).write(to: file, options: .atomic)
  }

  /// Returns the trial that this document describes; `mutant` is the mutant of the trial.
  ///
  /// - Throws: ``FormatError`` if a plan cannot be read.
  func trial(_ mutant: Mutant) throws -> MutantTrial {
    MutantTrial(
      mutant: mutant.name,
      seed: seed,
      caseCount: caseCount,
      seconds: seconds,
      kills: try kills.map { kill in
        MutantTrial.Kill(
          checkers: (kill.found, kill.shrunk),
          foundCommandCount: kill.foundCommandCount,
          plan: try PlanCodec.decode(kill.plan),
          symptoms: kill.symptoms,
          evaluations: kill.evaluations,
          seconds: kill.seconds
        )
      }
    )
  }
}

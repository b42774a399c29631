import Foundation
import PersistentHistory
import Reporting
import Synchronization
import Systems

/// Tries the edits that rules have made, each in a process of its own, and says which the lab does not
/// notice.
struct GeneratedVerb: Verb {
  let options: MutantsOptions
  let composition: Composition
  let terminal: Terminal

  /// How long the plans of one edit may take.
  private static let limit = Duration.seconds(60)

  func run() async throws(LabError) -> ExitCode {
    let mutants = Mutant.generated
    guard !mutants.isEmpty, let command = composition.command else {
      throw .usage(
        "this build has no generated mutants: scripts/mutants --generated N builds a copy that has N of "
          + "them, and tries them."
      )
    }
    let folder = try RunOutput(
      "mutants",
      seed: options.seed,
      output: options.output,
      outputIsDefault: options.output == CommonOption.runsFolder,
      shard: options.shard
    )
    let outcomes = await outcomes(of: mutants, command)
    let report = GeneratedReport(
      seed: options.seed,
      planCount: options.planCount,
      trials: zip(mutants, outcomes).compactMap { mutant, outcome in
        outcome.map { GeneratedReport.Trial(mutant: mutant, outcome: $0) }
      }
    )
    try folder.write("generated.csv", report.csv())
    if options.json { terminal.print(try report.json()) } else { print(report, of: mutants.count) }
    try folder.finish(verdict: "unknown", because: report.because)
    if !options.json { folder.printPlace(on: terminal) }
    return Interruption.isRequested ? .undecided : .good
  }

  private func print(_ report: GeneratedReport, of count: Int) {
    for trial in report.trials where trial.outcome == .survived {
      terminal.print("survived: \(trial.mutant.name) \(trial.mutant.sentence)")
    }
    if report.trials.count < count {
      terminal.print("\(count - report.trials.count) were not tried.")
    }
    terminal.print(report.because.capitalizedFirst)
  }

  /// Runs as many processes at a time as there are jobs.
  private func outcomes(
    of mutants: [Mutant],
    _ command: String
  ) async -> [GeneratedTrial.Outcome?] {
    let bar = ProgressBar(WorkState("mutants", unit: "edits", total: mutants.count), on: terminal)
    defer { bar.finish() }
    let queue = PlanQueue(plans: mutants.count, steps: nil)
    let found = await withTaskGroup(of: [Int: GeneratedTrial.Outcome].self) { group in
      for _ in 0..<max(1, options.jobs) {
        group.addTask {
          var found: [Int: GeneratedTrial.Outcome] = [:]
          while !Interruption.isRequested, let number = queue.take() {
            let mutant = mutants[number - 1]
            found[number - 1] = await outcome(of: mutant, command)
            bar.advance(note: mutant.name)
          }
          return found
        }
      }
      var all: [Int: GeneratedTrial.Outcome] = [:]
      for await part in group { all.merge(part) { first, _ in first } }
      return all
    }
    return mutants.indices.map { found[$0] }
  }

  private func outcome(of mutant: Mutant, _ command: String) async -> GeneratedTrial.Outcome {
    let trial = GeneratedTrial(name: mutant.name, seed: options.seed, planCount: options.planCount)
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = trial.arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let isLate = Atomic(false)
    let status: Int32? = await withCheckedContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { return continuation.resume(returning: nil) }
      let id = process.processIdentifier
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .seconds(Int(Self.limit.components.seconds))
      ) {
        guard process.isRunning else { return }
        isLate.store(true, ordering: .relaxed)
        kill(id, SIGKILL)
      }
    }
    guard let status else { return .crashed("it could not be started") }
    // A line fits into the pipe: nobody waited for it to be read.
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    return GeneratedTrial.Outcome(
      line: text,
      status: status,
      isLate: isLate.load(ordering: .relaxed)
    )
  }
}

/// What became of the edits that rules have made.
struct GeneratedReport {
  struct Trial {
    let mutant: Mutant
    let outcome: GeneratedTrial.Outcome
  }

  let seed: UInt64
  let planCount: Int
  let trials: [Trial]

  private func count(_ word: String) -> Int { trials.count { $0.outcome.word == word } }

  /// The score in a sentence.
  var because: String {
    "of \(trials.count.counted("edit")), each met by \(planCount.counted("plan")), \(count("killed")) were "
      + "killed by a checker, \(count("crashed")) crashed, \(count("hung")) hung and "
      + "\(count("survived")) survived; seed 0x\(String(seed, radix: 16))."
  }

  /// One line an edit, as comma-separated values.
  func csv() -> String {
    var table = ReportTable(columns: [
      .text("mutant"), .text("edit"), .text("outcome"), .text("checker"), .number("plan"),
    ])
    for trial in trials {
      var (checker, plan) = ("", "")
      if case .killed(let name, let number) = trial.outcome {
        (checker, plan) = (name, String(number))
      }
      if case .crashed(let why) = trial.outcome { checker = why }
      table.append([trial.mutant.name, trial.mutant.sentence, trial.outcome.word, checker, plan])
    }
    return table.csv()
  }

  /// The report as one JSON object.
  func json() throws(LabError) -> String {
    let document = Document(
      seed: "0x" + String(seed, radix: 16),
      plans: planCount,
      because: because,
      outcomes: trials.map {
        .init(mutant: $0.mutant.name, edit: $0.mutant.sentence, outcome: $0.outcome.word)
      }
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    do { return String(decoding: try encoder.encode(document), as: UTF8.self) } catch {
      throw .lab("the report cannot be written as JSON: \(error)")
    }
  }

  private struct Document: Encodable {
    struct Outcome: Encodable {
      let mutant: String
      let edit: String
      let outcome: String
    }
    let seed: String
    let plans: Int
    let because: String
    let outcomes: [Outcome]
  }
}

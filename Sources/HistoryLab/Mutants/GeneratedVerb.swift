import Foundation
import Synchronization
import Systems

/// Tries each generated mutant in a separate process and lists the survivors.
struct GeneratedVerb: Verb {
  let options: MutantsOptions
  let composition: Composition
  let terminal: Terminal

  /// The time limit of one mutant, for all of its plans.
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
    if !options.json { terminal.print("Every edit: \(folder.shownPath)/generated.csv") }
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

  /// Runs the trials in parallel, one process per job.
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
    // One line fits into the pipe's buffer, so the process could end before anything read it.
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    return GeneratedTrial.Outcome(
      line: text,
      status: status,
      isLate: isLate.load(ordering: .relaxed)
    )
  }
}

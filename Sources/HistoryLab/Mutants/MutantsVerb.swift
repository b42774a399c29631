import Systems
import Traces

/// Measures how many seeded bugs the lab finds, how fast, and how short the killing plans become.
struct MutantsVerb: Verb {
  let options: MutantsOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let folder = try RunOutput(
      "mutants",
      seed: options.seed,
      output: options.output,
      outputIsDefault: options.output == CommonOption.runsFolder,
      shard: options.shard
    )
    let run = MutantRun(
      options.mutants,
      seed: options.seed,
      seedCount: options.seedCount,
      jobs: options.jobs,
      system: composition.mutantSystem,
      caseCountMax: composition.mutantCaseCountMax,
      now: terminal.now
    )
    let start = terminal.now()
    let trials = try await trials(run)
    let report = MutantReport(
      seed: options.seed,
      seedCount: options.seedCount,
      seconds: (terminal.now() - start) / .seconds(1),
      folder: folder.shownPath,
      outcomes: zip(options.mutants, trials).map { MutantOutcome(mutant: $0, trials: $1) }
    )
    try write(report, folder)
    if options.json {
      terminal.print(try report.json(for: .here(terminal.command)))
    } else {
      MutantText(terminal: terminal).print(report)
      folder.printPlace(on: terminal)
    }
    return switch report.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  private func trials(_ run: MutantRun) async throws(LabError) -> [[MutantTrial]] {
    let bar = ProgressBar(WorkState("mutants", unit: "trials", total: run.trialCount), on: terminal)
    defer { bar.finish() }
    return try await run.trials(
      progress: { bar.advance(note: $0.mutant) },
      goesOn: { !Interruption.isRequested }
    )
  }

  private func write(_ report: MutantReport, _ folder: RunOutput) throws(LabError) {
    try folder.write("mutants.json", try report.json(for: .folder) + "\n")
    try folder.write("mutants.csv", report.csv())
    for outcome in report.outcomes {
      let name = outcome.mutant.name
      if let kill = outcome.shortest {
        try folder.write("plan-\(name).jsonl", PlanCodec.encode(kill.plan))
      }
      if let kill = outcome.longest {
        try folder.write("plan-\(name)-longest.jsonl", PlanCodec.encode(kill.plan))
      }
    }
    try folder.writePage()
    try folder.finish(verdict: report.verdict, because: report.because)
  }
}

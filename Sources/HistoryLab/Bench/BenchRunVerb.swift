import HistoryBenchmarks
import Measuring
import Reporting

/// Runs benchmarks, and writes what they found.
struct BenchRunVerb: Verb {
  let options: BenchRunOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let folder = try RunOutput(
      "bench",
      seed: options.seed,
      output: options.output,
      outputIsDefault: options.output == CommonOption.runsFolder
    )
    if !folder.environment.optimized { warnOfDebugBuild() }
    let session = BenchSession(run: plan, terminal: terminal)
    let outcome = try session.measure()
    let results = BenchmarkResults(environment: folder.environment, rows: outcome.rows)
    let output = BenchOutput(results, folder: folder, terminal: terminal)
    try output.write()
    try finish(outcome, output, folder)
    return outcome.isWhole ? .good : .undecided
  }

  /// The run that the options ask for.
  private var plan: BenchmarkRun {
    BenchmarkRun(
      subjects: Subjects.all.filter { options.selects($0.name, isNamedOnly: $0.isNamedOnly) },
      historySizes: options.quick ? composition.quickHistorySizes : composition.historySizes,
      seed: options.seed,
      budget: budget
    )
  }

  private var budget: RoundBudget {
    if let rounds = options.rounds { return .rounds(rounds) }
    // A quick run has a minute for all benchmarks together.
    return options.quick
      ? RoundBudget(minimum: 5, maximum: 60, nanoseconds: 800_000_000)
      : RoundBudget(minimum: 20, maximum: 200, nanoseconds: 15_000_000_000)
  }

  private func warnOfDebugBuild() {
    terminal.log(
      "This is a debug build, whose figures say little; measure with: "
        + "swift run -c release history-lab bench run"
    )
  }

  private func finish(
    _ outcome: BenchSession.Outcome,
    _ output: BenchOutput,
    _ folder: RunOutput
  ) throws(LabError) {
    if options.json {
      do { terminal.print(String(try ResultsFile.json(output.results).dropLast())) } catch {
        throw .lab("the results cannot be written as JSON: \(error).")
      }
    } else {
      BenchText(terminal: terminal).print(outcome, output.report, seed: options.seed)
      terminal.print("Run: \(folder.path)")
    }
    try folder.finish(
      verdict: outcome.isWhole ? "valid" : "unknown",
      because: outcome.sentence
    )
  }
}

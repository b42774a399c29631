import HistoryBenchmarks
import Measuring
import Reporting

/// Runs benchmarks and writes their results.
struct BenchRunVerb: Verb {
  let options: BenchRunOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    if let resume = options.resume { return try await goOn(RunOutput(resuming: resume)) }
    let folder = try RunOutput(
      "bench",
      seed: options.seed,
      output: options.output,
      outputIsDefault: options.output == CommonOption.runsFolder,
      shard: options.shard
    )
    return try measure(in: folder)
  }

  /// Resumes a run: repeats its command line for the benchmarks not yet measured.
  private func goOn(_ folder: RunOutput) async throws(LabError) -> ExitCode {
    guard case .run(let spec, let arguments) = try Invocation.read(folder.words, tool: .historyLab),
      spec.name == "bench run"
    else { throw .usage("--resume: \(folder.path.quoted) is no run of the benchmarks.") }
    guard !folder.hasVerdict || BenchJournal(in: folder.path).isThere else {
      throw .usage(
        "--resume: the run in \(folder.path.quoted) is whole: nothing is left to measure. Leave out "
          + "--resume to measure anew."
      )
    }
    var first = try BenchRunOptions(arguments, in: composition)
    first.seed = folder.environment.seed
    let verb = BenchRunVerb(options: first, composition: composition, terminal: terminal)
    return try verb.measure(in: folder)
  }

  private func measure(in folder: RunOutput) throws(LabError) -> ExitCode {
    if !folder.environment.optimized && !options.exactOnly { warnOfDebugBuild() }
    let journal = BenchJournal(in: folder.path)
    try journal.begin()
    let session = BenchSession(run: plan, journal: journal, terminal: terminal)
    let outcome = try session.measure()
    let results = BenchmarkResults(environment: folder.environment, rows: outcome.rows)
    let output = BenchOutput(
      results,
      folder: folder,
      composition: composition,
      terminal: terminal
    )
    try output.write()
    if options.exactOnly { return try tellCounts(outcome, output, folder, journal) }
    try finish(outcome, output, folder)
    if outcome.isWhole { try journal.remove() }
    return outcome.isWhole && outcome.doubt == nil ? .good : .undecided
  }

  /// Repeats the counts as often as requested, and reports whether they were identical each time.
  private func tellCounts(
    _ outcome: BenchSession.Outcome,
    _ output: BenchOutput,
    _ folder: RunOutput,
    _ journal: BenchJournal
  ) throws(LabError) -> ExitCode {
    var counts = ExactRepeats(outcome.rows, wanted: options.repeats)
    if outcome.isWhole { try counts.goOn(plan, terminal) }
    let sentence = outcome.isWhole ? counts.sentence : outcome.sentence
    if options.json {
      try printJSON(output.results)
      terminal.log("\(sentence.capitalizedFirst)")
    } else {
      terminal.print(sentence.capitalizedFirst)
      for difference in counts.told { terminal.print("  \(difference)") }
      folder.printPlace(on: terminal)
    }
    let isWhole = outcome.isWhole && counts.isWhole
    let verdict = counts.differences.isEmpty ? (isWhole ? "valid" : "unknown") : "invalid"
    try folder.finish(verdict: verdict, because: sentence)
    if isWhole { try journal.remove() }
    guard counts.differences.isEmpty else { return .violation }
    return isWhole && counts.rowCount > 0 ? .good : .undecided
  }

  /// The run that the options request.
  private var plan: BenchmarkRun {
    let chosen = Subjects.all.filter { options.selects($0.name, isNamedOnly: $0.isNamedOnly) }
    var run = BenchmarkRun(
      subjects: Subjects.measured(chosen, at: axes)
        .enumerated().filter { options.shard?.holds($0.offset) ?? true }.map(\.element),
      historySizes: options.quick ? composition.quickHistorySizes : composition.historySizes,
      seed: options.seed,
      budget: budget
    )
    run.checksNoise = composition.checksNoise
    run.measuresTime = !options.exactOnly
    run.command = composition.command
    run.isQuick = options.quick
    run.plannedRate = options.rate.map(Double.init)
    return run
  }

  /// The conditions to measure in: those named, else all; in a quick run only the base condition.
  private var axes: [BenchmarkAxis?] {
    let all = [nil] + BenchmarkAxis.allCases.map(Optional.some)
    if options.axes.isEmpty { return options.quick ? [nil] : all }
    return all.filter { options.axes.contains($0?.name ?? BenchRunOptions.baseAxis) }
  }

  private var budget: RoundBudget {
    if let rounds = options.rounds { return .rounds(rounds) }
    // All benchmarks of a quick run together have a budget of one minute.
    return options.quick
      ? RoundBudget(minimum: 5, maximum: 60, nanoseconds: 120_000_000)
      : RoundBudget(minimum: 20, maximum: 200, nanoseconds: 8_000_000_000)
  }

  private func printJSON(_ results: BenchmarkResults) throws(LabError) {
    do { terminal.print(String(try ResultsFile.json(results).dropLast())) } catch {
      throw .lab("the results cannot be written as JSON: \(error).")
    }
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
      try printJSON(output.results)
    } else {
      BenchText(terminal: terminal).print(outcome, output.report, seed: options.seed)
      folder.printPlace(on: terminal)
    }
    try folder.finish(
      verdict: outcome.isWhole && outcome.doubt == nil ? "valid" : "unknown",
      because: outcome.sentence
    )
  }
}

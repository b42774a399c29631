import Basics
import Commands
import HistoryBenchmarks
import Measuring
import Reporting

struct BenchRunOptions: VerbOptions {
  @Flag("quick", "Measures three history sizes in under a minute.") var quick
  @Flag("exact-only", "Takes only counts that are equal in every run, and measures no time.")
  var exactOnly
  @Option(
    "repeat",
    .integer("N", 2...1_000),
    shown: "once",
    "Counts N times, with newly built stores, and reports whether the counts are equal."
  )
  private var repeated: Int?
  /// The name prefixes of the benchmarks to run.
  ///
  /// If empty, all benchmarks run except those, such as `large`, that only run if named.
  @Option(.onlyBenchmarks) var only: [String]
  /// The name prefixes of benchmarks to run in addition to those that `only` selects.
  @Option(
    "also",
    each: .text("NAME", "a name, or its beginning"),
    shown: "none",
    "Also measures benchmarks whose names begin with NAME, such as `large`, which only runs if named."
  )
  var also: [String]
  /// The names of the conditions to measure in, which may include `base`.
  ///
  /// An empty array selects all conditions, or only `base` in a quick run.
  @Option(
    "axis",
    each: .text("NAME", "a name from `bench list`, or base"),
    shown: "all; base with --quick",
    "Measures only in this condition; base is the one that all benchmarks share."
  )
  var axes: [String]
  /// The writes per second that the benchmark `open loop` plans.
  ///
  /// `nil` measures at two rates: half and nine tenths of the rate of back-to-back writes, which is
  /// measured first.
  @Option(
    "planned-rate",
    .integer("N", 1...10_000_000),
    shown: "half and nine tenths of the rate that a calibration finds",
    "Plans N writes per second in the benchmark `open loop`."
  )
  var rate: Int?
  @Option(
    "rounds",
    .integer("N", 1...10_000),
    shown: "each benchmark's own",
    "Measures in N rounds; more rounds give narrower intervals."
  )
  var rounds: Int?
  @Option(.shard) private var shardChoice: ShardChoice?
  @Option(.seed) var seed: UInt64
  @Option(.output) var output: String
  @Flag(.json) var json
  /// The folder of an interrupted run to resume with its original options; `nil` starts a new run.
  @Option(
    "resume",
    .path("DIR"),
    shown: "a new run",
    "Continues an interrupted run in its folder, with its options; a complete run is rejected."
  )
  var resume: String?
  /// The part of the benchmarks to measure; `nil` for all.
  var shard: Shard?

  /// The number of times that exact counts are taken; the counts must be equal each time.
  ///
  /// The default is 1.
  var repeats: Int { repeated ?? 1 }

  /// The name of the base condition, in which no ``BenchmarkAxis`` applies.
  static let baseAxis = "base"

  /// - Throws: A usage error if a name matches no benchmark or condition, options contradict each
  ///   other, or a folder cannot be used.
  mutating func validate(in composition: Composition) throws(LabError) {
    for name in only + also { try composition.checkBenchmark(name) }
    for name in axes { try composition.checkAxis(name) }
    try FilePath.checkWritableFolder(output, for: "--output")
    shard = try shardChoice.shard()
    guard exactOnly || repeats == 1 else {
      throw .usage(
        "--repeat works only with --exact-only: add --exact-only, or leave out --repeat."
      )
    }
    guard !exactOnly || (rounds == nil && rate == nil) else {
      throw .usage("--exact-only measures no time: leave out --rounds and --planned-rate.")
    }
    let others = given.filter { $0 != "--resume" }.sorted()
    guard resume == nil || others.isEmpty else {
      throw .usage(
        "--resume uses the options of the interrupted run: leave out \(others.joinedWithAnd)."
      )
    }
  }

  /// Returns whether the options select a benchmark.
  ///
  /// A benchmark is selected if its name begins with a prefix in the options. If the options have no
  /// prefixes in `only`, every benchmark is selected for which `isNamedOnly` is `false`.
  func selects(_ benchmark: String, isNamedOnly: Bool = false) -> Bool {
    if (only + also).contains(where: { benchmark.begins(with: $0) }) { return true }
    return only.isEmpty && !isNamedOnly
  }
}

extension BenchRunVerb {
  /// The parent of the `bench` verbs.
  static let group = VerbSpec(
    name: "bench",
    sentence: "Measures what fetch, merge and purge cost as history grows.",
    examples: spec.examples,
    subverbs: [
      spec, .benchList, BenchCompareVerb.spec, BenchBaselineVerb.group,
      BenchInstructionsVerb.spec, BenchSelftestVerb.spec,
    ]
  )

  private static let spec = VerbSpec(
    name: "bench run",
    sentence: "Runs benchmarks and writes their results into a new run's folder.",
    examples: [
      Example("bench run --quick", "Measures three history sizes, in under a minute."),
      Example(
        "bench run --quick --exact-only --repeat 20",
        "Counts twenty times, and reports whether "
          + "the counts are the same each time."
      ),
      Example(
        "bench run --only fetch --axis base --axis cold",
        "Measures the benchmarks of fetch, "
          + "also with a cold cache."
      ),
      Example(
        "bench run --resume Reports/latest",
        "Measures the benchmarks that an interrupted run "
          + "has not measured yet."
      ),
    ]
  ) { BenchRunVerb(options: $0, composition: $1, terminal: $2) }
}

extension String {
  /// Returns whether the text starts with `beginning`, ignoring case.
  func begins(with beginning: String) -> Bool {
    lowercased().hasPrefix(beginning.lowercased())
  }
}

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
      shard: options.shard
    )
    return try measure(in: folder)
  }

  /// Resumes a run: repeats its command line for the benchmarks not yet measured.
  private func goOn(_ folder: RunOutput) async throws(LabError) -> ExitCode {
    guard folder.words.starts(with: ["bench", "run"]),
      case .run(_, var arguments) = try Invocation.read(folder.words, tool: .benchmarks)
    else {
      throw .usage(
        "--resume: \(folder.path.quoted) is not a run of the benchmarks. Pass the folder of a "
          + "benchmark run."
      )
    }
    // The shard comes from the interrupted run, because the environment that set it may differ now.
    arguments.texts["shard"] = folder.shard.map { [$0.description] }
    guard !folder.hasVerdict || BenchJournal(in: folder.path).isThere else {
      throw .usage(
        "--resume: the run in \(folder.path.quoted) is complete: nothing is left to measure. Leave out "
          + "--resume to measure again."
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
    if options.exactOnly { return try printCounts(outcome, output, folder, journal) }
    try finish(outcome, output, folder)
    if outcome.isWhole { try journal.remove() }
    return outcome.isWhole && outcome.uncertainty == nil ? .good : .undecided
  }

  /// Repeats the counts until the requested number of runs, and reports whether all runs are equal.
  ///
  /// Exact counts, such as page reads, must be equal in every run, unlike times.
  private func printCounts(
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
      terminal.log("\(sentence.capitalised)")
    } else {
      terminal.print(sentence.capitalised)
      for difference in counts.sentences { terminal.print("  \(difference)") }
      folder.printPlace(on: terminal)
    }
    let isWhole = outcome.isWhole && counts.isWhole
    let verdict = counts.differences.isEmpty ? (isWhole ? "valid" : "unknown") : "invalid"
    try folder.finish(verdict: verdict, because: sentence, isEndedEarly: !isWhole)
    if isWhole { try journal.remove() }
    guard counts.differences.isEmpty else { return .violation }
    return isWhole && counts.rowCount > 0 ? .good : .undecided
  }

  private var sizes: BenchmarkSizes { composition[BenchmarkSizes.self] }

  /// The benchmark run with the benchmarks and settings that the options select.
  private var plan: BenchmarkRun {
    let chosen = Subjects.all.filter { options.selects($0.name, isNamedOnly: $0.isNamedOnly) }
    var run = BenchmarkRun(
      subjects: Subjects.measured(chosen, at: axes)
        .enumerated().filter { options.shard?.holds($0.offset) ?? true }.map(\.element),
      historySizes: options.quick ? sizes.quick : sizes.all,
      seed: options.seed,
      budget: budget
    )
    run.checksNoise = sizes.checksNoise
    run.measuresTime = !options.exactOnly
    run.command = composition.command
    run.isQuick = options.quick
    run.plannedRate = options.rate.map(Double.init)
    return run
  }

  /// The conditions to measure in, as the options name them.
  ///
  /// `nil` stands for the base condition. By default, a quick run measures only in the base
  /// condition, and a full run in all conditions.
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
      "This is a debug build, whose figures mean little; measure with: "
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
      verdict: outcome.isWhole && outcome.uncertainty == nil ? "valid" : "unknown",
      because: outcome.sentence,
      isEndedEarly: !outcome.isWhole
    )
  }
}

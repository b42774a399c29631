import Measuring
import Reporting

/// The options of `bench run`.
struct BenchRunOptions: Hashable, Sendable {
  /// Whether to run the short form of each benchmark.
  var quick: Bool
  /// The name prefixes of the benchmarks to run; empty for all.
  var only: [String]
  /// The name prefixes of additional benchmarks to run.
  var also: [String]
  /// The conditions to measure in, which may include `base`; empty for the default ones.
  var axes: [String]
  /// The planned writes per second of an open loop; `nil` plans shares of the calibrated rate.
  var rate: Int?
  var seed: UInt64
  /// The folder in which the run gets its own folder.
  var output: String
  /// Whether to print the results as JSON.
  var json: Bool
  /// The number of measurements of each pair; `nil` uses each benchmark's own number.
  var rounds: Int?
  /// Whether to measure only exact counts, and no times.
  var exactOnly: Bool
  /// The number of times to repeat that, to see whether the counts are the same each time.
  var repeats: Int
  /// The part of the benchmarks to measure; `nil` for all.
  var shard: Shard?
  /// The folder of an interrupted run to resume with its original options; `nil` starts a new run.
  var resume: String?

  static let quickFlag = Flag("quick", "Measures three history sizes in under a minute.")
  static let exactOnlyFlag = Flag(
    "exact-only",
    "Only counts what is the same in every run, and measures no time."
  )
  static let repeatOption = Option(
    "repeat",
    .integer("N", 2...1_000),
    defaultText: "once",
    "Counts N times, with stores built anew, and says whether it is the same each time."
  )
  static let onlyOption = Option(
    "only",
    .text("NAME", "a name, or its beginning"),
    defaultText: "all",
    repeats: true,
    "Measures only the benchmarks whose names begin with NAME."
  )
  static let alsoOption = Option(
    "also",
    .text("NAME", "a name, or its beginning"),
    defaultText: "none",
    repeats: true,
    "Measures besides what is measured without it, such as `large`, which only runs when named."
  )
  static let resumeOption = Option(
    "resume",
    .path("DIR"),
    defaultText: "a new run",
    "Goes on with a run that was cut short, in its folder and with its options; not with a whole one."
  )
  static let axisOption = Option(
    "axis",
    .text("NAME", "a name of `bench list`, or base"),
    defaultText: "all; base with --quick",
    repeats: true,
    "Measures only in this condition: the one that all benchmarks share, or another."
  )
  static let rateOption = Option(
    "planned-rate",
    .integer("N", 1...10_000_000),
    defaultText: "half and nine tenths of what a calibration finds",
    "How many writes a second the benchmark `open loop` plans."
  )
  static let roundsOption = Option(
    "rounds",
    .integer("N", 1...10_000),
    defaultText: "each benchmark's own",
    "How often each pair is measured; more rounds, narrower intervals."
  )

  /// - Throws: A usage error if a name matches no benchmark or condition, options contradict each
  ///   other, or a folder cannot be used.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    quick = arguments.isSet(Self.quickFlag)
    only = arguments.all(Self.onlyOption).uniqued
    also = arguments.all(Self.alsoOption).uniqued
    for name in only + also { try composition.checkBenchmark(name) }
    axes = arguments.all(Self.axisOption).uniqued
    for name in axes { try composition.checkAxis(name) }
    rate = arguments.value(Self.rateOption)
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    output = try arguments.required(CommonOption.output)
    try FilePath.checkWritableFolder(output, for: "--output")
    json = arguments.isSet(CommonOption.json)
    rounds = arguments.value(Self.roundsOption)
    exactOnly = arguments.isSet(Self.exactOnlyFlag)
    repeats = arguments.value(Self.repeatOption) ?? 1
    shard = try arguments.shard()
    guard exactOnly || repeats == 1 else {
      throw .usage("--repeat repeats what --exact-only counts: give both, or leave it out.")
    }
    guard !exactOnly || (rounds == nil && rate == nil) else {
      throw .usage("--exact-only measures no time: leave out --rounds and --planned-rate.")
    }
    resume = arguments.value(Self.resumeOption)
    if resume != nil {
      let others = arguments.texts.keys.filter { $0 != Self.resumeOption.name }.sorted()
      guard others.isEmpty else {
        throw .usage(
          "the run in --resume has its options: leave out \(others.map { "--" + $0 }.joinedWithAnd)."
        )
      }
    }
  }

  /// Returns whether to run a benchmark; one that is `isNamedOnly` needs an explicit selection.
  func selects(_ benchmark: String, isNamedOnly: Bool = false) -> Bool {
    if (only + also).contains(where: { benchmark.begins(with: $0) }) { return true }
    return only.isEmpty && !isNamedOnly
  }
}

extension BenchRunOptions {
  /// The name of the condition that all benchmarks share.
  static let baseAxis = "base"

  static let spec = VerbSpec(
    name: "bench",
    sentence: "Measures what fetch, merge and purge cost as history grows.",
    examples: run.examples,
    subverbs: [
      run, BenchListOptions.spec, BenchCompareOptions.spec, BenchBaselineOptions.spec,
      BenchSelftestOptions.spec,
    ]
  )

  private static let run = VerbSpec(
    name: "bench run",
    sentence: "Runs benchmarks and writes their results into a new run's folder.",
    options: [
      quickFlag.spec, exactOnlyFlag.spec, repeatOption.spec, onlyOption.spec, alsoOption.spec,
      axisOption.spec, rateOption.spec,
      roundsOption.spec, CommonOption.shard.spec, CommonOption.seed.spec, CommonOption.output.spec,
      CommonOption.json.spec, resumeOption.spec,
    ],
    examples: [
      Example("bench run --quick", "Three history sizes, in under a minute."),
      Example("bench run --quick --exact-only --repeat 20", "Are the counts the same each time?"),
      Example("bench run --only fetch --axis base --axis cold", "The same from a cold cache."),
      Example("bench run --resume Reports/latest", "What an interrupted run has not measured yet."),
    ]
  )
}

extension String {
  /// Returns whether the text starts with another, ignoring case.
  func begins(with beginning: String) -> Bool {
    lowercased().hasPrefix(beginning.lowercased())
  }
}

import HistoryBenchmarks
import Measuring
import PersistentHistory
import Reporting

/// The options of the `bench baseline` verbs.
struct BenchBaselineOptions: Hashable, Sendable {
  /// The baseline's name; `nil` for verbs without one.
  var name: String?
  /// The folder of the run; `nil` selects the newest run.
  var run: String?
  /// The folder that contains the folders of runs.
  var runs: String
  /// The folder of the committed thresholds.
  var thresholds: String
  /// The share by which a count may differ; 0.01 is one percent.
  var tolerance: Double
  /// Whether differences in time are decided by launching both builds.
  var decides: Bool
  /// The commit to build for that; `nil` selects the commit that the baseline names.
  var base: String?

  static let decideFlag = Flag(
    "decide",
    "Decides about times that lie apart: builds the baseline's commit, and launches it and this "
      + "command in turn."
  )
  static let baseOption = Option(
    "base",
    .text("COMMIT", "a commit, a branch or a tag"),
    defaultText: "the one that the baseline names",
    "The commit to decide beside."
  )
  static let runOption = Option(
    "run",
    .path("DIR"),
    defaultText: "the newest run of benchmarks",
    "The folder of the run."
  )
  static let thresholdsOption = Option(
    "thresholds",
    .path("DIR"),
    default: ThresholdFile.folder,
    defaultText: "Thresholds in Benchmarks",
    "The folder of the committed counts, one folder a platform."
  )
  static let toleranceOption = Option(
    "tolerance",
    .decimal("PERCENT", 0...100),
    default: 1.0,
    defaultText: "1",
    "By how many percent a count may differ."
  )
  static let nameSpec = PositionalSpec(
    value: ValueReader.text("NAME", "a baseline's name").rule,
    isRequired: true,
    sentence: "A baseline's name."
  )

  /// - Throws: A usage error if the name is not a valid file name.
  init(_ arguments: ParsedArguments) throws(LabError) {
    name = arguments.positionals.first
    run = arguments.value(Self.runOption)
    runs = try arguments.required(CommonOption.output)
    thresholds = try arguments.required(Self.thresholdsOption)
    tolerance = try arguments.required(Self.toleranceOption) / 100
    decides = arguments.isSet(Self.decideFlag)
    base = arguments.value(Self.baseOption)
    let isFileName = name.map { $0.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) } }
    guard isFileName != false, name?.first != "." else {
      throw .usage("NAME takes letters, digits, dots, dashes and underscores.")
    }
  }
}

extension BenchBaselineOptions {
  static let spec = VerbSpec(
    name: "bench baseline",
    sentence: "Keeps results under a name, and compares others with them.",
    examples: save.examples,
    subverbs: [save, list, compare, check, accept]
  )

  private static let save = VerbSpec(
    name: "bench baseline save",
    sentence: "Keeps the results of a run under a name, in Reports/baselines.",
    positionals: [nameSpec],
    options: [runOption.spec, CommonOption.output.spec],
    examples: [
      Example("bench baseline save before", "Keeps the newest run as `before`."),
      Example("bench baseline save v1 --run Reports/latest", "Keeps the run of a folder."),
    ]
  )
  private static let list = VerbSpec(
    name: "bench baseline list",
    sentence: "Lists the results that are kept.",
    options: [CommonOption.output.spec],
    examples: [
      Example("bench baseline list", "Their names, with commit and time."),
      Example("bench baseline list --output runs", "Those that belong to another folder of runs."),
    ]
  )
  private static let compare = VerbSpec(
    name: "bench baseline compare",
    sentence:
      "Compares a run with a baseline: counts decide, times are told, or decided by launches.",
    positionals: [nameSpec],
    options: [
      runOption.spec, CommonOption.output.spec, toleranceOption.spec, decideFlag.spec,
      baseOption.spec,
    ],
    examples: [
      Example("bench baseline compare before", "The newest run beside `before`."),
      Example("bench baseline compare before --tolerance 0", "Any count that differs."),
      Example("bench baseline compare before --decide", "And which times have really risen."),
    ]
  )
  private static let check = VerbSpec(
    name: "bench baseline check",
    sentence: "Holds the counts of a run against the committed thresholds of this platform.",
    options: [
      runOption.spec, CommonOption.output.spec, thresholdsOption.spec, toleranceOption.spec,
    ],
    examples: [
      Example("bench baseline check", "The newest run."),
      Example("bench baseline check --tolerance 0", "Any count that differs."),
    ]
  )
  private static let accept = VerbSpec(
    name: "bench baseline accept",
    sentence: "Makes the counts of a run the thresholds of this platform, to be committed.",
    options: [runOption.spec, CommonOption.output.spec, thresholdsOption.spec],
    examples: [
      Example("bench baseline accept", "The counts of the newest run."),
      Example("bench baseline accept --run Reports/latest", "Those of a folder."),
    ]
  )
}

/// Saves, lists and compares baselines, and checks or updates thresholds.
struct BenchBaselineVerb: Verb {
  enum Action: String {
    case save
    case list
    case compare
    case check
    case accept
  }

  let action: Action
  let options: BenchBaselineOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    switch action {
    case .save: try save()
    case .list: try list()
    case .compare: try await compare()
    case .check: try check()
    case .accept: try accept()
    }
  }

  private var baselines: Baselines { Baselines(besides: options.runs) }

  private func results() throws(LabError) -> BenchmarkResults {
    try BenchSource.results(options.run, runs: options.runs)
  }

  private func save() throws(LabError) -> ExitCode {
    let name = options.name ?? ""
    let results = try results()
    try baselines.save(results, as: name)
    terminal.print("Kept \(results.rows.count.counted("row")): \(baselines.path(of: name))")
    return .good
  }

  private func list() throws(LabError) -> ExitCode {
    var table = ReportTable(columns: [
      .text("name"), .text("time"), .text("commit"), .number("rows"),
    ])
    let names = try baselines.names()
    for name in names {
      let results = try baselines.read(name)
      table.append([
        name, results.environment.time.readable, results.environment.commit ?? "not known",
        results.rows.count.grouped,
      ])
    }
    if names.isEmpty {
      terminal.print(
        "No baseline is kept. Try: \(terminal.command.line("bench baseline save NAME"))"
      )
    } else {
      terminal.print(table, indent: 0)
    }
    return .good
  }

  // MARK: Comparing

  private func compare() async throws(LabError) -> ExitCode {
    let base = try baselines.read(options.name ?? "")
    let head = try results()
    let counts = ExactComparison(
      base: base.rows,
      head: head.rows,
      tolerance: options.tolerance
    )
    let code = CountText(terminal: terminal).tell(counts)
    let suspects = TimeSuspects(base: base.rows, head: head.rows)
    guard !suspects.suspects.isEmpty else { return code }
    terminal.print("Times beside the floor that lie apart; two launches decide nothing:")
    terminal.print(suspects.table)
    guard options.decides else {
      let words = "bench baseline compare \(options.name ?? "") --decide"
      terminal.print("Decide with: \(terminal.command.line(words))")
      return code
    }
    return try await decide(suspects, since: base.environment.commit, after: code)
  }

  /// Launches the baseline's build and this one in turn, for the benchmarks whose times differ.
  private func decide(
    _ suspects: TimeSuspects,
    since commit: String?,
    after code: ExitCode
  ) async throws(LabError) -> ExitCode {
    guard let commit = options.base ?? commit else {
      throw .usage(
        "the baseline does not know its commit.",
        try: "bench baseline compare \(options.name ?? "") --decide --base COMMIT"
      )
    }
    var codes = [code]
    for comparison in suspects.comparisons {
      terminal.print("With \(comparison.historySize.counted("transaction")), beside \(commit):")
      let options = BenchCompareOptions(
        base: commit,
        subjects: comparison.subjects,
        historySize: comparison.historySize,
        seed: composition.drawSeed(),
        tolerance: options.tolerance
      )
      let verb = BenchCompareVerb(options: options, composition: composition, terminal: terminal)
      codes.append(try await verb.run())
    }
    for suspect in suspects.undecidable {
      terminal.print("Not decided: \(suspect.row.title), which no launches are compared by.")
      codes.append(.undecided)
    }
    return codes.contains(.violation)
      ? .violation : codes.contains(.undecided) ? .undecided : .good
  }

  private func check() throws(LabError) -> ExitCode {
    let results = try results()
    let file = ThresholdFile(for: results.environment, in: options.thresholds)
    guard let thresholds = try file.read() else {
      terminal.print(
        "There are no thresholds for \(results.environment.platform). "
          + "Try: \(terminal.command.line("bench baseline accept"))"
      )
      return .undecided
    }
    let counts = thresholds.compare(
      results.rows,
      of: BenchmarkSubject.ours,
      tolerance: options.tolerance
    )
    let code = CountText(terminal: terminal).tell(counts)
    let unmet = thresholds.unmet(by: results.rows)
    guard let first = unmet.first else { return code }
    terminal.print(
      "\(unmet.count.counted("threshold has", "thresholds have")) no count in the run: \(first)"
    )
    return code == .good ? .undecided : code
  }

  private func accept() throws(LabError) -> ExitCode {
    let results = try results()
    let file = ThresholdFile(for: results.environment, in: options.thresholds)
    let thresholds = CountThresholds(
      results.rows,
      of: BenchmarkSubject.ours,
      platform: results.environment.platform
    )
    guard !thresholds.counts.isEmpty else {
      throw .usage("the run has no exact counts to keep.", try: "bench run --quick")
    }
    try file.write(thresholds)
    terminal.print("Thresholds for \(thresholds.counts.count.counted("benchmark")): \(file.path)")
    return .good
  }
}

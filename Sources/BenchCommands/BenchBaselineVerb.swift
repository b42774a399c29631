import Commands
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting

/// The options that choose a run, shared by the `bench baseline` verbs that read a run.
struct BaselineRunOptions: VerbOptions {
  /// The folder of the run; `nil` selects the newest run.
  @Option("run", .path("DIR"), shown: "the newest run of benchmarks", "The folder of the run.")
  var run: String?
  @Option(.output) var runs: String

  func results() throws(LabError) -> BenchmarkResults {
    try BenchSource.results(run, runs: runs)
  }
}

extension ValueReader where Value == String {
  fileprivate static let baseline = text("NAME", "a baseline's name")
}

extension Option<String> {
  static var thresholds: Option {
    Option(
      wrappedValue: ThresholdFile.folder,
      "thresholds",
      .path("DIR"),
      shown: "Thresholds in Benchmarks",
      "The folder of the committed counts, with one subfolder per platform."
    )
  }
}

/// The parent of the verbs that save baselines and compare runs with them.
enum BenchBaselineVerb {
  static let group = VerbSpec(
    name: "bench baseline",
    sentence: "Saves results under a name, and compares later results with them.",
    examples: BaselineSaveVerb.spec.examples,
    subverbs: [
      BaselineSaveVerb.spec, BaselineListVerb.spec, BaselineCompareVerb.spec,
      BaselineCheckVerb.spec, BaselineAcceptVerb.spec,
    ]
  )

  /// - Throws: A usage error if the name is not a valid file name.
  fileprivate static func check(_ name: String) throws(LabError) {
    let isFileName = name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    guard isFileName, name.first != "." else {
      throw .usage(
        "NAME may contain only letters, digits, dots, dashes and underscores, and must not start with "
          + "a dot."
      )
    }
  }
}

/// Saves the results of a run as a baseline.
struct BaselineSaveVerb: Verb {
  struct Options: VerbOptions {
    @Argument(.baseline, "A baseline's name.") var name: String
    var source = BaselineRunOptions()

    func validate(in composition: Composition) throws(LabError) {
      try BenchBaselineVerb.check(name)
    }
  }

  let options: Options
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "bench baseline save",
    sentence: "Saves the results of a run under a name, in Reports/baselines.",
    examples: [
      Example("bench baseline save before", "Saves the newest run as `before`."),
      Example("bench baseline save v1 --run Reports/latest", "Saves the run in a folder."),
    ]
  ) { (options, _, terminal) in BaselineSaveVerb(options: options, terminal: terminal) }

  func run() throws(LabError) -> ExitCode {
    let results = try options.source.results()
    let baselines = Baselines(nextTo: options.source.runs)
    try baselines.save(results, as: options.name)
    terminal.print(
      "Saved \(results.rows.count.counted("row")): \(baselines.path(of: options.name))"
    )
    return .good
  }
}

/// Lists the saved baselines.
struct BaselineListVerb: Verb {
  struct Options: VerbOptions {
    @Option(.output) var runs: String
  }

  let options: Options
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "bench baseline list",
    sentence: "Lists the saved baselines.",
    examples: [
      Example("bench baseline list", "Lists each baseline with its commit and time."),
      Example(
        "bench baseline list --output runs",
        "Lists the baselines of another folder of runs."
      ),
    ]
  ) { (options, _, terminal) in BaselineListVerb(options: options, terminal: terminal) }

  func run() throws(LabError) -> ExitCode {
    var table = ReportTable(columns: [
      .text("name"), .text("time"), .text("commit"), .number("rows"),
    ])
    let baselines = Baselines(nextTo: options.runs)
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
        "There is no baseline. Try: \(terminal.command.line("bench baseline save NAME"))"
      )
    } else {
      terminal.print(table, indent: 0)
    }
    return .good
  }
}

/// Compares a run with a baseline.
struct BaselineCompareVerb: Verb {
  struct Options: VerbOptions {
    @Argument(.baseline, "A baseline's name.") var name: String
    var source = BaselineRunOptions()
    @Option(.tolerance) var tolerancePercent: Double
    @Flag(
      "decide",
      "Decides whether different times are a regression: builds the baseline's commit, and launches "
        + "it and this command in turn."
    )
    var decides
    @Option(
      "base",
      .commit,
      shown: "the baseline's commit",
      "The commit that is launched for comparison."
    )
    var base: String?

    func validate(in composition: Composition) throws(LabError) {
      try BenchBaselineVerb.check(name)
    }
  }

  let options: Options
  let composition: Composition
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "bench baseline compare",
    sentence:
      "Compares a run with a baseline: higher counts fail, and different times are reported.",
    examples: [
      Example("bench baseline compare before", "Compares the newest run with `before`."),
      Example("bench baseline compare before --tolerance 0", "Reports every count that differs."),
      Example(
        "bench baseline compare before --decide",
        "Also decides which times have risen, by launches."
      ),
    ]
  ) { BaselineCompareVerb(options: $0, composition: $1, terminal: $2) }

  func run() async throws(LabError) -> ExitCode {
    let base = try Baselines(nextTo: options.source.runs).read(options.name)
    let head = try options.source.results()
    let counts = ExactComparison(
      base: base.rows,
      head: head.rows,
      tolerance: options.tolerancePercent / 100
    )
    let code = CountText(terminal: terminal).print(counts)
    let suspects = TimeSuspects(base: base.rows, head: head.rows)
    guard !suspects.suspects.isEmpty else { return code }
    terminal.print("Ratios that differ from the baseline; two launches are too few to decide:")
    terminal.print(suspects.table)
    guard options.decides else {
      let words = "bench baseline compare \(options.name) --decide"
      terminal.print("Decide with: \(terminal.command.line(words))")
      return code
    }
    return try await decide(suspects, since: base.environment.commit, after: code)
  }

  /// Launches the baseline's build and the current build in turn, to decide whether differing times
  /// are regressions.
  private func decide(
    _ suspects: TimeSuspects,
    since commit: String?,
    after code: ExitCode
  ) async throws(LabError) -> ExitCode {
    guard let commit = options.base ?? commit else {
      throw .usage(
        "the baseline does not record its commit.",
        try: "bench baseline compare \(options.name) --decide --base COMMIT"
      )
    }
    var codes = [code]
    for comparison in suspects.comparisons {
      terminal.print(
        "With \(comparison.historySize.counted("transaction")), compared with \(commit):"
      )
      var options = BenchCompareOptions()
      options.base = .commit(commit)
      options.subjects = comparison.subjects
      options.historySize = comparison.historySize
      options.seed = composition.drawSeed()
      options.tolerancePercent = self.options.tolerancePercent
      let verb = BenchCompareVerb(options: options, composition: composition, terminal: terminal)
      codes.append(try await verb.run())
    }
    for suspect in suspects.undecidable {
      terminal.print("Undecided: \(suspect.row.title) cannot be compared by launches.")
      codes.append(.undecided)
    }
    return codes.contains(.violation)
      ? .violation : codes.contains(.undecided) ? .undecided : .good
  }
}

/// Compares the counts of a run with the committed thresholds.
struct BaselineCheckVerb: Verb {
  struct Options: VerbOptions {
    var source = BaselineRunOptions()
    @Option(.thresholds) var thresholds: String
    @Option(.tolerance) var tolerancePercent: Double
  }

  let options: Options
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "bench baseline check",
    sentence: "Compares the counts of a run with the committed thresholds of this platform.",
    examples: [
      Example("bench baseline check", "Checks the newest run."),
      Example("bench baseline check --tolerance 0", "Reports every count that differs."),
    ]
  ) { (options, _, terminal) in BaselineCheckVerb(options: options, terminal: terminal) }

  func run() throws(LabError) -> ExitCode {
    let results = try options.source.results()
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
      tolerance: options.tolerancePercent / 100
    )
    let code = CountText(terminal: terminal).print(counts)
    let unmet = thresholds.unmet(by: results.rows)
    guard let first = unmet.first else { return code }
    terminal.print(
      "\(unmet.count.counted("threshold has", "thresholds have")) no count in the run: \(first)"
    )
    return code == .good ? .undecided : code
  }
}

/// Writes the counts of a run to the file of its platform's thresholds, which is kept in git.
struct BaselineAcceptVerb: Verb {
  struct Options: VerbOptions {
    var source = BaselineRunOptions()
    @Option(.thresholds) var thresholds: String
  }

  let options: Options
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "bench baseline accept",
    sentence: "Makes the counts of a run the thresholds of this platform, to be committed.",
    examples: [
      Example("bench baseline accept", "Accepts the counts of the newest run."),
      Example(
        "bench baseline accept --run Reports/latest",
        "Accepts the counts of the run in a "
          + "folder."
      ),
    ]
  ) { (options, _, terminal) in BaselineAcceptVerb(options: options, terminal: terminal) }

  func run() throws(LabError) -> ExitCode {
    let results = try options.source.results()
    let file = ThresholdFile(for: results.environment, in: options.thresholds)
    let thresholds = CountThresholds(
      results.rows,
      of: BenchmarkSubject.ours,
      platform: results.environment.platform
    )
    guard !thresholds.counts.isEmpty else {
      throw .usage(
        "the run contains no exact counts, so it cannot set thresholds.",
        try: "bench run --quick"
      )
    }
    try file.write(thresholds)
    terminal.print("Thresholds for \(thresholds.counts.count.counted("benchmark")): \(file.path)")
    return .good
  }
}

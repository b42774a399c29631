import Foundation
import HistoryBenchmarks
import Measuring
import PersistentHistory
import Reporting

/// The options of `bench compare`.
struct BenchCompareOptions: Hashable, Sendable {
  /// A build of the command: an existing executable, or a commit to build.
  enum Build: Hashable, Sendable {
    case executable(String)
    case commit(String)
    /// The running command.
    case this
  }
  var base: Build
  var head: Build
  /// The names of the benchmarks to compare.
  var subjects: [String]
  /// The names of selected benchmarks that need a longer history than `historySize`.
  var leftOut: [String] = []
  var historySize: Int
  /// The number of launches of each build in the first round.
  var launches: Int
  var seed: UInt64
  /// The share by which a count may differ; 0.01 is one percent.
  var tolerance: Double
  var json: Bool

  static let baseOption = Option(
    "base",
    .text("COMMIT", "a commit, a branch or a tag"),
    "The commit that is built and compared with, instead of BASE."
  )
  static let headOption = Option(
    "head",
    .text("COMMIT", "a commit, a branch or a tag"),
    defaultText: "this command",
    "The commit that is built and judged, instead of HEAD."
  )
  static let sizeOption = Option(
    "size",
    "N",
    in: 100...1_000_000,
    default: 10_000,
    "The size of history, in transactions of ten changes."
  )
  private static let defaultLaunches = 20
  static let launchesOption = Option(
    "launches",
    "N",
    in: 6...1_000,
    default: defaultLaunches,
    "How often each build is launched; suspects four times as often again."
  )

  /// - Throws: A usage error if the base is missing, a build is named twice, an executable is
  ///   missing, or no benchmark can be compared.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    let executables = arguments.positionals
    for path in executables { try FilePath.checkReadable(path) }
    switch (executables.first, arguments.value(Self.baseOption)) {
    case (let path?, nil): base = .executable(path)
    case (nil, let commit?): base = .commit(commit)
    case (nil, nil): throw .usage("bench compare needs BASE, an executable, or --base COMMIT.")
    case (.some, .some): throw .usage("BASE and --base name two builds: leave out one.")
    }
    switch (executables.dropFirst().first, arguments.value(Self.headOption)) {
    case (let path?, nil): head = .executable(path)
    case (nil, let commit?): head = .commit(commit)
    case (nil, nil): head = .this
    case (.some, .some): throw .usage("HEAD and --head name two builds: leave out one.")
    }
    let size = try arguments.required(Self.sizeOption)
    historySize = size
    let chosen = try Self.subjects(arguments.all(BenchRunOptions.onlyOption), in: composition)
    subjects = chosen.filter { $0.leastHistory <= size }.map(\.name)
    leftOut = chosen.filter { $0.leastHistory > size }.map(\.name)
    if subjects.isEmpty {
      let least = chosen.map(\.leastHistory).min() ?? size
      throw .usage(
        "--size \(size): \(leftOut.joinedWithAnd) cannot be measured on so few transactions. Give "
          + "\(least.grouped) or more."
      )
    }
    launches = try arguments.required(Self.launchesOption)
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    tolerance = try arguments.required(BenchBaselineOptions.toleranceOption) / 100
    json = arguments.isSet(CommonOption.json)
  }

  /// Creates options that compare a commit with the running command, with the default launches.
  init(
    base commit: String,
    subjects: [String],
    historySize: Int,
    seed: UInt64,
    tolerance: Double
  ) {
    base = .commit(commit)
    head = .this
    self.subjects = subjects
    self.historySize = historySize
    self.seed = seed
    self.tolerance = tolerance
    launches = Self.defaultLaunches
    json = false
  }

  private static func subjects(
    _ only: [String],
    in composition: Composition
  ) throws(LabError) -> [BenchmarkSubject] {
    for name in only { try composition.checkBenchmark(name) }
    let subjects = Subjects.all.filter(LaunchProbe.canCompare).filter { subject in
      only.isEmpty || only.contains { subject.name.begins(with: $0) }
    }
    guard !subjects.isEmpty else {
      throw .usage(
        "\(only.joinedWithAnd) is not measured in rounds, so that builds cannot be compared by it.",
        try: "bench list"
      )
    }
    return subjects
  }

  static let spec = VerbSpec(
    name: "bench compare",
    sentence: "Compares two builds by launching them in turn.",
    positionals: [
      PositionalSpec(
        value: ValueReader.text("BASE", "a build of history-lab").rule,
        isRequired: false,
        sentence: "The executable that is compared with."
      ),
      PositionalSpec(
        value: ValueReader.text("HEAD", "a build of history-lab").rule,
        isRequired: false,
        sentence: "The executable that is judged; without it this command."
      ),
    ],
    options: [
      baseOption.spec, headOption.spec, BenchRunOptions.onlyOption.spec, sizeOption.spec,
      launchesOption.spec, BenchBaselineOptions.toleranceOption.spec, CommonOption.seed.spec,
      CommonOption.json.spec,
    ],
    examples: [
      Example("bench compare --base main", "This command beside a build of `main`."),
      Example("bench compare old/history-lab new/history-lab", "Two builds that are there."),
      Example("bench compare --base HEAD~1 --only fetch", "The benchmarks of fetch alone."),
    ]
  )
}

/// Compares two builds of the command.
struct BenchCompareVerb: Verb {
  let options: BenchCompareOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    if !options.leftOut.isEmpty {
      terminal.log(
        "history-lab: left out, for they need a longer history than \(options.historySize.grouped) "
          + "transactions: \(options.leftOut.joinedWithAnd)"
      )
    }
    let outcome: BuildComparison.Outcome
    do {
      outcome = try compare(base: executable(options.base), head: executable(options.head))
    } catch is Interrupted {
      terminal.log("Ending early: nothing is decided.")
      return .undecided
    } catch let error as LabError {
      throw error
    } catch let error as LaunchProbe.NoLaunch {
      guard Interruption.isRequested else { throw .usage(error.description) }
      return .undecided
    } catch {
      guard Interruption.isRequested else { throw .lab("the builds cannot be compared: \(error)") }
      return .undecided
    }
    return try tell(outcome)
  }

  private func compare(base: String, head: String) throws -> BuildComparison.Outcome {
    var comparison = BuildComparison(
      base: base,
      head: head,
      subjects: options.subjects,
      seed: options.seed
    )
    comparison.historySize = options.historySize
    comparison.launches = options.launches
    comparison.tolerance = options.tolerance
    var bars: [Int: ProgressBar] = [:]
    defer { terminal.setStatus(nil) }
    return try comparison.run { look, pairs in
      if Interruption.isRequested { throw Interrupted() }
      let title = look == 1 ? "launching in turn" : "launching again for suspects"
      let bar =
        bars[look]
        ?? ProgressBar(WorkState(title, unit: "pairs of launches", total: pairs), on: terminal)
      bars[look] = bar
      bar.advance()
    }
  }

  private func executable(_ build: BenchCompareOptions.Build) throws -> String {
    switch build {
    case .executable(let path): return path
    case .commit(let commit):
      let root = FileManager.default.currentDirectoryPath
      return try CommitBuild(root: root, terminal: terminal).executable(of: commit)
    case .this:
      guard let command = composition.command else {
        throw LabError.lab("this process is not the command that would have to be launched.")
      }
      return command
    }
  }

  // MARK: Output

  private func tell(_ outcome: BuildComparison.Outcome) throws(LabError) -> ExitCode {
    let changed = outcome.judged.filter { [.dearer, .cheaper].contains($0.verdict.answer) }
    let undecided = outcome.judged.filter { $0.verdict.answer == .undecided }
    if options.json {
      try tellJSON(outcome)
    } else {
      tellTimes(outcome, changed, undecided)
    }
    let counts =
      options.json ? code(outcome.counts) : CountText(terminal: terminal).tell(outcome.counts)
    if changed.contains(where: { $0.verdict.answer == .dearer }) || counts == .violation {
      return .violation
    }
    return undecided.isEmpty ? counts : .undecided
  }

  private func code(_ counts: ExactComparison) -> ExitCode {
    counts.compared == 0 ? .undecided : counts.dearer.isEmpty ? .good : .violation
  }

  private func tellTimes(
    _ outcome: BuildComparison.Outcome,
    _ changed: [LaunchComparison.Judged],
    _ undecided: [LaunchComparison.Judged]
  ) {
    let suspects = outcome.judged.filter(\.verdict.wasSuspect)
    terminal.print(
      terminal.styled("Head beside base", .bold)
        + " (\(options.launches.counted("pair")) of launches, seed 0x\(String(options.seed, radix: 16)))"
    )
    terminal.print(table(outcome.judged))
    terminal.print("")
    for row in changed {
      let kind = row.verdict.answer == .dearer ? "Regression" : "Improvement"
      terminal.print(terminal.styled(kind, .bold) + ": \(sentence(row))")
    }
    for row in undecided { terminal.print("Not decided: \(sentence(row))") }
    terminal.print(
      "\(outcome.judged.count.counted("row")) of time: \(suspects.count) measured again, "
        + "\(changed.count) confirmed at 99 % beyond 1 %, \(undecided.count) not decided."
    )
  }

  private func sentence(_ row: LaunchComparison.Judged) -> String {
    let ratio = row.verdict.ratio
    return "\(row.key.title), \(row.key.historySize.grouped) transactions, \(row.key.metric.name): "
      + "\(NumberText.ratio(ratio.estimate)) (\(NumberText.range(ratio.lower, ratio.upper)))"
  }

  private func table(_ judged: [LaunchComparison.Judged]) -> ReportTable {
    var table = ReportTable(columns: [
      .text("benchmark"), .text("clock"), .number("ratio"), .number("99 % interval"),
      .number("launches"), .text("verdict"),
    ])
    for row in judged {
      let ratio = row.verdict.ratio
      table.append([
        row.key.title, row.key.metric.name, NumberText.ratio(ratio.estimate),
        NumberText.range(ratio.lower, ratio.upper), String(row.verdict.units),
        row.verdict.answer.rawValue,
      ])
    }
    return table
  }

  private func tellJSON(_ outcome: BuildComparison.Outcome) throws(LabError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do {
      let document = ComparisonDocument(outcome, seed: options.seed)
      terminal.print(String(decoding: try encoder.encode(document), as: UTF8.self))
    } catch {
      throw .lab("the comparison cannot be written as JSON: \(error).")
    }
  }
}

/// The JSON document that `bench compare --json` prints.
private struct ComparisonDocument: Encodable {
  struct Row: Encodable {
    let benchmark: String
    let contender: String
    let history: Int
    let metric: String
    let verdict: GateVerdict
  }

  let comparison = 1
  @HexCoded var seed: UInt64
  let times: [Row]
  let countsCompared: Int
  let countsDearer: [String]
  let countsCheaper: [String]

  init(_ outcome: BuildComparison.Outcome, seed: UInt64) {
    self.seed = seed
    times = outcome.judged.map { row in
      Row(
        benchmark: row.key.title,
        contender: row.key.contender,
        history: row.key.historySize,
        metric: row.key.metric.name,
        verdict: row.verdict
      )
    }
    countsCompared = outcome.counts.compared
    countsDearer = outcome.counts.dearer.map(\.sentence)
    countsCheaper = outcome.counts.cheaper.map(\.sentence)
  }
}

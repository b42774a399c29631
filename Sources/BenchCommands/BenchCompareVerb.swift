import Basics
package import Commands
import Foundation
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting

struct BenchCompareOptions: VerbOptions {
  /// A build of `history-lab` to compare: an executable, a commit to build, or the running build.
  enum Build: Hashable, Sendable {
    case executable(String)
    case commit(String)
    /// The build that runs this command.
    case this
  }

  @Argument(
    .text("BASE", "a build of history-lab"),
    "The baseline: the executable to compare with."
  )
  private var baseFile: String?
  @Argument(
    .text("HEAD", "a build of history-lab"),
    "The candidate: the executable to judge (default: this command)."
  )
  private var headFile: String?
  @Option(
    "base",
    .commit,
    "Builds this commit as the baseline, instead of BASE."
  )
  private var baseCommit: String?
  @Option(
    "head",
    .commit,
    shown: "this command",
    "Builds this commit as the candidate, instead of HEAD."
  )
  private var headCommit: String?
  @Option(.onlyBenchmarks) private var only: [String]
  @Option(.historySize) var historySize: Int
  /// The number of timed launches of each build in the first stage, which covers all benchmarks.
  ///
  /// Benchmarks whose cost may have changed or is too uncertain are measured again in a second
  /// stage, which launches each build four times as often.
  @Option(
    "launches",
    .integer("N", 6...1_000),
    "Launches each build N times; benchmarks whose times may differ get 4N further launches."
  )
  var launches = 20
  @Option(.tolerance) var tolerancePercent: Double
  @Option(.seed) var seed: UInt64
  @Flag(.json) var json
  var base = Build.this
  var head = Build.this
  /// The names of the benchmarks to compare.
  var subjects: [String] = []
  /// The names of selected benchmarks that need a longer history than `historySize`.
  var leftOut: [String] = []

  /// - Throws: A usage error if the baseline is missing, a build is given both as a path and as a
  ///   commit, an executable cannot be read, or no benchmark can be compared.
  mutating func validate(in composition: Composition) throws(LabError) {
    for path in [baseFile, headFile].compactMap({ $0 }) { try FilePath.checkReadable(path) }
    guard let base = try Self.build(baseFile, baseCommit, "BASE and --base") else {
      throw .usage(
        "bench compare has nothing to compare with: pass the path of an executable as BASE, or "
          + "--base COMMIT."
      )
    }
    self.base = base
    head = try Self.build(headFile, headCommit, "HEAD and --head") ?? .this
    let chosen = try Self.subjects(only, in: composition)
    let size = historySize
    subjects = chosen.filter { $0.leastHistory <= size }.map(\.name)
    leftOut = chosen.filter { $0.leastHistory > size }.map(\.name)
    if subjects.isEmpty {
      let least = chosen.map(\.leastHistory).min() ?? size
      throw .usage(
        "--size \(size): \(leftOut.joinedWithAnd) cannot be measured on so few transactions. Give "
          + "\(least.grouped) or more."
      )
    }
  }

  /// Returns the build for a path or a commit on the command line; `nil` if neither is given.
  private static func build(
    _ path: String?,
    _ commit: String?,
    _ names: String
  ) throws(LabError) -> Build? {
    guard path == nil || commit == nil else {
      throw .usage("\(names) are two ways to name one build: leave out one.")
    }
    return path.map { .executable($0) } ?? commit.map { .commit($0) }
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
        "bench compare needs a benchmark that is measured in rounds, unlike \(only.joinedWithAnd).",
        try: "bench list"
      )
    }
    return subjects
  }
}

extension ValueReader where Value == String {
  package static let commit = text("COMMIT", "a commit, a branch or a tag")
}

extension BenchCompareVerb {
  static let spec = VerbSpec(
    name: "bench compare",
    sentence: "Compares two builds by launching them in turn.",
    examples: [
      Example("bench compare --base main", "Compares this build with one of `main`."),
      Example("bench compare old/history-lab new/history-lab", "Compares two existing builds."),
      Example("bench compare --base HEAD~1 --only fetch", "Compares only the benchmarks of fetch."),
    ]
  ) { BenchCompareVerb(options: $0, composition: $1, terminal: $2) }
}

/// Compares two builds of the command.
struct BenchCompareVerb: Verb {
  let options: BenchCompareOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    if !options.leftOut.isEmpty {
      terminal.log(
        "history-lab: these benchmarks are left out, because they need a history of more than "
          + "\(options.historySize.grouped) transactions: \(options.leftOut.joinedWithAnd)"
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
    return try print(outcome)
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
    comparison.tolerance = options.tolerancePercent / 100
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
        throw LabError.lab(
          "this process is not history-lab, the executable that `bench compare` launches for this "
            + "build. Run the same command with history-lab."
        )
      }
      return command
    }
  }

  // MARK: Output

  private func print(_ outcome: BuildComparison.Outcome) throws(LabError) -> ExitCode {
    let changed = outcome.judged.filter { [.dearer, .cheaper].contains($0.verdict.answer) }
    let undecided = outcome.judged.filter { $0.verdict.answer == .undecided }
    if options.json {
      try printJSON(outcome)
    } else {
      printTimes(outcome, changed, undecided)
    }
    let counts =
      options.json
      ? CountText.code(of: outcome.counts) : CountText(terminal: terminal).print(outcome.counts)
    if changed.contains(where: { $0.verdict.answer == .dearer }) || counts == .violation {
      return .violation
    }
    return undecided.isEmpty ? counts : .undecided
  }

  private func printTimes(
    _ outcome: BuildComparison.Outcome,
    _ changed: [LaunchComparison.Judged],
    _ undecided: [LaunchComparison.Judged]
  ) {
    let suspects = outcome.judged.filter(\.verdict.wasSuspect)
    terminal.print(
      terminal.styled("Head compared with base", .bold)
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
        + "\(changed.count) differ by more than 1 % (confidence 99 %), "
        + "\(undecided.count) not decided."
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

  private func printJSON(_ outcome: BuildComparison.Outcome) throws(LabError) {
    let document = ComparisonDocument(outcome, seed: options.seed)
    terminal.print(try JSONText.document(document, named: "the comparison"))
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

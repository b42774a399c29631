import Basics
package import Commands
import HistoryBenchmarks
import Measuring
import Reporting

/// Builds the `history-lab` executable of a commit, in a worktree with its own scratch path.
///
/// Later calls for the same commit reuse the executable.
package struct CommitBuild {
  /// The repository, whose root is the root folder of the package.
  private let repository: GitRepository
  private let terminal: Terminal

  /// A build that failed.
  package struct Failure: Error, CustomStringConvertible {
    /// The command that failed, and its exit code.
    package let description: String
  }

  package init(root: String, terminal: Terminal) {
    repository = GitRepository(root: root)
    self.terminal = terminal
  }

  private var root: String { repository.root }

  /// Returns the path of a commit's executable and builds it if necessary.
  ///
  /// - Throws: a usage error when the commit does not exist, a lab error when git fails,
  ///   ``Failure``, and ``Interrupted``.
  package func executable(of commit: String) throws -> String {
    let name = try repository.fullName(of: commit)
    let folder = "\(root)/.build/commits/\(name)"
    let executable = folder + "/build/release/history-lab"
    if FilePath.state(of: executable) == .file { return executable }
    let short = String(name.prefix(12))
    terminal.log("Building \(commit == name ? short : "\(commit) (\(short))") in \(folder)")
    let source = folder + "/source"
    // An earlier build that was killed may have left its worktree.
    if FilePath.state(of: source) == .folder { try remove(source) }
    try OuterCommand.run(
      ["git", "-C", root, "worktree", "add", "--force", "--force", "--detach", source, name]
    )
    let words = [
      "swift", "build", "-c", "release", "--product", "history-lab", "--package-path", source,
      "--scratch-path", folder + "/build",
    ]
    let code = Result { try OuterCommand.start(words, output: OuterCommand.errors) }
    try remove(source)
    guard try code.get() == 0 else {
      throw Failure(description: try OuterCommand.sentence(words, code.get()))
    }
    return executable
  }

  private func remove(_ worktree: String) throws {
    // `--force` twice: git leaves a worktree locked if it is killed while creating it.
    let words = ["git", "-C", root, "worktree", "remove", "--force", "--force", worktree]
    try OuterCommand.run(words, isCleaningUp: true)
  }
}

/// The benchmarks whose CPU time, relative to raw SQLite in C, differs between two runs.
///
/// A benchmark is a suspect if the confidence intervals of this library's ratio in the two runs are
/// more than 5 % apart. Two runs are only two launches of a measuring process, which are too few to
/// judge times. Further launches of the suspects must decide.
struct TimeSuspects {
  /// A benchmark whose CPU time, relative to raw SQLite in C, differs between the two runs.
  ///
  /// `before` is the ratio in the baseline run, and `now` in the run that is compared with it.
  struct Suspect {
    let row: BenchmarkRow
    let before: Double
    let now: Double
  }

  let suspects: [Suspect]

  /// The least relative distance between the intervals of the two runs that makes a row a suspect.
  ///
  /// Two launches of the same build differ by about this margin.
  private static let margin = 0.05

  init(base: [BenchmarkRow], head: [BenchmarkRow]) {
    suspects = head.compactMap { row in
      guard row.metric == .cpu, row.contender == BenchmarkSubject.ours,
        let now = row.ratio?.interval,
        let was = base.first(where: { $0.isOfSameBenchmark(as: row) })?.ratio?.interval,
        now.lower > was.upper * (1 + Self.margin) || now.upper < was.lower / (1 + Self.margin)
      else { return nil }
      return Suspect(row: row, before: was.estimate, now: now.estimate)
    }
  }

  /// The names of the benchmarks in ``suspects``, grouped by the size of history, smallest first.
  ///
  /// Only benchmarks that further launches can measure are included; see ``undecidable``.
  var comparisons: [(historySize: Int, subjects: [String])] {
    let sizes = Dictionary(grouping: suspects, by: \.row.historySize)
    return sizes.sorted { $0.key < $1.key }.compactMap { size, suspects in
      let names = suspects.compactMap { Self.comparable($0.row)?.name }.uniqued
      return names.isEmpty ? nil : (size, names)
    }
  }

  /// The suspects that further launches cannot measure.
  ///
  /// A launch measures a benchmark only under the usual conditions (warm caches, for example). It
  /// measures only benchmarks that run the compared implementations in turn, and none that compares
  /// two layouts of the history.
  var undecidable: [Suspect] { suspects.filter { Self.comparable($0.row) == nil } }

  private static func comparable(_ row: BenchmarkRow) -> BenchmarkSubject? {
    guard row.axis == nil else { return nil }
    return Subjects.all.first { $0.isTitled(row.title) && LaunchProbe.canCompare($0) }
  }

  var table: ReportTable {
    var table = ReportTable(columns: [
      .text("benchmark"), .number("history"), .number("ratio before"), .number("ratio now"),
    ])
    for suspect in suspects {
      table.append([
        suspect.row.title, suspect.row.historySize.grouped, NumberText.ratio(suspect.before),
        NumberText.ratio(suspect.now),
      ])
    }
    return table
  }
}

extension BenchmarkRow {
  fileprivate func isOfSameBenchmark(as other: BenchmarkRow) -> Bool {
    title == other.title && contender == other.contender && metric == other.metric
      && historySize == other.historySize
  }
}

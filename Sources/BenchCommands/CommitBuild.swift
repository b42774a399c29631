import Basics
import Commands
import Foundation
import HistoryBenchmarks
import Measuring
import Programs
import Reporting

/// Builds the command of a commit in a worktree with its own scratch path.
///
/// Later calls for the same commit reuse the executable.
struct CommitBuild {
  /// The root folder of the package.
  let root: String
  let terminal: Terminal

  /// Returns the path of a commit's executable and builds it if necessary.
  ///
  /// - Throws: a usage error when the commit does not exist, a lab error when the build fails, and
  ///   ``Interrupted``.
  func executable(of commit: String) throws -> String {
    let name = try fullName(of: commit)
    let folder = "\(root)/.build/commits/\(name)"
    let executable = folder + "/build/release/history-lab"
    if FilePath.state(of: executable) == .file { return executable }
    terminal.log("Building \(commit) (\(name.prefix(12))) in \(folder)")
    let source = folder + "/source"
    // The worktree of an earlier build that was killed.
    if FilePath.state(of: source) == .folder { try remove(source) }
    try run(["git", "-C", root, "worktree", "add", "--force", "--force", "--detach", source, name])
    let result = Result {
      try run([
        "swift", "build", "-c", "release", "--product", "history-lab", "--package-path", source,
        "--scratch-path", folder + "/build",
      ])
    }
    try remove(source)
    try result.get()
    return executable
  }

  private func remove(_ worktree: String) throws {
    // `--force` twice: git leaves a worktree locked if it is killed while creating it.
    let words = ["git", "-C", root, "worktree", "remove", "--force", "--force", worktree]
    try run(words, isCleaningUp: true)
  }

  private func fullName(of commit: String) throws -> String {
    let output = Pipe()
    let revision = "\(commit)^{commit}"
    let words = ["git", "-C", root, "rev-parse", "--verify", "--quiet", revision]
    guard try start(words, output: output) == 0 else {
      throw LabError.usage("there is no commit \(commit.quoted) in \(root.quoted).")
    }
    try output.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func run(_ words: [String], isCleaningUp: Bool = false) throws {
    let code = try start(words, output: nil, isCleaningUp: isCleaningUp)
    guard code != 0 else { return }
    throw LabError.lab(
      "\(words.map(\.shellQuoted).joined(separator: " ")) ended with exit code \(code); its own "
        + "words stand above."
    )
  }

  /// Runs a command and waits for its end; without `output` it writes to standard error.
  ///
  /// The command ends with this process, however that ends. An interruption ends it too, unless
  /// `isCleaningUp` is `true`.
  private func start(
    _ words: [String],
    output: Pipe?,
    isCleaningUp: Bool = false
  ) throws -> Int32 {
    let line = words.map(\.shellQuoted).joined(separator: " ")
    let output = output?.fileHandleForWriting.fileDescriptor ?? STDERR_FILENO
    let code: Int32?
    do throws(ProgramError) {
      code = try KeptCommand.run(line, output: output) {
        isCleaningUp || !Interruption.isRequested
      }
    } catch {
      throw LabError.lab("\(words[0]) could not be run: \(error.clause)")
    }
    guard let code else { throw Interrupted() }
    return code
  }
}

/// The benchmarks whose ratio of CPU time to the floor differs between two runs.
///
/// A row of this library is a suspect if the intervals of the ratio are more than 5 % apart. Two
/// runs are only two launches, which decide nothing about times; the suspects are the benchmarks to
/// launch again.
struct TimeSuspects {
  /// A row that both runs contain, with its ratios.
  struct Suspect {
    let row: BenchmarkRow
    let before: Double
    let now: Double
  }

  let suspects: [Suspect]

  /// The least relative distance between intervals that makes a row a suspect.
  ///
  /// Launches of one build differ by about as much.
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

  /// The suspects that launches can compare, grouped by the size of history, the smallest first.
  var comparisons: [(historySize: Int, subjects: [String])] {
    let sizes = Dictionary(grouping: suspects, by: \.row.historySize)
    return sizes.sorted { $0.key < $1.key }.compactMap { size, suspects in
      let names = suspects.compactMap { Self.comparable($0.row)?.name }.uniqued
      return names.isEmpty ? nil : (size, names)
    }
  }

  /// The suspects that launches cannot compare: not measured in rounds, or not at the base point.
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

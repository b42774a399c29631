import Basics
import Commands
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting

/// Repeats the exact counts and compares each repetition with the first.
struct ExactRepeats {
  private let first: [BenchmarkRow]
  /// The requested number of runs, the first included.
  let wanted: Int
  /// The number of completed runs, the first included.
  private(set) var done = 1
  /// The rows that differed from the first run, by name, with the number of runs in which they did.
  private(set) var differences: [(sentence: String, count: Int)] = []

  /// The maximum number of differences printed; the others are only counted.
  private static let shown = 20

  /// Starts with the rows of the first run.
  init(_ rows: [BenchmarkRow], wanted: Int) {
    first = rows
    self.wanted = wanted
  }

  /// The number of rows that must be identical in every run.
  var rowCount: Int { first.count(where: \.isExact) }

  /// Whether all requested runs are complete.
  var isWhole: Bool { done == wanted }

  /// Repeats the run until the requested number is reached or it is interrupted.
  ///
  /// - Throws: a lab error when a benchmark fails.
  mutating func goOn(_ run: BenchmarkRun, _ terminal: Terminal) throws(LabError) {
    while done < wanted {
      let session = BenchSession(run: run, journal: nil, terminal: terminal)
      let outcome = try session.measure()
      guard outcome.isWhole else { return }
      note(outcome.rows)
      let rows = differences.count.counted("row differs", "rows differ")
      terminal.log("\(done) of \(wanted.counted("run")): \(rows)")
    }
  }

  /// Compares the rows of one more run with the first.
  mutating func note(_ rows: [BenchmarkRow]) {
    done += 1
    let comparison = ExactComparison(base: first, head: rows)
    let missing = comparison.missing.map {
      "\($0.title), \($0.contender): \($0.metric.name) missing"
    }
    for sentence in comparison.changes.map(\.name) + missing {
      if let place = differences.firstIndex(where: { $0.sentence == sentence }) {
        differences[place].count += 1
      } else {
        differences.append((sentence, 1))
      }
    }
    if comparison.new > 0 {
      differences.append(("\(comparison.new.counted("row")) that the first run has not", 1))
    }
  }

  /// One sentence that summarizes the comparison.
  var sentence: String {
    let runs = "\(done) of \(wanted.counted("run"))"
    if rowCount == 0 { return "nothing exact was counted" }
    if wanted == 1 { return "\(rowCount.counted("exact row was", "exact rows were")) counted" }
    guard differences.isEmpty else {
      return
        "\(differences.count.grouped) of \(rowCount.counted("exact row differs", "exact rows differ")) in \(runs)"
    }
    return "\(rowCount.counted("exact row is", "exact rows are")) identical in \(runs)"
  }

  /// The differences to print, at most 20, and the number of the others.
  var sentences: [String] {
    let more = differences.count - Self.shown
    return differences.prefix(Self.shown).map { "\($0.sentence), in \($0.count) of \(done - 1)" }
      + (more > 0 ? ["\(more) more"] : [])
  }
}

/// Finds the results of a benchmark run.
enum BenchSource {
  /// Returns the results in a run's folder, or without a folder those of the newest run.
  ///
  /// - Throws: a usage error when no such run exists, it cannot be read, or it has no rows.
  static func results(_ folder: String?, runs: String) throws(LabError) -> BenchmarkResults {
    if let folder {
      let results = try read(folder + "/results.json")
      if results.rows.isEmpty { throw nothingMeasured(folder) }
      return results
    }
    guard FilePath.state(of: runs) == .folder else { throw noRun(runs) }
    let folders = try RunFolders.runs(in: runs).sorted {
      RunFolders.name(of: $0) > RunFolders.name(of: $1)
    }
    for folder in folders where RunDocument.refusal(of: folder) == nil {
      let file = folder + "/results.json"
      guard FilePath.state(of: file) == .file else { continue }
      let results = try read(file)
      // The user meant the newest run; an older one must not silently replace it.
      if results.rows.isEmpty { throw nothingMeasured(folder) }
      return results
    }
    throw noRun(runs)
  }

  /// Reads the results from a file.
  static func read(_ path: String) throws(LabError) -> BenchmarkResults {
    do throws(ResultsFileError) { return try ResultsFile.read(path: path) } catch {
      throw .usage("\(error.description).")
    }
  }

  private static func nothingMeasured(_ folder: String) -> LabError {
    .usage(
      "nothing was measured in the run \(folder.quoted); name another with --run.",
      try: "bench run --resume \(folder.shellQuoted)"
    )
  }

  private static func noRun(_ runs: String) -> LabError {
    .usage("\(runs.quoted) holds no run of the benchmarks.", try: "bench run")
  }
}

import Basics
import Commands
import Foundation
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting

/// Runs benchmarks and shows their progress, until they are complete or interrupted.
struct BenchSession {
  let run: BenchmarkRun
  /// The file with the results so far, from which a run can be resumed; `nil` if none is kept.
  let journal: BenchJournal?
  let terminal: Terminal

  /// The rows of the benchmarks measured so far, and of the noise check.
  struct Outcome {
    /// The benchmarks measured at all sizes, each with its rows.
    var measured: [(subject: BenchmarkSubject, rows: [BenchmarkRow])] = []
    /// The number of benchmarks in the run.
    var subjectCount = 0
    /// The rows of the noise check, which measures how much the times of equal work differ.
    var noise: [BenchmarkRow] = []

    var rows: [BenchmarkRow] { noise + measured.flatMap(\.rows) }
    var isWhole: Bool { measured.count == subjectCount }

    /// The reason why the noise makes the times inconclusive; `nil` if they are conclusive or the
    /// noise was not measured.
    var uncertainty: String? { NoiseFloor(noise)?.uncertainty }

    /// The verb in ``sentence``: `measured` or `counted`.
    var verb = "measured"

    /// One sentence that summarizes the session.
    var sentence: String {
      if !isWhole { return "ended early: \(measured.count) of \(subjectCount) were \(verb)" }
      if let uncertainty { return "inconclusive: \(uncertainty)" }
      return "\(subjectCount.counted("benchmark was", "benchmarks were")) \(verb)"
    }
  }

  /// Measures the benchmarks whose results ``journal`` does not contain yet.
  ///
  /// - Throws: a lab error when a benchmark fails, or when the implementations that it compares did
  ///   different work.
  func measure() throws(LabError) -> Outcome {
    var outcome = Outcome(subjectCount: self.run.subjects.count)
    if !self.run.measuresTime { outcome.verb = "counted" }
    outcome.measured = try (journal?.read() ?? []).compactMap { entry in
      self.run.subjects.first { $0.name == entry.subject }.map { ($0, entry.rows) }
    }
    let held = Set(outcome.measured.map(\.subject.name))
    var run = self.run
    run.subjects.removeAll { held.contains($0.name) }
    let building = ProgressBar(
      WorkState("building stores", unit: "transactions", total: run.transactionCount),
      on: terminal
    )
    var measuring: ProgressBar?
    var working: (work: LongWork, bar: ProgressBar)?
    defer { terminal.setStatus(nil) }
    do {
      try run.run { event in
        if Interruption.isRequested { throw Interrupted() }
        switch event {
        case .built(let transactions): building.advance(by: transactions)
        case .checkedNoise(let rows): outcome.noise = rows
        case .began(let subject):
          let bar = measuring ?? measuringBar(run.subjects.count)
          bar.advance(by: 0, note: subject.name)
          measuring = bar
        case .measures: measuring?.advance(by: 0)
        case .advanced(let work, let count):
          let bar = working.flatMap { $0.work == work ? $0.bar : nil } ?? bar(of: work)
          bar.advance(by: count)
          working = (work, bar)
        case .measured(let subject, let rows):
          try journal?.append(subject, rows)
          outcome.measured.append((subject, rows))
          measuring?.advance()
        }
      }
    } catch is Interrupted {
      terminal.log("Stopping early; the results so far are kept.")
    } catch let error as LabError {
      throw error
    } catch {
      // Ctrl-C also ends helper processes, possibly before this process handles its own signal.
      guard Interruption.isRequested else { throw .lab("the benchmarks failed: \(error)") }
      terminal.log("Stopping early; the results so far are kept.")
    }
    return outcome
  }

  /// Creates the progress bar for measuring.
  ///
  /// The bar starts only after the stores are built, so that the remaining time is estimated
  /// correctly.
  private func measuringBar(_ count: Int) -> ProgressBar {
    let verb = run.measuresTime ? "measuring" : "counting"
    return ProgressBar(WorkState(verb, unit: "benchmarks", total: count), on: terminal)
  }

  private func bar(of work: LongWork) -> ProgressBar {
    ProgressBar(WorkState(work.title, unit: work.unit, total: work.total), on: terminal)
  }
}

/// A file with the results so far of an unfinished run: one line of JSON for each measured benchmark.
///
/// Each line is written as soon as its benchmark is measured, so that an interrupted run can be
/// resumed. The file exists from the start of a run until its completion, and so marks the run as
/// incomplete.
struct BenchJournal {
  /// One line of the journal: a benchmark with its rows.
  struct Entry: Codable {
    let subject: String
    let rows: [BenchmarkRow]
  }

  let path: String

  /// Creates the journal for a run's folder; the file is not touched.
  init(in folder: String) { path = folder + "/measured.jsonl" }

  /// Whether the journal's file exists, which means that the run is incomplete.
  var isThere: Bool { FilePath.state(of: path) != .absent }

  /// Creates an empty journal file if the run's folder has none.
  ///
  /// - Throws: a lab error when the file cannot be written.
  func begin() throws(LabError) {
    guard !isThere else { return }
    try write { try Data().write(to: URL(fileURLWithPath: path)) }
  }

  /// Reads the entries, up to the first line that cannot be decoded.
  ///
  /// A line that was cut short cannot be decoded. The file is rewritten without that line and those
  /// after it. A missing or unreadable file has no entries.
  ///
  /// - Throws: a lab error when the shortened file cannot be written.
  func read() throws(LabError) -> [Entry] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    var entries: [Entry] = []
    var whole = Data()
    for line in data.split(separator: UInt8(ascii: "\n")) {
      do { entries.append(try JSONDecoder().decode(Entry.self, from: Data(line))) } catch { break }
      whole += line + [UInt8(ascii: "\n")]
    }
    if whole != data { try write { try whole.write(to: URL(fileURLWithPath: path)) } }
    return entries
  }

  /// Appends the rows of a benchmark.
  ///
  /// - Throws: a lab error when the file cannot be written.
  func append(_ subject: BenchmarkSubject, _ rows: [BenchmarkRow]) throws(LabError) {
    try begin()
    try write {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.seekToEnd()
      let entry = Entry(subject: subject.name, rows: rows)
      try file.write(contentsOf: try JSONEncoder().encode(entry) + [UInt8(ascii: "\n")])
      try file.close()
    }
  }

  /// Removes the journal's file after a run is complete.
  ///
  /// Other files then contain the run's results. A file that does not exist is no error.
  ///
  /// - Throws: a lab error when the file cannot be removed.
  func remove() throws(LabError) {
    guard isThere else { return }
    try write { try FileManager.default.removeItem(atPath: path) }
  }

  private func write(_ body: () throws -> Void) throws(LabError) {
    do { try body() } catch {
      throw .unwritable(path, error)
    }
  }
}

/// Repeats the exact counts and compares each repetition with the first.
struct ExactRepeats {
  private let first: [BenchmarkRow]
  /// The requested number of runs, including the first.
  let wanted: Int
  /// The number of completed runs, including the first.
  private(set) var done = 1
  /// The differences between the rows of later runs and those of the first run, in words.
  ///
  /// `count` is the number of runs with the difference.
  private(set) var differences: [(sentence: String, count: Int)] = []

  /// The maximum number of differences printed; the rest is only counted.
  private static let shown = 20

  /// Creates the comparison from the rows of the first run.
  ///
  /// `wanted` is the requested number of runs, including the first.
  init(_ rows: [BenchmarkRow], wanted: Int) {
    first = rows
    self.wanted = wanted
  }

  /// The number of rows that must be identical in every run.
  var rowCount: Int { first.count(where: \.isExact) }

  /// Whether all requested runs are complete.
  var isWhole: Bool { done == wanted }

  /// Repeats the run until ``wanted`` runs are complete, or until a repetition is interrupted.
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

  /// Compares the rows of one more run with the rows of the first run.
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
      differences.append(("\(comparison.new.counted("row")) that the first run lacks", 1))
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

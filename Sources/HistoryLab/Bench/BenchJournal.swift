import Foundation
import HistoryBenchmarks
import Measuring

/// The results so far of an unfinished benchmark run: one line of JSON for each measured benchmark.
///
/// Each line is written as soon as its benchmark is measured, so that an interrupted run can be
/// resumed. The file exists from the start of a run until its completion, and so marks the run as
/// incomplete.
struct BenchJournal {
  /// One benchmark with its rows.
  struct Entry: Codable {
    let subject: String
    let rows: [BenchmarkRow]
  }

  let path: String

  /// Creates the journal for a run's folder; the file is not touched.
  init(in folder: String) { path = folder + "/measured.jsonl" }

  /// Whether the file exists, which means that the run is incomplete.
  var isThere: Bool { FilePath.state(of: path) != .absent }

  /// Creates the file if it does not exist.
  ///
  /// - Throws: a lab error when it cannot be written.
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

  /// Removes the file of a complete run, whose results are in its other files.
  ///
  /// - Throws: a lab error when it cannot be removed.
  func remove() throws(LabError) {
    guard isThere else { return }
    try write { try FileManager.default.removeItem(atPath: path) }
  }

  private func write(_ body: () throws -> Void) throws(LabError) {
    do { try body() } catch {
      throw .lab("\(path.quoted) cannot be written: \(error.localizedDescription)")
    }
  }
}

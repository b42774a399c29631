import Foundation
import HistoryBenchmarks
import Measuring

/// What a run of the benchmarks has measured so far: one line of JSON a benchmark, each written as soon
/// as it is measured, so that a run that is killed can be taken up.
///
/// It is there from the beginning of a run until the run is whole, which tells both apart.
struct BenchJournal {
  /// One benchmark with its rows.
  struct Entry: Codable {
    let subject: String
    let rows: [BenchmarkRow]
  }

  let path: String

  /// The journal of a run's folder.
  init(in folder: String) { path = folder + "/measured.jsonl" }

  /// Whether the run is not whole yet.
  var isThere: Bool { FilePath.state(of: path) != .absent }

  /// Makes the file where there is none.
  ///
  /// - Throws: a lab error when it cannot be written.
  func begin() throws(LabError) {
    guard !isThere else { return }
    try write { try Data().write(to: URL(fileURLWithPath: path)) }
  }

  /// Reads what was measured; a last line that was cut short is left out, and taken away.
  ///
  /// - Throws: a lab error when the file cannot be read or mended.
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

  /// Adds a benchmark.
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

  /// Removes the file: the run is whole, and its results hold everything.
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

import Basics
import Foundation
package import Measuring

/// Reads and writes `results.json`, from which every report can be reproduced.
package enum ResultsFile {
  /// Returns results as JSON with sorted keys.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
  package static func json(_ results: BenchmarkResults) throws -> String {
    try JSONText.of(results) + "\n"
  }

  /// Reads benchmark results that this version or an older version wrote.
  ///
  /// - Throws: `ResultsFileError` with the file's path and the reason.
  package static func read(path: String) throws(ResultsFileError) -> BenchmarkResults {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ResultsFileError(path: path, reason: "the file cannot be read")
    }
    do {
      return try JSONDecoder().decode(BenchmarkResults.self, from: data)
    } catch {
      throw ResultsFileError(path: path, reason: DocumentFault.reason(of: error))
    }
  }
}

/// The reason why a file cannot be read as benchmark results.
package struct ResultsFileError: Error, Equatable, CustomStringConvertible {
  package var path: String
  /// The reason without a full stop, such as `the file cannot be read`.
  package var reason: String

  /// The path, the reason and a suggestion as one line of text.
  package var description: String {
    "\(path) cannot be read as benchmark results: \(reason); pass a results.json that bench run wrote"
  }
}

/// An index of benchmark results by benchmark.
///
/// The index exists because a page finds rows thousands of times, and a row computes its title each
/// time.
struct ResultsIndex: Sendable {
  /// The titles of the benchmarks, in the order of their first row.
  let titles: [String]
  /// The titles of the benchmarks that were measured in the base condition; if none, all titles.
  ///
  /// In the base condition, ``BenchmarkRow/axis`` is `nil`.
  let baseTitles: [String]
  /// The titles of the benchmarks that have a curve over the sizes.
  ///
  /// These are the benchmarks that were measured at the most history sizes, and all benchmarks whose
  /// sizes have a unit other than transactions, such as members.
  let titlesWithSeries: Set<String>
  /// The conditions with which all ``baseTitles`` end, the last condition first.
  ///
  /// Commas separate the parts of a title, as in `Store.fetch after token, 10 new, warm, tmpfs`: an
  /// operation, then its conditions.
  let sharedEnding: [String]

  private let rows: [String: [BenchmarkRow]]

  /// Creates the index: groups the rows by the title of their benchmark, in one pass.
  ///
  /// - Complexity: O(n).
  init(_ results: BenchmarkResults) {
    var rows: [String: [BenchmarkRow]] = [:]
    var titles: [String] = []
    for row in results.rows {
      let title = row.title
      if rows[title] == nil { titles.append(title) }
      rows[title, default: []].append(row)
    }
    let sizeCounts = rows.mapValues { Set($0.map(\.historySize)).count }
    let sized = Set(titles.filter { rows[$0]?.first?.sizeUnit != nil })
    let most = sizeCounts.filter { !sized.contains($0.key) }.values.max()
    titlesWithSeries = Set(titles.filter { sized.contains($0) || sizeCounts[$0] == most })
    let base = titles.filter { rows[$0]?.contains { $0.axis == nil } ?? false }
    baseTitles = base.isEmpty ? titles : base
    sharedEnding = Self.ending(of: baseTitles)
    self.titles = titles
    self.rows = rows
  }

  /// Returns the rows of a benchmark, in the order of measurement.
  func rows(titled title: String) -> [BenchmarkRow] { rows[title] ?? [] }

  /// Returns the rows of a benchmark, grouped by contender, in the order of measurement.
  func byContender(_ title: String) -> [(contender: String, rows: [BenchmarkRow])] {
    let all = rows(titled: title)
    return all.map(\.contender).uniqued
      .map { contender in (contender, all.filter { $0.contender == contender }) }
  }

  /// Returns the conditions with which all titles end, the last condition first.
  ///
  /// Commas separate the parts of a title, as in `Store.fetch after token, 10 new, warm, tmpfs`. The
  /// first part is the operation, and the others are conditions. The result is empty for fewer than
  /// two titles.
  private static func ending(of titles: [String]) -> [String] {
    guard titles.count > 1 else { return [] }
    let parts = titles.map { $0.split(separator: ", ").map(String.init) }
    let most = (parts.map(\.count).min() ?? 1) - 1
    var ending: [String] = []
    while ending.count < most, let last = parts[0].dropLast(ending.count).last,
      parts.allSatisfy({ $0.dropLast(ending.count).last == last })
    {
      ending.append(last)
    }
    return ending
  }
}

/// Explains errors in JSON documents.
package enum DocumentFault {
  /// Returns the reason why a JSON document could not be decoded, such as `it is not JSON`.
  package static func reason(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return error.localizedDescription }
    switch error {
    case .keyNotFound(let key, let context):
      return "the key \(place(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return context.codingPath.isEmpty
        ? "it has another structure"
        : "the value at \(place(context.codingPath)) is of another type"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty ? "it is not JSON" : context.debugDescription
    @unknown default: return "it cannot be decoded"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}

/// The JSON that the lab writes, with sorted keys, so that two versions of a file differ little.
package enum JSONText {
  /// Returns a value as JSON on several lines, without a line break at the end.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
  package static func of(_ value: some Encodable) throws -> String {
    try text(value, [.prettyPrinted])
  }

  /// Returns a value as JSON on one line.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
  package static func line(_ value: some Encodable) throws -> String { try text(value, []) }

  /// Returns a value as JSON on several lines, with keys in snake case.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
  static func snakeCased(_ value: some Encodable) throws -> String {
    try text(value, [.prettyPrinted], .convertToSnakeCase)
  }

  private static func text(
    _ value: some Encodable,
    _ format: JSONEncoder.OutputFormatting,
    _ keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = format.union([.sortedKeys, .withoutEscapingSlashes])
    encoder.keyEncodingStrategy = keys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

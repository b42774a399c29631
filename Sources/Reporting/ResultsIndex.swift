import Measuring

/// An index of results by benchmark.
///
/// A page looks up rows thousands of times, and a row computes its title on each access.
struct ResultsIndex: Sendable {
  /// The titles of the benchmarks, in the order of their first row.
  let titles: [String]
  /// The titles of the benchmarks at the base point, or all titles if none was measured there.
  let baseTitles: [String]
  /// The titles of the benchmarks that were measured at the full number of history sizes.
  let titlesWithCourse: Set<String>
  /// The common trailing parts of the titles at the base point, the last part first.
  let sharedEnding: [String]

  private let rows: [String: [BenchmarkRow]]

  /// Creates the index in one pass over the rows.
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
    let most = sizeCounts.values.max()
    titlesWithCourse = Set(titles.filter { sizeCounts[$0] == most })
    let base = titles.filter { rows[$0]?.contains { $0.axis == nil } ?? false }
    baseTitles = base.isEmpty ? titles : base
    sharedEnding = Self.ending(of: baseTitles)
    self.titles = titles
    self.rows = rows
  }

  /// Returns the rows of a benchmark, in the order of measurement.
  func rows(titled title: String) -> [BenchmarkRow] { rows[title] ?? [] }

  /// Returns the rows of a benchmark by contender, in the order of measurement.
  func byContender(_ title: String) -> [(contender: String, rows: [BenchmarkRow])] {
    let all = rows(titled: title)
    return all.map(\.contender).uniqued
      .map { contender in (contender, all.filter { $0.contender == contender }) }
  }

  /// Returns the common trailing parts of titles, last one first; each title keeps its first part.
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

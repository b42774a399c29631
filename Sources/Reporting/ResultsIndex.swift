import Measuring

/// The rows of results by benchmark, found once: a page asks for them thousands of times, and a row
/// makes its title anew whenever it is asked.
struct ResultsIndex: Sendable {
  /// The titles of the benchmarks, in the order of their first row.
  let titles: [String]
  /// The same of the benchmarks at the base point, or all where none is measured there.
  let baseTitles: [String]
  /// The benchmarks that were measured at as many sizes of history as any.
  let titlesWithCourse: Set<String>
  /// What the titles at the base point all end with, the last part first.
  let sharedEnding: [String]

  private let rows: [String: [BenchmarkRow]]

  /// Goes through the rows once.
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

  /// The rows of a benchmark, in the order of measuring.
  func rows(titled title: String) -> [BenchmarkRow] { rows[title] ?? [] }

  /// A benchmark's rows of one contender, by contender, in the order of measuring.
  func byContender(_ title: String) -> [(contender: String, rows: [BenchmarkRow])] {
    let all = rows(titled: title)
    return all.map(\.contender).uniqued
      .map { contender in (contender, all.filter { $0.contender == contender }) }
  }

  /// The parts that all titles end with, the last one first; no title is all ending.
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

/// The committed counts of one contender, by benchmark, metric and size of history.
///
/// They are valid for one operating system, architecture, compiler and SQLite version, because each
/// of these affects the number of allocations or how a statement runs.
package struct CountThresholds: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

  /// The version of the format.
  package private(set) var thresholds = CountThresholds.formatVersion
  /// The platform for which the counts are valid: `linux-x86_64-swift6.3.1-sqlite3.40.1`.
  package var platform: String
  /// The counts by title, metric and size of history.
  package var counts: [String: [String: [String: Double]]]

  /// Creates thresholds from the counts of a run.
  package init(_ rows: [BenchmarkRow], of contender: String, platform: String) {
    self.platform = platform
    counts = [:]
    for row in rows where row.isExact && row.contender == contender {
      guard let value = row.samples.max() else { continue }
      counts[row.title, default: [:]][row.metric.name, default: [:]]["\(row.historySize)"] = value
    }
  }

  /// Compares the counts of a run with the thresholds as the base.
  package func compare(
    _ rows: [BenchmarkRow],
    of contender: String,
    tolerance: Double
  ) -> ExactComparison {
    let mine = rows.filter { $0.isExact && $0.contender == contender }
    var base: [BenchmarkRow] = []
    for row in mine {
      guard let value = counts[row.title]?[row.metric.name]?["\(row.historySize)"] else { continue }
      var threshold = row
      threshold.samples = [value]
      base.append(threshold)
    }
    return ExactComparison(base: base, head: mine, tolerance: tolerance)
  }

  /// Returns the thresholds for which a run has no count.
  ///
  /// Only benchmarks and sizes that the run measured are included.
  package func unmet(by rows: [BenchmarkRow]) -> [String] {
    let titles = Set(rows.map(\.title))
    var held: Set<[String]> = []
    for row in rows { held.insert([row.title, row.metric.name, "\(row.historySize)"]) }
    let sizes = Set(rows.map { "\($0.historySize)" })
    return counts.flatMap { title, metrics in
      metrics.flatMap { metric, values in
        values.keys.filter {
          titles.contains(title) && sizes.contains($0) && !held.contains([title, metric, $0])
        }.map { "\(title), \(metric) at \($0)" }
      }
    }.sorted()
  }
}

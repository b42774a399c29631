/// A comparison of a build's exact counts, such as allocations, with an older build or thresholds.
///
/// The compared build is called the head. The older build, or the thresholds, are called the base.
package struct ExactComparison: Sendable {
  /// A count of the head that differs from the count of the base in the same row.
  package struct CountChange: Sendable, Hashable {
    /// The row with the count of the old build, or with the threshold.
    package let base: BenchmarkRow
    /// The row with the count of the new build.
    package let head: BenchmarkRow

    /// Whether the count has risen.
    package var isDearer: Bool { value(head) > value(base) }

    /// The benchmark, contender, size and metric.
    package var name: String {
      "\(head.title), \(head.contender), \(head.historySize) transactions: \(head.metric.name)"
    }

    /// A sentence with the benchmark, contender and size, and the new and the old count.
    package var sentence: String {
      let (before, after) = (value(base), value(head))
      return "\(head.title), \(head.contender), \(head.historySize) transactions: "
        + "\(text(after)) \(head.metric.name), before \(text(before))"
    }

    /// A sentence with the operation, and the new and the old count.
    package var brief: String {
      let name = head.operation.isEmpty ? head.subject : "\(head.subject) \(head.operation)"
      return "\(name): \(text(value(head))) \(head.metric.name), before \(text(value(base)))"
    }

    /// Returns whether the count differs by more than a share of the base count.
    func exceeds(_ tolerance: Double) -> Bool {
      tolerance == 0
        ? base.samples != head.samples
        : abs(value(head) - value(base)) > tolerance * abs(value(base))
    }

    private func value(_ row: BenchmarkRow) -> Double { row.samples.max() ?? 0 }

    private func text(_ value: Double) -> String {
      let hundredths = (value * 100).rounded() / 100
      return hundredths == hundredths.rounded() && abs(hundredths) < 1e15
        ? String(Int(hundredths)) : String(hundredths)
    }
  }

  /// The counts that differ, in the order of the new build's rows.
  package private(set) var changes: [CountChange] = []
  /// The number of counts that were compared.
  package private(set) var compared = 0
  /// The counts of the base (the old build or the thresholds) that the new build's results lack.
  package private(set) var missing: [BenchmarkRow] = []
  /// The number of counts of the new build that the base lacks.
  package private(set) var new = 0

  private struct Key: Hashable {
    let title: String
    let contender: String
    let historySize: Int
    let metric: Metric

    init(_ row: BenchmarkRow) {
      title = row.title
      contender = row.contender
      historySize = row.historySize
      metric = row.metric
    }
  }

  /// Compares the rows that must be the same in every run, and ignores rows that may vary.
  ///
  /// Differences within the tolerance, a share of the base count, are ignored.
  ///
  /// - Complexity: O(n).
  package init(base: [BenchmarkRow], head: [BenchmarkRow], tolerance: Double = 0) {
    var left: [Key: BenchmarkRow] = [:]
    for row in base where row.isExact { left[Key(row)] = row }
    for row in head where row.isExact {
      guard let before = left.removeValue(forKey: Key(row)) else {
        new += 1
        continue
      }
      compared += 1
      let change = CountChange(base: before, head: row)
      if change.exceeds(tolerance) { changes.append(change) }
    }
    let isLeft = { (row: BenchmarkRow) in left[Key(row)] != nil }
    missing = base.filter { $0.isExact && isLeft($0) }
  }

  /// The counts that have risen.
  package var dearer: [CountChange] { changes.filter(\.isDearer) }

  /// The counts that have fallen.
  package var cheaper: [CountChange] { changes.filter { !$0.isDearer } }
}

/// The accepted counts of one contender, by benchmark, metric and size of history.
///
/// A contender is a measured implementation, such as this project's store. The repository keeps the
/// counts, and later runs are compared with them.
///
/// The counts are valid for one operating system, architecture, compiler and SQLite version,
/// because each of these affects the number of allocations or how a statement runs.
package struct CountThresholds: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

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

  /// Compares one contender's counts in a run with its accepted counts (the thresholds).
  package func compare(
    _ rows: [BenchmarkRow],
    of contender: String,
    tolerance: Double
  ) -> ExactComparison {
    let mine = rows.filter { $0.isExact && $0.contender == contender }
    return ExactComparison(base: self.rows(for: mine), head: mine, tolerance: tolerance)
  }

  /// Returns copies of rows in which the accepted count (threshold) replaces the measured count.
  ///
  /// Rows without a threshold are left out.
  package func rows(for rows: [BenchmarkRow]) -> [BenchmarkRow] {
    rows.compactMap { row in
      guard let value = counts[row.title]?[row.metric.name]?["\(row.historySize)"] else {
        return nil
      }
      var threshold = row
      threshold.samples = [value]
      return threshold
    }
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

/// Compares the counts of two programs, or of one with what was allowed before: any difference counts.
package struct ExactComparison: Sendable {
  /// A count that differs.
  package struct Finding: Sendable, Hashable {
    /// The count as it was, or as it may be.
    package let base: BenchmarkRow
    /// The count as it is.
    package let head: BenchmarkRow

    /// Whether the count has risen.
    package var isDearer: Bool { value(head) > value(base) }

    /// What was counted: who does what at which size.
    package var name: String {
      "\(head.title), \(head.contender), \(head.historySize) transactions: \(head.metric.name)"
    }

    /// Who does what at which size, and what was counted before and now.
    package var sentence: String {
      let (before, after) = (value(base), value(head))
      return "\(head.title), \(head.contender), \(head.historySize) transactions: "
        + "\(text(after)) \(head.metric.name), before \(text(before))"
    }

    /// The same without size and conditions.
    package var brief: String {
      let name = head.operation.isEmpty ? head.subject : "\(head.subject) \(head.operation)"
      return "\(name): \(text(value(head))) \(head.metric.name), before \(text(value(base)))"
    }

    /// Whether the count differs by more than a share of what it was.
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

  /// What differs, in the order of the head's rows.
  package private(set) var findings: [Finding] = []
  /// How many counts were compared.
  package private(set) var compared = 0
  /// Counts that the base has and the head has not.
  package private(set) var missing: [BenchmarkRow] = []
  /// How many counts the head has and the base has not.
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

  /// Compares the rows that must be the same in every run; rows that may vary are passed over.
  ///
  /// A difference within the tolerance, a share of the base, is none.
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
      let finding = Finding(base: before, head: row)
      if finding.exceeds(tolerance) { findings.append(finding) }
    }
    let isLeft = { (row: BenchmarkRow) in left[Key(row)] != nil }
    missing = base.filter { $0.isExact && isLeft($0) }
  }

  /// The counts that have risen.
  package var dearer: [Finding] { findings.filter(\.isDearer) }

  /// The counts that have fallen.
  package var cheaper: [Finding] { findings.filter { !$0.isDearer } }
}

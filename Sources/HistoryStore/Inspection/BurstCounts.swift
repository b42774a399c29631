/// Bursts of transactions: runs in which each was written shortly after the one before.
///
/// They are the load that a reader which is notified of each commit has to keep up with.
package struct BurstCounts: Sendable, Hashable {
  /// The maximum time between two transactions of one burst, in seconds.
  package static let gapMax = 1.0

  /// The number of transactions of each burst, at least two.
  package private(set) var sizes = ValueHistogram()
  /// The number of transactions that belong to bursts.
  package private(set) var transactions = 0
  private var current: Int64 = 1

  package init() {}

  /// Adds the time in seconds between a transaction and the next; `nil` where time stepped back.
  package mutating func add(gap: Double?) {
    if let gap, gap <= Self.gapMax {
      current += 1
    } else {
      finish()
    }
  }

  /// Finishes the burst that contains the last transactions.
  package mutating func finish() {
    if current > 1 {
      sizes.add(current)
      transactions += Int(current)
    }
    current = 1
  }
}

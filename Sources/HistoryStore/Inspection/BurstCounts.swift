/// Runs of transactions that were written close after one another: what a reader that is told of each
/// commit has to keep up with.
package struct BurstCounts: Sendable, Hashable {
  /// The longest time between two transactions of one burst, in seconds.
  package static let gapMax = 1.0

  /// How many transactions each burst has, two at least.
  package private(set) var sizes = ValueHistogram()
  /// How many transactions lie in bursts.
  package private(set) var transactions = 0
  private var current: Int64 = 1

  package init() {}

  /// Counts the time between a transaction and the next, in seconds; nothing where time stepped back.
  package mutating func add(gap: Double?) {
    if let gap, gap <= Self.gapMax {
      current += 1
    } else {
      finish()
    }
  }

  /// Counts the burst that the last transactions are of.
  package mutating func finish() {
    if current > 1 {
      sizes.add(current)
      transactions += Int(current)
    }
    current = 1
  }
}

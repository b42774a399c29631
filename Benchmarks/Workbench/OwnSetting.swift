/// What a benchmark works with that builds its own stores.
struct OwnSetting {
  let scratch: ScratchFolder
  let seed: UInt64
  /// By how much the stores are smaller than they should be for a good measurement.
  let haste: Int
  /// Told how much more of which work is done; what it throws ends the benchmark.
  let advance: (LongWork, Int) throws -> Void

  /// The size of a store, in transactions.
  func size(_ transactions: Int) -> Int { max(100, transactions / haste / haste) }
}

/// Work within one benchmark that is long enough to be watched.
package struct LongWork: Sendable, Hashable {
  /// What is being done.
  package let title: String
  /// What is counted, in the plural.
  package let unit: String
  /// How many there will be.
  package let total: Int
}

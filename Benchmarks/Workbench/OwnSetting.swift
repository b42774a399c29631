/// The environment of a benchmark that builds its own stores.
struct OwnSetting {
  let scratch: ScratchFolder
  let seed: UInt64
  /// The divisor of the stores' sizes, applied twice; 1 for precise results.
  let haste: Int
  /// Receives the progress of a long task; an error that it throws ends the benchmark.
  let advance: (LongWork, Int) throws -> Void

  /// Returns the actual size of a store for a planned one, in transactions.
  func size(_ transactions: Int) -> Int { max(100, transactions / haste / haste) }
}

/// A task within one benchmark that is long enough to show its progress.
package struct LongWork: Sendable, Hashable {
  /// A description of the task.
  package let title: String
  /// The unit of progress, in the plural.
  package let unit: String
  /// The total number of units.
  package let total: Int
}

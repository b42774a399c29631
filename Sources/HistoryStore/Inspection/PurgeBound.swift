/// The bound of a purge: it deletes only transactions strictly before it.
package enum PurgeBound: Sendable, Hashable {
  /// Transactions with lower numbers.
  case number(Int64)
  /// Transactions that were written earlier, in seconds since 2001-01-01 UTC.
  case timestamp(Double)
  /// Transactions that were written more than this many days before the newest one.
  case days(Double)
}

/// The effect of a purge on a history, computed without deleting anything.
package struct PurgeEstimate: Sendable, Hashable {
  /// The requested bound.
  package let bound: PurgeBound
  /// The bound as a point in time, in seconds since 2001-01-01 UTC.
  ///
  /// `nil` for a number, and for days when the newest transaction has no timestamp.
  package internal(set) var timestamp: Double?
  /// The number of transactions that would be deleted.
  package internal(set) var transactions = 0
  /// The number of changes that would be deleted with them.
  package internal(set) var changes = 0
  /// The number of transactions before the bound that would be kept.
  ///
  /// A transaction is kept when members have not merged it, its author is protected, or it is the
  /// newest.
  package internal(set) var heldBack = 0
  /// The approximate size in bytes of the pages that would become free for later writes.
  ///
  /// `nil` when this build of SQLite cannot measure tables. The file keeps its size until `VACUUM`.
  package var bytes: Int64?

  package init(bound: PurgeBound, timestamp: Double? = nil) {
    self.bound = bound
    self.timestamp = timestamp
  }
}

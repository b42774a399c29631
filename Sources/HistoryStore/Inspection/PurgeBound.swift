/// What a purge would delete: whatever was written before some point, strictly.
package enum PurgeBound: Sendable, Hashable {
  /// Transactions with lower numbers.
  case number(Int64)
  /// Transactions that were written earlier, in seconds since 2001-01-01 UTC.
  case timestamp(Double)
  /// Transactions that were written so many days before the newest one, or earlier still.
  case days(Double)
}

/// What a purge would do to a history, counted without doing it.
package struct PurgeEstimate: Sendable, Hashable {
  /// The bound as it was asked for.
  package let bound: PurgeBound
  /// The point in time that the bound comes to, in seconds since 2001-01-01 UTC; nothing for a number,
  /// and for days where nothing has a time.
  package internal(set) var timestamp: Double?
  /// How many transactions would go.
  package internal(set) var transactions = 0
  /// How many changes would go with them.
  package internal(set) var changes = 0
  /// How many transactions lie before the bound and would stay all the same: members have not merged
  /// them, their author is protected, or there is none newer.
  package internal(set) var heldBack = 0
  /// About how many bytes of pages would be free for later writes, or nothing when this SQLite cannot
  /// measure tables; the file keeps its size until `VACUUM`.
  package var bytes: Int64?

  package init(bound: PurgeBound, timestamp: Double? = nil) {
    self.bound = bound
    self.timestamp = timestamp
  }
}

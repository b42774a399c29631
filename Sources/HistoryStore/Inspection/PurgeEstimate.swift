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
///
/// The purge keeps the transactions of protected authors, those of a CloudKit mirror among them. In
/// a Core Data file, that requires a fetch request on the author.
package struct PurgeEstimate: Sendable, Hashable {
  /// The numbers of transactions before the bound that would be kept, by reason.
  package struct Kept: Sendable, Hashable {
    /// Transactions of protected authors.
    package var protected = 0
    /// Transactions that some active member has not merged.
    package var unmerged = 0
    /// The newest transaction, which a store of this library never purges.
    package var newest = 0

    package init() {}

    /// The total number of kept transactions.
    package var all: Int { protected + unmerged + newest }
  }

  /// A transaction as a position in history.
  package struct Position: Sendable, Hashable {
    package let number: Int64
    /// The timestamp in seconds since 2001-01-01 UTC, or `nil` when it is not a number.
    package let timestamp: Double?

    package init(number: Int64, timestamp: Double?) {
      self.number = number
      self.timestamp = timestamp
    }
  }

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
  /// The number of deletes among these changes that contain values of the deleted object.
  package internal(set) var tombstones = 0
  /// The transactions before the bound that would be kept.
  package internal(set) var kept = Kept()
  /// The newest transaction that would be deleted, or `nil` when there is none.
  package internal(set) var last: Position?
  /// The authors of the deleted transactions, by descending number of transactions.
  package internal(set) var authors: [AuthorCount] = []
  /// The protected authors of the kept transactions, by descending number of transactions.
  package internal(set) var protectedAuthors: [AuthorCount] = []
  /// The entities of the deleted changes, by descending number of changes.
  package internal(set) var entities: [EntityCount] = []
  /// The approximate size in bytes of the pages that would become free for later writes.
  ///
  /// `nil` when this build of SQLite cannot measure tables. The file keeps its size until `VACUUM`.
  package var bytes: Int64?

  package init(bound: PurgeBound, timestamp: Double? = nil) {
    self.bound = bound
    self.timestamp = timestamp
  }
}

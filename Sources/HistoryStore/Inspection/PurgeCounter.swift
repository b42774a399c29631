import SQLiteStorage

/// A transaction's weight in two tables, in any unit that is the same for all transactions.
struct RowWeight {
  /// Its weight in the table of transactions.
  var transaction = 0.0
  /// Its weight in the table of changes, or of chunks of them.
  var changes = 0.0

  static func += (left: inout RowWeight, right: RowWeight) {
    left.transaction += right.transaction
    left.changes += right.changes
  }
}

/// Counts the transactions that a purge would delete while a history is read.
struct PurgeCounter {
  private(set) var estimate: PurgeEstimate
  /// The last number that may be deleted.
  private let last: Int64
  private let protectedAuthors: Set<Int64>
  private var all = RowWeight()
  private var purged = RowWeight()

  /// Determines which transactions a purge of the file may delete.
  ///
  /// In a store of this library, these are the ones that every member has merged, without the
  /// newest transaction and those of protected authors. In other files, it may delete all.
  init(
    _ bound: PurgeBound,
    _ source: any HistorySource,
    _ connection: borrowing Connection,
    isOurs: Bool
  ) throws {
    let head = try source.newest(connection)
    switch bound {
    case .number: estimate = PurgeEstimate(bound: bound)
    case .timestamp(let time): estimate = PurgeEstimate(bound: bound, timestamp: time)
    case .days(let days):
      estimate = PurgeEstimate(bound: bound, timestamp: head.timestamp.map { $0 - days * 86400 })
    }
    guard isOurs else {
      (last, protectedAuthors) = (.max, [])
      return
    }
    let merged = try connection.integer(StoreStatement.watermark.sql(.packed))
    last = min(merged ?? .max, head.number - 1)
    protectedAuthors = try source.strings(connection, where: StoreConfiguration().isProtected)
  }

  /// Returns whether a transaction lies before the bound.
  private func isBefore(_ number: Int64, _ timestamp: Double?) -> Bool {
    if case .number(let first) = estimate.bound { return number < first }
    guard let timestamp, let bound = estimate.timestamp else { return false }
    return timestamp < bound
  }

  /// Counts the next transaction.
  mutating func add(
    _ number: Int64,
    _ timestamp: Double?,
    _ author: CensusBuilder.AuthorKey,
    changeCount: Int,
    _ weight: RowWeight
  ) {
    all += weight
    guard isBefore(number, timestamp) else { return }
    if case .string(let string) = author, protectedAuthors.contains(string) {
      estimate.heldBack += 1
    } else if number > last {
      estimate.heldBack += 1
    } else {
      estimate.transactions += 1
      estimate.changes += changeCount
      purged += weight
    }
  }

  /// Returns the estimate, with bytes in proportion to the weight in the tables.
  func finish(
    _ tables: [CensusStorage.Table]?,
    transactions: String,
    changes: String
  ) -> PurgeEstimate {
    var estimate = estimate
    func part(_ name: String, _ purged: Double, _ all: Double) -> Double {
      guard all > 0, let table = tables?.first(where: { $0.name == name }) else { return 0 }
      return Double(table.tableBytes + table.indexBytes) * purged / all
    }
    guard tables != nil else { return estimate }
    let bytes =
      part(transactions, purged.transaction, all.transaction)
      + part(changes, purged.changes, all.changes)
    estimate.bytes = Int64(bytes)
    return estimate
  }
}

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

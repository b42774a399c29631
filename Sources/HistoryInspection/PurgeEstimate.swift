import HistoryStore
import SQLiteStorage

/// The bound of a purge: the number or the time before which transactions are deleted.
package enum PurgeBound: Sendable, Hashable {
  /// Purges transactions with numbers below this one.
  case number(Int64)
  /// Purges transactions written before this time, in seconds since 2001-01-01 UTC.
  case timestamp(Double)
  /// Purges transactions written more than this many days before the newest one.
  case days(Double)
}

/// The effect of a purge on a history, computed without deleting anything.
///
/// The purge keeps the transactions of protected authors, including those of a CloudKit mirror. Core
/// Data itself keeps them only if the purge request has a fetch request that filters by author.
package struct PurgeEstimate: Sendable, Hashable {
  /// The counts of the transactions that precede the purge's bound but would be kept, by reason.
  package struct Kept: Sendable, Hashable {
    /// The number of transactions of protected authors.
    package var protected = 0
    /// The number of transactions that at least one active member has not merged.
    package var unmerged = 0
    /// 1 if the newest transaction is kept, which happens only in a store of this library; else 0.
    package var newest = 0

    package init() {}

    /// The total number of kept transactions.
    package var all: Int { protected + unmerged + newest }
  }

  /// The number and the timestamp of a transaction.
  package struct Position: Sendable, Hashable {
    package let number: Int64
    /// The timestamp in seconds since 2001-01-01 UTC, or `nil` if it is not a number.
    package let timestamp: Double?

    package init(number: Int64, timestamp: Double?) {
      self.number = number
      self.timestamp = timestamp
    }
  }

  package let bound: PurgeBound
  /// The time of ``bound``, before which transactions are deleted, in seconds since 2001-01-01 UTC.
  ///
  /// `nil` if the bound is a number, or if it is in days and the newest transaction has no
  /// timestamp.
  package internal(set) var timestamp: Double?
  /// The number of transactions that would be deleted.
  package internal(set) var transactions = 0
  /// The number of changes in the transactions that would be deleted.
  package internal(set) var changes = 0
  /// The number of deletes with a tombstone in the transactions that would be deleted.
  package internal(set) var tombstones = 0
  /// The counts of the transactions that precede the purge's bound but would be kept, by reason.
  package internal(set) var kept = Kept()
  /// The newest transaction that would be deleted, or `nil` if there is none.
  package internal(set) var last: Position?
  /// The authors of the transactions that would be deleted, by descending number of transactions.
  package internal(set) var authors: [AuthorCount] = []
  /// The protected authors of the kept transactions, by descending number of transactions.
  package internal(set) var protectedAuthors: [AuthorCount] = []
  /// The entities of the changes that would be deleted, by descending number of changes.
  package internal(set) var entities: [EntityCount] = []
  /// The approximate size in bytes of the pages that would become free for later writes.
  ///
  /// `nil` if this build of SQLite cannot measure tables. The file keeps its size until `VACUUM`.
  package var bytes: Int64?

  package init(bound: PurgeBound, timestamp: Double? = nil) {
    self.bound = bound
    self.timestamp = timestamp
  }
}

/// The approximate size of a transaction's rows, in a unit that is the same for all transactions.
struct RowWeight {
  /// The size of the transaction's row in the table of transactions.
  var transaction = 0.0
  /// The size of the rows with the transaction's changes.
  ///
  /// The rows are in the table of changes, or, in the layout `packed`, in the table of chunks.
  var changes = 0.0

  static func += (left: inout RowWeight, right: RowWeight) {
    left.transaction += right.transaction
    left.changes += right.changes
  }
}

/// Counts, while a history is read, the transactions that a purge would delete.
struct PurgeCounter {
  private(set) var estimate: PurgeEstimate
  /// The lowest cursor of the active members; `.max` if the file has no active members.
  private let watermark: Int64
  /// The number of the newest transaction, which a store of this library never purges.
  ///
  /// The number is `.max` for other files, in which a purge may delete the newest transaction.
  private let head: Int64
  private let protectedPatterns: Set<String>
  private let protectedStrings: Set<Int64>
  private var all = RowWeight()
  private var purged = RowWeight()
  private var entities = EntityTally()
  private var authors = AuthorTally()
  private var protectedAuthors = AuthorTally()
  /// Whether the changes that are counted next belong to a transaction that would be deleted.
  private(set) var isDeleting = false

  /// Determines which transactions a purge of the file may delete.
  ///
  /// In a store of this library, a purge deletes transactions that every active member has merged,
  /// except the newest transaction and those of protected authors. In other files, only the
  /// transactions of protected authors are kept, including those of a CloudKit mirror.
  init(
    _ bound: PurgeBound,
    _ source: any HistorySource,
    _ connection: borrowing Connection,
    _ registry: CensusRegistry?,
    isOurs: Bool
  ) throws {
    let newest = try source.newest(connection)
    switch bound {
    case .number: estimate = PurgeEstimate(bound: bound)
    case .timestamp(let time): estimate = PurgeEstimate(bound: bound, timestamp: time)
    case .days(let days):
      estimate = PurgeEstimate(bound: bound, timestamp: newest.timestamp.map { $0 - days * 86400 })
    }
    watermark = registry?.watermark ?? .max
    head = isOurs ? newest.number : .max
    let patterns = Set(StoreConfiguration().protectedAuthors)
      .union(registry?.protectedAuthors ?? [])
    protectedPatterns = patterns
    protectedStrings =
      source.hasStrings
      ? try source.strings(connection, where: { AuthorPatterns.match($0, patterns) }) : []
  }

  /// Returns whether a transaction lies before the bound of the purge.
  private func isBefore(_ number: Int64, _ timestamp: Double?) -> Bool {
    if case .number(let first) = estimate.bound { return number < first }
    guard let timestamp, let bound = estimate.timestamp else { return false }
    return timestamp < bound
  }

  private func isProtected(_ author: CensusBuilder.AuthorKey) -> Bool {
    switch author {
    case .absent: false
    case .string(let string): protectedStrings.contains(string)
    case .text(let name): AuthorPatterns.match(name, protectedPatterns)
    }
  }

  /// Determines whether a transaction would be deleted; call this method before counting its changes.
  mutating func begin(
    _ number: Int64,
    _ timestamp: Double?,
    _ author: CensusBuilder.AuthorKey
  ) {
    isDeleting = false
    guard isBefore(number, timestamp) else { return }
    if isProtected(author) {
      estimate.kept.protected += 1
      protectedAuthors.add(author, changeCount: 0)
    } else if number > watermark {
      estimate.kept.unmerged += 1
    } else if number >= head {
      estimate.kept.newest += 1
    } else {
      isDeleting = true
      estimate.last = PurgeEstimate.Position(number: number, timestamp: timestamp)
    }
  }

  /// Counts a change of a transaction that would be deleted.
  mutating func addChange(entity: Int64?, type: Int64?, hasTombstone: Bool) {
    entities.add(entity: entity, type: type)
    if hasTombstone { estimate.tombstones += 1 }
  }

  /// Finishes and counts the current transaction; call this method after counting its changes.
  mutating func end(
    _ author: CensusBuilder.AuthorKey,
    changeCount: Int,
    _ weight: RowWeight
  ) {
    all += weight
    guard isDeleting else { return }
    isDeleting = false
    estimate.transactions += 1
    estimate.changes += changeCount
    authors.add(author, changeCount: changeCount)
    purged += weight
  }

  /// Returns the estimate, after looking up the names of authors and entities.
  func finish(
    author: (Int64) throws -> String?,
    entity: (Int64) throws -> String?
  ) rethrows -> PurgeEstimate {
    var estimate = estimate
    estimate.authors = try authors.finish(author)
    estimate.protectedAuthors = try protectedAuthors.finish(author)
    estimate.entities = try entities.finish(entity)
    return estimate
  }

  /// Returns the bytes that would become free: each table's size times the share of its deleted rows.
  func bytes(
    _ tables: [CensusStorage.Table]?,
    transactions: String,
    changes: String
  ) -> Int64? {
    guard let tables else { return nil }
    func part(_ name: String, _ purged: Double, _ all: Double) -> Double {
      guard all > 0, let table = tables.first(where: { $0.name == name }) else { return 0 }
      return Double(table.tableBytes + table.indexBytes) * purged / all
    }
    return Int64(
      part(transactions, purged.transaction, all.transaction)
        + part(changes, purged.changes, all.changes)
    )
  }
}

import HistoryStore
import SQLiteStorage

/// Accumulates a census from a history that is read in commit order.
struct CensusBuilder {
  /// The author of a transaction as the file stores it, before the author's name is looked up.
  enum AuthorKey: Hashable {
    case absent
    /// The number of an interned string that contains the author's name.
    case string(Int64)
    /// The author's name, which the transaction itself contains.
    case text(String)
  }

  private(set) var census: HistoryCensus
  /// The counter of the transactions that a purge would delete; `nil` if no purge was requested.
  private(set) var purge: PurgeCounter?
  private var authors = AuthorTally()
  private var entities = EntityTally()
  private var previousTimestamp: Double?

  init(layout: HistoryCensus.Layout, purge: PurgeCounter?) {
    census = HistoryCensus(layout: layout)
    self.purge = purge
  }

  /// Starts the next transaction in commit order; call this method before counting its changes.
  mutating func begin(_ number: Int64, timestamp: Double?, author: AuthorKey) {
    purge?.begin(number, timestamp, author)
  }

  /// Counts one change of the current transaction.
  ///
  /// `entity` or `type` is `nil` if the file contains no integer there.
  @inline(__always)
  mutating func addChange(entity: Int64?, type: Int64?, hasTombstone: Bool) {
    entities.add(entity: entity, type: type)
    if purge?.isDeleting == true {
      purge?.addChange(entity: entity, type: type, hasTombstone: hasTombstone)
    }
  }

  /// Counts a change that belongs to no transaction.
  mutating func addOrphan(entity: Int64?, type: Int64?) {
    entities.add(entity: entity, type: type)
    census.oddities.orphanChanges += 1
  }

  /// Finishes and counts the current transaction; call this method after counting its changes.
  mutating func addTransaction(
    timestamp: Double?,
    author: AuthorKey,
    changeCount: Int,
    _ weight: RowWeight
  ) {
    census.transactions += 1
    purge?.end(author, changeCount: changeCount, weight)
    census.changesPerTransaction.add(Int64(changeCount))
    authors.add(author, changeCount: changeCount)
    if let timestamp, timestamp.isFinite {
      addTimestamp(timestamp)
    } else {
      census.oddities.unreadableTimestamps += 1
    }
  }

  /// Counts a purged transaction, which fetches no longer return, but whose row still exists.
  mutating func addPurgedTransaction() { census.purgedTransactions += 1 }

  /// Counts a transaction whose changes cannot be read.
  mutating func addUnreadableTransaction() { census.oddities.unreadableTransactions += 1 }

  private mutating func addTimestamp(_ timestamp: Double) {
    let span = census.span ?? timestamp...timestamp
    census.span = min(span.lowerBound, timestamp)...max(span.upperBound, timestamp)
    defer { previousTimestamp = timestamp }
    guard let previousTimestamp else { return }
    let gap = timestamp - previousTimestamp
    census.bursts.add(gap: gap >= 0 ? gap : nil)
    guard gap >= 0 else {
      census.stepsBack += 1
      return
    }
    if gap == 0 { census.ties += 1 }
    census.gapBands.add(gap)
    // The gap is capped at about 290,000 years, so that its microseconds fit 64 bits.
    census.gaps.add(Int64(min((gap * 1e6).rounded(), 9e18)))
  }

  /// Returns the census, after looking up the names of strings and entities.
  consuming func finish(
    strings: Int,
    author: (Int64) throws -> String?,
    entity: (Int64) throws -> String?
  ) throws -> HistoryCensus {
    var census = census
    census.strings = strings
    census.bursts.finish()
    census.authors = try authors.finish(author)
    for author in census.authors {
      if case .number = author.name { census.oddities.unknownAuthors += author.transactions }
    }
    census.entities = try entities.finish(entity)
    for entity in census.entities { census.types += entity.changes }
    census.changes = census.types.all
    census.purge = try purge?.finish(author: author, entity: entity)
    return census
  }
}

/// The sizes of a file and of the history in it.
package struct CensusStorage: Sendable, Hashable {
  /// The size of one table of the history.
  package struct Table: Sendable, Hashable {
    package let name: String
    /// The size of the pages of the table itself, in bytes.
    package let tableBytes: Int64
    /// The size of the pages of the table's indexes, in bytes.
    package let indexBytes: Int64

    package init(name: String, tableBytes: Int64, indexBytes: Int64) {
      self.name = name
      self.tableBytes = tableBytes
      self.indexBytes = indexBytes
    }
  }

  /// The size of the file in bytes.
  package var fileBytes: Int64 = 0
  /// The total size of the `-wal` and `-journal` files next to the database file, in bytes.
  package var logBytes: Int64 = 0
  /// The size of a page in bytes.
  package var pageBytes: Int64 = 0
  /// The number of pages of the database, including those in the write-ahead log.
  package var pageCount: Int64 = 0
  /// The number of free pages of the database.
  package var freePageCount: Int64 = 0
  /// The tables of the history, or `nil` if this build of SQLite cannot measure them.
  package var tables: [Table]?

  package init() {}

  /// The size of the whole history in bytes, or `nil` if this build of SQLite cannot measure it.
  package var historyBytes: Int64? {
    tables?.reduce(0) { $0 + $1.tableBytes + $1.indexBytes }
  }
}

extension CensusStorage {
  /// Measures the file, and the tables named in `wanted` with `dbstat` (https://sqlite.org/dbstat.html).
  ///
  /// - Complexity: reads every page of the measured tables once.
  init(
    _ connection: borrowing Connection,
    _ file: FileTables,
    of wanted: [String],
    _ state: FileState
  ) throws {
    fileBytes = state.fileBytes
    logBytes = state.logBytes
    pageBytes = try connection.integer("PRAGMA page_size") ?? 0
    pageCount = try connection.integer("PRAGMA page_count") ?? 0
    freePageCount = try connection.integer("PRAGMA freelist_count") ?? 0
    guard try Self.canMeasure(connection) else { return }
    let size = try Statement(
      connection,
      "SELECT sum(pgsize) FROM dbstat WHERE name = ?1 AND aggregate = TRUE"
    )
    func bytes(of name: String) throws -> Int64 {
      size.bind(name, at: 1)
      defer { size.reset() }
      return try size.step() ? size.int(0) : 0
    }
    tables = try wanted.filter(file.names.contains).map { name in
      Table(
        name: name,
        tableBytes: try bytes(of: name),
        indexBytes: try file.indexes[name, default: []].reduce(0) { try $0 + bytes(of: $1) }
      )
    }
  }

  /// Whether this build of SQLite contains `dbstat`.
  private static func canMeasure(_ connection: borrowing Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1
  }
}

/// The number of changes of each entity, by entity number.
struct EntityTally {
  /// The counts for entity numbers below ``fewEntities``; nearly all changes have such a number.
  private var entities = Array(repeating: ChangeCounts(), count: fewEntities)
  private var furtherEntities: [Int64: ChangeCounts] = [:]
  private static let fewEntities = 1024

  /// Counts one change; `entity` or `type` is `nil` if the file contains no integer there.
  @inline(__always)
  mutating func add(entity: Int64?, type: Int64?) {
    let entity = entity ?? 0
    if entity >= 0 && entity < Int64(Self.fewEntities) {
      entities[Int(entity)].add(type: type)
    } else {
      furtherEntities[entity, default: ChangeCounts()].add(type: type)
    }
  }

  /// Returns the entities by descending number of changes, after looking up their names.
  func finish(_ name: (Int64) throws -> String?) rethrows -> [EntityCount] {
    var all = furtherEntities
    for (number, changes) in entities.enumerated() where changes.all > 0 {
      all[Int64(number)] = changes
    }
    return try all.map { number, changes in
      EntityCount(name: try name(number).map(CensusName.known) ?? .number(number), changes: changes)
    }.sorted { ($1.changes.all, $0.name.text) < ($0.changes.all, $1.name.text) }
  }
}

/// The numbers of transactions and changes of each author.
struct AuthorTally {
  private var authors: [CensusBuilder.AuthorKey: (transactions: Int, changes: Int)] = [:]

  /// Counts one transaction of an author, and its changes.
  mutating func add(_ author: CensusBuilder.AuthorKey, changeCount: Int) {
    let before = authors[author] ?? (0, 0)
    authors[author] = (before.transactions + 1, before.changes + changeCount)
  }

  /// Returns the authors by descending number of transactions, after looking up their names.
  func finish(_ string: (Int64) throws -> String?) rethrows -> [AuthorCount] {
    var byName: [CensusName: AuthorCount] = [:]
    for (key, count) in authors {
      let name: CensusName =
        switch key {
        case .absent: .absent
        case .text(let name): .known(name)
        case .string(let number): try string(number).map(CensusName.known) ?? .number(number)
        }
      byName[name, default: AuthorCount(name: name)].transactions += count.transactions
      byName[name, default: AuthorCount(name: name)].changes += count.changes
    }
    return byName.values.sorted {
      ($1.transactions, $0.name.text) < ($0.transactions, $1.name.text)
    }
  }
}

package import HistoryStore
import HistoryTypes
package import SQLiteStorage

/// Reads the history of a store file of this library or of Core Data, without changing it.
package struct StoreInspector: Sendable {
  /// The folder for temporary copies of files.
  ///
  /// A file whose `-wal` or `-journal` file has content is copied together with these logs, and the
  /// copy is read. A purge trial copies every file.
  package let temporaryFolder: String
  /// A callback that stops reading when it returns a nonzero value; `nil` reads to the end.
  package let stopCheck: Connection.StopCheck?

  /// Creates an inspector; its folder for temporary copies is by default `TMPDIR`, or else `/tmp`.
  package init(temporaryFolder: String? = nil, stopCheck: Connection.StopCheck? = nil) {
    self.stopCheck = stopCheck
    self.temporaryFolder = temporaryFolder ?? QuietFile.temporaryFolder
  }

  /// Counts the contents of a file's history, and the effect of a purge if one is requested.
  ///
  /// - Throws: ``InspectionError``, which says why the file has no readable history.
  /// - Complexity: one pass over the history; memory grows with the numbers of authors and entities,
  ///   not with the history.
  package func census(
    of path: String,
    purging bound: PurgeBound? = nil
  ) throws(InspectionError) -> HistoryCensus {
    try QuietFile(path, copyingTo: temporaryFolder, stopCheck: stopCheck).read {
      connection,
      state in
      let tables = try FileTables(connection)
      let source = try tables.source(connection, path: path)
      let isOurs = tables.names.contains("history_metadata")
      let registry =
        isOurs && tables.names.contains(CensusRegistry.table)
        ? try CensusRegistry(connection, source.layout, path: path) : nil
      let purge = try bound.map { bound in
        try PurgeCounter(bound, source, connection, registry, isOurs: isOurs)
      }
      let builder = try source.read(connection, purge)
      var census = try source.finish(builder, connection)
      census.isOurs = isOurs
      census.storage = try CensusStorage(connection, tables, of: source.tables, state)
      census.members = registry?.members
      census.hasMirrorTables = tables.names.contains { $0.hasPrefix("ANSCK") }
      census.purge?.bytes = builder.purge?.bytes(
        census.storage.tables,
        transactions: source.layout.transactions,
        changes: source.layout.changeRows
      )
      (census.unknownTables, census.missingTables) = try source.compare(tables, connection)
      return census
    }
  }
}

/// Statistics of the history of one file, without any object data.
package struct HistoryCensus: Sendable, Hashable {
  /// The storage layout of a file's history.
  package enum Layout: String, Sendable {
    /// The default tables of this library: one row per transaction, with packed changes.
    case packed
    /// The tables of Core Data: one row per transaction, and one row per change.
    ///
    /// A store of this library may have these tables as well.
    case coreData
  }

  package let layout: Layout
  /// Whether the file is a store of this library; such a store may also have the layout `coreData`.
  package var isOurs = false
  /// The sizes of the file and of the history.
  package var storage = CensusStorage()
  /// The number of transactions that a fetch could return.
  package var transactions = 0
  /// The number of purged transactions whose rows are not deleted yet.
  package var purgedTransactions = 0
  /// The number of changes in the history.
  package var changes = 0
  /// The number of interned strings: authors, contexts, bundles and processes.
  package var strings = 0
  /// The number of changes of each type.
  package var types = ChangeCounts()
  /// The authors, by descending number of transactions.
  ///
  /// Transactions without an author are counted in one entry, whose name is `absent`.
  package var authors: [AuthorCount] = []
  /// The entities of changed objects, by descending number of changes.
  package var entities: [EntityCount] = []
  /// The earliest and the latest timestamp, in seconds since 2001-01-01 UTC.
  package var span: ClosedRange<Double>?
  /// The distribution of the number of changes per transaction.
  package var changesPerTransaction = ValueHistogram()
  /// The distribution of the times between consecutive transactions, in microseconds.
  ///
  /// Negative times, which are steps back of the clock, are not included.
  package var gaps = ValueHistogram()
  /// Counts of the times between consecutive transactions, by range of length (band).
  package var gapBands = GapBands()
  /// The number of transactions with the same timestamp as the previous transaction.
  package var ties = 0
  /// The number of transactions with an earlier timestamp than the previous transaction.
  package var stepsBack = 0
  /// The bursts: runs of transactions at most one second apart.
  package var bursts = BurstCounts()
  /// The members, sorted by name, or `nil` for a file without a registry.
  package var members: [CensusMember]?
  /// Whether the file has the tables in which CloudKit mirroring keeps its state.
  package var hasMirrorTables = false
  /// The estimate of a purge, if one was requested.
  package var purge: PurgeEstimate?
  /// The tables that belong neither to the history nor, as far as the file shows, to the objects.
  package var unknownTables: [String] = []
  /// The tables that this kind of file usually has but this file lacks; reading needs none of them.
  package var missingTables: [String] = []
  /// The inconsistencies of the history.
  package var oddities = CensusOddities()

  package init(layout: Layout) { self.layout = layout }

  /// The authors of a CloudKit mirror that have written to the file.
  package var mirrorAuthors: [String] {
    authors.compactMap { author in
      guard case .known(let name) = author.name,
        AuthorPatterns.match(name, [AuthorPatterns.cloudKitMirror])
      else { return nil }
      return name
    }
  }

  /// Whether the file shows that CloudKit mirrors it.
  package var isMirrored: Bool { hasMirrorTables || !mirrorAuthors.isEmpty }

  /// The number of transactions that record a change of the model, by this library or Core Data.
  package var migrations: Int {
    authors.reduce(0) { sum, author in
      guard case .known(let name) = author.name, MigrationAuthor.isAuthor(name) else { return sum }
      return sum + author.transactions
    }
  }

  package var transactionsWithoutChanges: Int { changesPerTransaction.count(of: 0) }

  package var transactionsWithoutAuthor: Int {
    authors.first { $0.name == .absent }?.transactions ?? 0
  }
}

/// The name of an author or entity, as far as the file contains it.
package enum CensusName: Sendable, Hashable {
  /// The transaction has no author.
  case absent
  /// The name of the author or entity.
  case known(String)
  /// The number that identifies the author or entity; the file does not contain the name.
  case number(Int64)

  /// The name, or a substitute for a missing name, for sorting and printing.
  package var text: String {
    switch self {
    case .absent: "(none)"
    case .known(let name): name
    case .number(let number): "#\(number)"
    }
  }
}

/// The number of changes of each type.
package struct ChangeCounts: Sendable, Hashable {
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// The number of changes whose type is neither insert, update nor delete.
  package var others = 0

  package init() {}

  /// The total number of changes.
  package var all: Int { inserts + updates + deletes + others }

  static func += (left: inout ChangeCounts, right: ChangeCounts) {
    left.inserts += right.inserts
    left.updates += right.updates
    left.deletes += right.deletes
    left.others += right.others
  }

  /// Counts a change; `type` is a raw value of `NSPersistentHistoryChangeType`.
  @inline(__always)
  mutating func add(type: Int64?) {
    switch type {
    case 0: inserts += 1
    case 1: updates += 1
    case 2: deletes += 1
    default: others += 1
    }
  }
}

/// The numbers of transactions and changes of one author.
package struct AuthorCount: Sendable, Hashable {
  package let name: CensusName
  package var transactions = 0
  package var changes = 0

  package init(name: CensusName) { self.name = name }
}

/// The number of changes of each type to the objects of one entity.
package struct EntityCount: Sendable, Hashable {
  package let name: CensusName
  package let changes: ChangeCounts

  package init(name: CensusName, changes: ChangeCounts) {
    self.name = name
    self.changes = changes
  }
}

/// The numbers of inconsistencies in a history; all are 0 in a valid history.
package struct CensusOddities: Sendable, Hashable {
  /// The number of changes whose transaction is missing.
  package var orphanChanges = 0
  /// The number of transactions whose timestamp is not a number.
  package var unreadableTimestamps = 0
  /// The number of transactions whose changes cannot be read.
  package var unreadableTransactions = 0
  /// The number of transactions whose author refers to a row that the table of strings lacks.
  package var unknownAuthors = 0

  package init() {}
}

/// Counts of the times between consecutive transactions, by ranges of length (bands).
package struct GapBands: Sendable, Hashable {
  /// The upper limits of the bands in seconds, inclusive; one more band has no upper limit.
  package static let limits: [Double] = [0.002, 0.01, 0.1, 1, 10, 60, 600, 3600, 86400]

  /// For each band, the number of pairs of consecutive transactions with such a time between them.
  package private(set) var counts = Array(repeating: 0, count: limits.count + 1)

  package init() {}

  /// Counts the time between two consecutive transactions, in seconds.
  package mutating func add(_ seconds: Double) {
    counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count] += 1
  }
}

/// Bursts of transactions: runs in which each transaction is written soon after the previous one.
///
/// A reader that is notified of each commit must handle all commits of a burst in quick succession.
package struct BurstCounts: Sendable, Hashable {
  /// The maximum time between two consecutive transactions of one burst, in seconds.
  package static let gapMax = 1.0

  /// The number of transactions of each burst: at least two, with gaps of at most ``gapMax``.
  package private(set) var sizes = ValueHistogram()
  /// The total number of transactions in bursts.
  package private(set) var transactions = 0
  private var current: Int64 = 1

  package init() {}

  /// Adds the time between a transaction and the next in seconds, or `nil` if the timestamp decreased.
  package mutating func add(gap: Double?) {
    if let gap, gap <= Self.gapMax {
      current += 1
    } else {
      finish()
    }
  }

  /// Ends the current run of transactions, and counts it as a burst if it has at least two.
  package mutating func finish() {
    if current > 1 {
      sizes.add(current)
      transactions += Int(current)
    }
    current = 1
  }
}

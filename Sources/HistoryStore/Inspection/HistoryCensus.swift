/// What the history of one file holds, counted: nothing of the objects themselves.
package struct HistoryCensus: Sendable, Hashable {
  /// How a file keeps its history.
  package enum Layout: String, Sendable {
    /// A store of this library: one row a transaction, its changes packed.
    case packed
    /// The tables of Core Data: one row a transaction, one row a change.
    case coreData
  }

  /// How the file keeps its history.
  package let layout: Layout
  /// Whether the file is a store of this library, whatever its layout.
  package var isOurs = false
  /// The bytes of the file and of the history.
  package var storage = CensusStorage()
  /// How many transactions a fetch could return.
  package var transactions = 0
  /// How many transactions are purged and only wait for their rows to be deleted.
  package var purgedTransactions = 0
  /// How many changes there are.
  package var changes = 0
  /// How many strings are interned: authors, contexts, bundles, processes.
  package var strings = 0
  /// The changes by what they did.
  package var types = ChangeCounts()
  /// The authors, absent ones included as one; who wrote most comes first.
  package var authors: [AuthorCount] = []
  /// The entities whose objects changed; the one with most changes comes first.
  package var entities: [EntityCount] = []
  /// The earliest and the latest timestamp, in seconds since 2001-01-01 UTC.
  package var span: ClosedRange<Double>?
  /// How many changes each transaction has.
  package var changesPerTransaction = ValueHistogram()
  /// The times between neighbours in commit order, in microseconds, where time did not step back.
  package var gaps = ValueHistogram()
  /// The same in bands that people think in.
  package var gapBands = GapBands()
  /// How many transactions have the timestamp of the one before.
  package var ties = 0
  /// How many transactions have an earlier timestamp than the one before.
  package var stepsBack = 0
  /// The runs of transactions that follow one another within a second.
  package var bursts = BurstCounts()
  /// What a purge would free, if that was asked.
  package var purge: PurgeEstimate?
  /// Tables that belong neither to the history nor, as far as the file tells, to its objects.
  package var unknownTables: [String] = []
  /// Tables that files of this kind have and this one has not; the history can be read without them.
  package var missingTables: [String] = []
  /// What does not fit together.
  package var oddities = CensusOddities()

  package init(layout: Layout) { self.layout = layout }

  /// How many transactions changed nothing.
  package var transactionsWithoutChanges: Int { changesPerTransaction.count(of: 0) }

  /// How many transactions name no author.
  package var transactionsWithoutAuthor: Int {
    authors.first { $0.name == .absent }?.transactions ?? 0
  }
}

/// The name of an author or entity, as far as the file tells it.
package enum CensusName: Sendable, Hashable {
  /// There is none.
  case absent
  /// The file has the name.
  case known(String)
  /// The file has only a number, and nothing that gives it a name.
  case number(Int64)

  /// The name, or what stands for it; sorts and prints.
  package var text: String {
    switch self {
    case .absent: "(none)"
    case .known(let name): name
    case .number(let number): "#\(number)"
    }
  }
}

/// How many changes did what.
package struct ChangeCounts: Sendable, Hashable {
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// Changes of a type that no known version writes.
  package var others = 0

  package init() {}

  /// The sum.
  package var all: Int { inserts + updates + deletes + others }

  static func += (left: inout ChangeCounts, right: ChangeCounts) {
    left.inserts += right.inserts
    left.updates += right.updates
    left.deletes += right.deletes
    left.others += right.others
  }

  /// Counts a change by its type, as `NSPersistentHistoryChangeType` numbers them.
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

/// What one author wrote.
package struct AuthorCount: Sendable, Hashable {
  package let name: CensusName
  package var transactions = 0
  package var changes = 0

  package init(name: CensusName) { self.name = name }
}

/// What happened to the objects of one entity.
package struct EntityCount: Sendable, Hashable {
  package let name: CensusName
  package let changes: ChangeCounts

  package init(name: CensusName, changes: ChangeCounts) {
    self.name = name
    self.changes = changes
  }
}

/// What does not fit together in a history; zeros in a sound one.
package struct CensusOddities: Sendable, Hashable {
  /// Changes whose transaction is not there.
  package var orphanChanges = 0
  /// Transactions whose timestamp is no number.
  package var unreadableTimestamps = 0
  /// Transactions whose changes cannot be read.
  package var unreadableTransactions = 0
  /// Transactions whose author is a number without a string.
  package var unknownAuthors = 0

  package init() {}
}

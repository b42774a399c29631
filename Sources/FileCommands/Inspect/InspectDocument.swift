import HistoryInspection
import HistoryStore

/// A census (the counts of a history) as JSON, in the documented format of `inspect --json`.
struct InspectDocument: Encodable {
  struct Span: Encodable {
    let first: Double
    let last: Double
    let firstDate: String
    let lastDate: String
  }
  struct Changes: Encodable {
    let inserts: Int
    let updates: Int
    let deletes: Int
    let others: Int
  }
  struct Author: Encodable {
    /// The author's name; `nil` for transactions without an author.
    let name: String?
    let transactions: Int
    let changes: Int
  }
  struct Entity: Encodable {
    let name: String
    let changes: Changes
  }
  struct Table: Encodable {
    let name: String
    let tableBytes: Int64
    let indexBytes: Int64
  }
  struct File: Encodable {
    let path: String
    let bytes: Int64
    let logBytes: Int64
    let pageBytes: Int64
    let pages: Int64
    let freePages: Int64
  }
  struct Distribution: Encodable {
    struct Bucket: Encodable {
      let from: Double
      let to: Double
      let count: Int
    }
    let mean: Double?
    let p50: Double?
    let p90: Double?
    let p99: Double?
    let most: Double?
    let buckets: [Bucket]
  }
  struct Oddities: Encodable {
    let orphanChanges: Int
    let unreadableTimestamps: Int
    let unreadableTransactions: Int
    let unknownAuthors: Int
  }

  struct Bursts: Encodable {
    let secondsBetweenMax: Double
    let count: Int
    let transactions: Int
    let longest: Int64?
  }
  struct Purge: Encodable {
    /// The bound of the purge as a transaction number; `nil` if the bound is a date or an age.
    let beforeNumber: Int64?
    let beforeTime: Double?
    let beforeDate: String?
    let transactions: Int
    let changes: Int
    let heldBackTransactions: Int
    let kept: Kept
    /// The bytes of the pages that the purge frees; `nil` if SQLite is built without `dbstat`.
    let bytes: Int64?
    /// The number of the newest deleted transaction; the purge expires all tokens below this number.
    let lastNumber: Int64?
    let lastDate: String?
    let authors: [Author]
    let protectedAuthors: [String]
    let entities: [Entity]
    let tombstones: Int
    /// The facts missing in the file that decide whether the estimated purge would lose data.
    let notKnown: [String]
    /// A sentence about the tokens that expire; `nil` if the purge deletes no transaction.
    let expiry: String?
  }
  struct Kept: Encodable {
    let protected: Int
    let unmerged: Int
    let newest: Int
  }
  struct Member: Encodable {
    let name: String
    let kind: String
    let state: String
    let cursor: Int64
    let lagTransactions: Int64
    let lagSeconds: Double?
    let seenDate: String
    let author: String?
    let process: String?
    let holdsBack: Bool
  }

  /// The version of the JSON format.
  let census = 1
  let file: File
  let layout: String
  let transactions: Int
  let purgedTransactions: Int
  /// The number of transactions that changed the model.
  let migrations: Int
  let changes: Int
  let strings: Int
  let changesByType: Changes
  let span: Span?
  /// The bytes of the history; `nil` if SQLite is built without `dbstat`.
  let historyBytes: Int64?
  let tables: [Table]?
  let changesPerTransaction: Distribution
  let transactionsWithoutChanges: Int
  let secondsBetweenTransactions: Distribution
  let ties: Int
  let stepsBack: Int
  let authors: [Author]
  let entities: [Entity]
  let bursts: Bursts
  /// The members in the file's registry; `nil` if the file has no registry, as with Core Data.
  let members: [Member]?
  /// Whether the file shows signs of a CloudKit mirror.
  let isMirrored: Bool
  /// The estimate of a purge; `nil` unless one was requested.
  let purge: Purge?
  /// Samples of tombstones; `nil` unless they were requested.
  let tombstones: [TombstoneSample]?
  let unknownTables: [String]
  let missingTables: [String]
  let oddities: Oddities
}

extension InspectDocument {
  /// Creates the JSON form of a census.
  init(_ path: String, _ census: HistoryCensus, _ tombstones: [TombstoneSample]?) {
    let storage = census.storage
    file = File(
      path: path,
      bytes: storage.fileBytes,
      logBytes: storage.logBytes,
      pageBytes: storage.pageBytes,
      pages: storage.pageCount,
      freePages: storage.freePageCount
    )
    layout = census.layout.rawValue
    transactions = census.transactions
    purgedTransactions = census.purgedTransactions
    migrations = census.migrations
    changes = census.changes
    strings = census.strings
    changesByType = Changes(census.types)
    span = census.span.map { span in
      Span(
        first: span.lowerBound,
        last: span.upperBound,
        firstDate: InspectUnits.date(span.lowerBound),
        lastDate: InspectUnits.date(span.upperBound)
      )
    }
    historyBytes = storage.historyBytes
    tables = storage.tables?.map { table in
      Table(name: table.name, tableBytes: table.tableBytes, indexBytes: table.indexBytes)
    }
    changesPerTransaction = Distribution(census.changesPerTransaction, perOctave: 8, scale: 1)
    transactionsWithoutChanges = census.transactionsWithoutChanges
    secondsBetweenTransactions = Distribution(census.gaps, perOctave: 2, scale: 1e6)
    ties = census.ties
    stepsBack = census.stepsBack
    authors = census.authors.map(Author.init)
    entities = census.entities.map(Entity.init)
    bursts = Bursts(
      secondsBetweenMax: BurstCounts.gapMax,
      count: census.bursts.sizes.count,
      transactions: census.bursts.transactions,
      longest: census.bursts.sizes.greatest
    )
    members = census.members?.map(Member.init)
    isMirrored = census.isMirrored
    purge = census.purge.map { Purge($0, PurgeRisks(census, $0)) }
    self.tombstones = tombstones
    unknownTables = census.unknownTables
    missingTables = census.missingTables
    oddities = Oddities(
      orphanChanges: census.oddities.orphanChanges,
      unreadableTimestamps: census.oddities.unreadableTimestamps,
      unreadableTransactions: census.oddities.unreadableTransactions,
      unknownAuthors: census.oddities.unknownAuthors
    )
  }
}

extension InspectDocument.Purge {
  init(_ estimate: PurgeEstimate, _ risks: PurgeRisks) {
    if case .number(let number) = estimate.bound {
      beforeNumber = number
    } else {
      beforeNumber = nil
    }
    beforeTime = estimate.timestamp
    beforeDate = estimate.timestamp.map(InspectUnits.date)
    transactions = estimate.transactions
    changes = estimate.changes
    heldBackTransactions = estimate.kept.all
    kept = InspectDocument.Kept(
      protected: estimate.kept.protected,
      unmerged: estimate.kept.unmerged,
      newest: estimate.kept.newest
    )
    bytes = estimate.bytes
    lastNumber = estimate.last?.number
    lastDate = estimate.last?.timestamp.map(InspectUnits.date)
    authors = estimate.authors.map(InspectDocument.Author.init)
    protectedAuthors = estimate.protectedAuthors.map(\.name.text)
    entities = estimate.entities.map(InspectDocument.Entity.init)
    tombstones = estimate.tombstones
    notKnown = risks.notKnown
    expiry = risks.expiry
  }
}

extension InspectDocument.Author {
  init(_ author: AuthorCount) {
    self.init(
      name: author.name == .absent ? nil : author.name.text,
      transactions: author.transactions,
      changes: author.changes
    )
  }
}

extension InspectDocument.Entity {
  init(_ entity: EntityCount) {
    self.init(name: entity.name.text, changes: InspectDocument.Changes(entity.changes))
  }
}

extension InspectDocument.Member {
  init(_ member: CensusMember) {
    self.init(
      name: member.name,
      kind: "\(member.kind)",
      state: "\(member.state)",
      cursor: member.cursor,
      lagTransactions: member.lag,
      lagSeconds: member.lagSeconds,
      seenDate: InspectUnits.date(member.seen),
      author: member.author,
      process: member.process,
      holdsBack: member.holdsBack
    )
  }
}

extension InspectDocument.Changes {
  init(_ counts: ChangeCounts) {
    self.init(
      inserts: counts.inserts,
      updates: counts.updates,
      deletes: counts.deletes,
      others: counts.others
    )
  }
}

extension InspectDocument.Distribution {
  init(_ histogram: ValueHistogram, perOctave: Int, scale: Double) {
    func quantile(_ share: Double) -> Double? {
      histogram.value(at: share).map { Double($0) / scale }
    }
    self.init(
      mean: histogram.mean.map { $0 / scale },
      p50: quantile(0.5),
      p90: quantile(0.9),
      p99: quantile(0.99),
      most: histogram.greatest.map { Double($0) / scale },
      buckets: histogram.buckets(perOctave: perOctave).map { bucket in
        Bucket(
          from: Double(bucket.from) / scale,
          to: Double(bucket.to) / scale,
          count: bucket.count
        )
      }
    )
  }
}

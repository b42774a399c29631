package import HistoryTypes

/// The transactions of a real history, which plans repeat as their writes.
package struct PastHistory: Sendable {
  /// A change of an object: the type, the entity's index in the model, and the object's key.
  package struct Change: Sendable, Hashable {
    package let type: ChangeType
    package let entity: Int
    package let key: Int64
  }

  /// A transaction with its first changes.
  package struct Transaction: Sendable, Hashable {
    /// The author's index in the list of authors; `nil` if the transaction has no author.
    package let author: Int?
    /// The seconds since the previous transaction; negative if the clock stepped back.
    package let gap: Double
    package let changes: [Change]
  }

  /// The maximum number of changes that are kept of one transaction.
  package static let changeCountMax = 32
  /// The maximum number of transactions that are kept; if there are more, the newest ones are kept.
  package static let transactionCountMax = 100_000

  /// The entities that the kept transactions change.
  ///
  /// History has no values of inserts and updates. Each entity therefore has the two attributes of
  /// generated plans, `title` and `count`.
  package private(set) var model: Model
  /// The authors of the kept transactions, the most active first.
  package let authors: [String]
  /// The authors that are not CloudKit mirrors.
  package var members: [String] {
    authors.filter { !$0.hasPrefix(PlanGenerator.mirrorAuthors.dropLast()) }
  }
  /// The kept transactions in commit order.
  package let transactions: [Transaction]

  /// Creates a history from transactions whose authors and entities have names.
  ///
  /// If `isAnonymous` is `true`, numbered names replace the names of authors and entities.
  ///
  /// - Throws: ``ModelError`` if an entity has a name that no store accepts.
  /// - Complexity: linear in the changes.
  package init(
    _ records: some Collection<PastRecord>,
    isAnonymous: Bool = false
  ) throws(ModelError) {
    var counts: [String: Int] = [:]
    var entities: [String: Int] = [:]
    for record in records {
      if let author = record.author { counts[author, default: 0] += 1 }
      for change in record.changes where entities[change.entity] == nil {
        entities[change.entity] = entities.count
      }
    }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    let places = Dictionary(uniqueKeysWithValues: zip(sorted, sorted.indices))
    authors = isAnonymous ? sorted.indices.map { "author\($0 + 1)" } : sorted
    let names = entities.sorted { $0.value < $1.value }.map(\.key)
    let shown = names.isEmpty ? ["Item"] : names
    model = try Model(
      shown.enumerated().map { place, name in
        Entity(isAnonymous ? "Entity\(place + 1)" : name, PlanModels.plain.entities[0].attributes)
      }
    )
    var last: Double?
    transactions = records.map { record in
      defer { last = record.timestamp ?? last }
      let gap = record.timestamp.flatMap { now in last.map { now - $0 } } ?? 0
      return Transaction(
        author: record.author.flatMap { places[$0] },
        gap: gap.isFinite ? gap : 0,
        changes: record.changes.map {
          Change(type: $0.type, entity: entities[$0.entity] ?? 0, key: $0.key)
        }
      )
    }
  }
}

/// One transaction as a history file contains it.
package struct PastRecord: Sendable {
  package let author: String?
  /// Seconds since 2001-01-01 UTC; `nil` if the file has no readable timestamp.
  package let timestamp: Double?
  /// The first changes, at most ``PastHistory/changeCountMax``.
  package let changes: [(type: ChangeType, entity: String, key: Int64)]

  package init(
    author: String?,
    timestamp: Double?,
    changes: [(type: ChangeType, entity: String, key: Int64)]
  ) {
    self.author = author
    self.timestamp = timestamp
    self.changes = changes
  }
}

import HistoryTypes
import SQLiteStorage

extension Store {
  /// Validates the tables of the history and the references between objects; returns all irregularities.
  ///
  /// - Throws: ``HistoryError`` if the file cannot be read at all.
  /// - Complexity: linear in the history, in a few passes, with one page in memory, plus a scan of the
  ///   tables with references.
  package func verify() throws(HistoryError) -> [HistoryFinding] {
    try locked { core in
      try core.read {
        let rows = try HistoryFinding.Kind.allCases.compactMap { try core.finding($0) }
        let walked = try core.walk()
        return (walked + rows).sorted { $0.kind.rawValue < $1.kind.rawValue }
      }
    }
  }
}

extension StoreCore {
  /// Returns the irregularities of a kind, or `nil` if there are none.
  ///
  /// Also returns `nil` for ``HistoryFinding/Kind/damaged`` and ``HistoryFinding/Kind/duplicates``,
  /// which no query can find.
  fileprivate func finding(_ kind: HistoryFinding.Kind) throws -> HistoryFinding? {
    if kind == .danglingReferences { return try danglingReferences() }
    guard let sql = layout.search(for: kind) else { return nil }
    let query = try query(sql)
    defer { query.statement.reset() }
    guard try query.statement.step(), query.statement.int(0) > 0 else { return nil }
    let (count, first) = (query.statement.int(0), query.statement.int(1))
    return HistoryFinding(kind: kind, count: count, first: first, isWrong: isWrong(kind))
  }

  /// Returns a finding for references to missing objects, or `nil` if there are none.
  ///
  /// Programs that do not enforce foreign keys can leave such references.
  private func danglingReferences() throws -> HistoryFinding? {
    var count: Int64 = 0
    var first: ObjectID?
    try visitDanglingReferences(in: schema.model) { id in
      count += 1
      first = min(first ?? id, id)
      return true
    }
    guard let first else { return nil }
    let entity = schema.model.entities[Int(first.entity) - 1].name
    return HistoryFinding(
      kind: .danglingReferences,
      count: count,
      first: first.key,
      object: "\(entity)/\(first.key)",
      isWrong: isWrong(.danglingReferences)
    )
  }

  private func isWrong(_ kind: HistoryFinding.Kind) -> Bool {
    switch kind {
    case .damaged, .orphans, .duplicates, .unknownStrings, .unreadableTimes, .danglingReferences:
      true
    case .stepsBack: timestamps == .monotone
    case .gaps, .unusedStrings: false
    }
  }

  /// Reads all transactions to find damaged ones, and those that change an object several times.
  fileprivate func walk() throws -> [HistoryFinding] {
    var found: [HistoryFinding.Kind: [Int64]] = [:]
    var next: Int64? = 1
    while let first = next {
      do {
        next = try walk(from: first) { found[.duplicates, default: []].append($0) }
      } catch let error as HistoryError {
        guard case .damagedTransaction(let number) = error.reason else { throw error }
        found[.damaged, default: []].append(number)
        next = number + 1
      }
    }
    return found.map { kind, numbers in
      HistoryFinding(
        kind: kind,
        count: Int64(Set(numbers).count),
        first: numbers.min() ?? 0,
        isWrong: isWrong(kind)
      )
    }
  }

  /// Reads a range of transactions, and returns the number at which the next call must start.
  ///
  /// Returns `nil` at the end of history, and throws if a transaction in the range is damaged.
  private func walk(from first: Int64, _ isDuplicate: (Int64) -> Void) throws -> Int64? {
    let last = try lastReadable(from: first)
    var request = HistoryRequest(after: nil, filter: .numbers(HistoryFilter.range(first...last)))
    request.changeCountMax = Self.walkChangeCount
    var hasMore = true
    while hasMore {
      let page = try fetch(request)
      for transaction in page.transactions {
        let changes = page.changeRecords[transaction.changes.indices]
        if Set(changes.map(\.objectID)).count < changes.count {
          isDuplicate(transaction.number.rawValue)
        }
      }
      request = request.next(after: page)
      hasMore = page.hasMore
    }
    return try row(atOrAfter: last + 1)?.number
  }

  /// The size of the range of transaction numbers that one call of `walk(from:)` reads.
  ///
  /// If a transaction is damaged, the call throws, and the next call continues after that transaction.
  private static let walkCount: Int64 = 500
  /// The number of changes after which a page ends, so that memory does not grow with the changes.
  private static let walkChangeCount = 8192

  private func lastReadable(from first: Int64) throws -> Int64 {
    guard let found = try row(atOrAfter: first)?.number else {
      return max(first, try head().number)
    }
    return found + Self.walkCount - 1
  }
}

extension HistoryLayout {
  /// Returns an SQL query that searches for a kind of irregularity.
  ///
  /// The result has two columns: the number of occurrences, and the lowest number of an affected
  /// transaction, a missing transaction or an unused string. Returns `nil` for a kind that can be
  /// found only by reading the changes or the objects.
  fileprivate func search(for kind: HistoryFinding.Kind) -> String? {
    let strings = "(SELECT \(stringNumber) FROM \(self.strings))"
    let names = [author, contextName, bundle, process]
    switch kind {
    case .damaged, .duplicates, .danglingReferences: return nil
    case .orphans: return orphans
    case .unknownStrings:
      let conditions = names.map { "(\($0) <> 0 AND \($0) NOT IN \(strings))" }
      return count(where: conditions.joined(separator: " OR "))
    case .unreadableTimes: return count(where: "typeof(\(timestamp)) NOT IN ('real', 'integer')")
    case .stepsBack:
      return """
        SELECT count(*), min(n) FROM (
          SELECT \(number) AS n, \(timestamp) - lag(\(timestamp)) OVER (ORDER BY \(number)) AS gap
          FROM \(transactions)) WHERE gap < 0
        """
    case .gaps:
      return """
        SELECT max(\(number)) - min(\(number)) + 1 - count(*), (
          SELECT \(number) + 1 FROM \(transactions)
          WHERE \(number) + 1 NOT IN (SELECT \(number) FROM \(transactions))
          ORDER BY \(number) LIMIT 1)
        FROM \(transactions)
        """
    case .unusedStrings:
      let used = names.map { "SELECT \($0) FROM \(transactions)" }.joined(separator: " UNION ")
      return """
        SELECT count(*), min(\(stringNumber)) FROM \(self.strings)
        WHERE \(stringNumber) NOT IN (\(used))
        """
    }
  }

  private func count(where condition: String) -> String {
    "SELECT count(*), min(\(number)) FROM \(transactions) WHERE \(condition)"
  }

  private var orphans: String {
    switch self {
    case .packed:
      """
      SELECT count(*), min(id >> \(ChunkKey.bits)) FROM history_chunk
      WHERE id >> \(ChunkKey.bits) NOT IN (SELECT number FROM history_transaction)
      """
    case .coreData:
      """
      SELECT count(*), min(ZTRANSACTIONID) FROM ACHANGE
      WHERE ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
      """
    }
  }
}

/// An irregularity that the validation of a history found: its kind and how often it occurs.
package struct HistoryFinding: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Transactions whose changes cannot be read, or whose number of changes is wrong.
    case damaged
    /// Changes whose transaction is missing; in the layout `packed`, blobs of changes are counted.
    case orphans
    /// Transactions with more than one change of the same object.
    case duplicates
    /// Transactions that refer to a missing string.
    case unknownStrings
    /// Transactions whose timestamp is not a number.
    case unreadableTimes
    /// Transactions with an earlier timestamp than the previous transaction.
    case stepsBack
    /// Missing numbers between the first and the last transaction.
    case gaps
    /// Strings that no transaction refers to.
    case unusedStrings
    /// References to missing objects, left by programs that do not enforce foreign keys.
    case danglingReferences
  }

  package let kind: Kind
  /// The number of irregularities of this kind.
  package let count: Int64
  /// The lowest number of an affected transaction, a missing transaction or an unused string.
  ///
  /// Orphans and gaps give a missing transaction. For a dangling reference, this is the key of
  /// ``object``.
  package let first: Int64
  /// The first object with a dangling reference, such as `Item/3`; otherwise `nil`.
  package let object: String?
  /// Whether the irregularity is an error, because no valid history contains it.
  ///
  /// A valid history may have gaps and unused strings, because purges leave them. In a store with
  /// raw timestamps, a timestamp may also be earlier than the previous one.
  package let isWrong: Bool

  package init(
    kind: Kind,
    count: Int64,
    first: Int64,
    object: String? = nil,
    isWrong: Bool
  ) {
    self.kind = kind
    self.count = count
    self.first = first
    self.object = object
    self.isWrong = isWrong
  }
}

extension HistoryFinding.Kind {
  /// Returns a phrase with the count, such as `2 changes without a transaction`.
  package func sentence(of count: Int) -> String {
    let (noun, rest) =
      switch self {
      case .damaged: ("transaction", "with changes that cannot be read")
      case .orphans: ("change", "without a transaction")
      case .duplicates: ("transaction", "with two changes of one object")
      case .unknownStrings: ("transaction", "with a reference to a missing string")
      case .unreadableTimes: ("transaction", "without a readable time")
      case .stepsBack: ("transaction", "with an earlier time than the previous transaction")
      case .gaps: ("number", "missing")
      case .unusedStrings: ("string", "used by no transaction")
      case .danglingReferences: ("reference", "to a missing object")
      }
    return "\(count.counted(noun)) \(rest)"
  }
}

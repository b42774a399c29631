import PersistentHistory
import SQLiteStorage

/// What a purge did.
public struct PurgeResult: Sendable, Hashable {
  /// The last number that is purged now; protected authors' transactions stay.
  public let purgedThrough: Int64
  /// The least cursor of all members, or the head without a member.
  public let watermark: Int64
  /// How many transactions this purge deleted.
  public let transactionCount: Int
  /// Whether the watermark or the head kept the purge from going as far as it was asked to.
  public let isLimited: Bool
}

extension Store {
  /// Purges what every member has merged: the history at or below the watermark, but for protected
  /// authors' transactions and the newest one.
  ///
  /// The position is raised in one small transaction that reads the registry; from then on what is at
  /// or below it is invisible. The rows are deleted after that in chunks, each its own transaction; a
  /// purge that is interrupted is completed by the next.
  ///
  /// - Complexity: proportional to what is purged, however long the history is.
  @discardableResult
  public func purge() throws(HistoryError) -> PurgeResult {
    try purge(through: .max)
  }

  /// Purges for a member, who must still be the one that it thinks it is.
  ///
  /// - Throws: ``HistoryError/superseded(_:)`` and its like; nothing is purged then.
  @discardableResult
  public func purge(by registration: Registration) throws(HistoryError) -> PurgeResult {
    try purge(through: .max, by: registration)
  }

  /// Purges the history of some authors, or of all, through a number.
  func purge(
    through wanted: Int64,
    authors: Set<String?>? = nil,
    by registration: Registration? = nil
  ) throws(HistoryError) -> PurgeResult {
    let raised = try lockedHistory { core in
      try core.write {
        try core.raisePurged(through: wanted, authors: authors, by: registration)
      }
    }
    var deleted = 0
    var isDone = !raised.hasRows
    while !isDone {
      // Another request may run between two chunks.
      let chunk = try lockedHistory { core in try core.write { try core.deleteChunk() } }
      deleted += chunk.count
      isDone = chunk.isLast
    }
    return PurgeResult(
      purgedThrough: raised.through,
      watermark: raised.watermark,
      transactionCount: deleted,
      isLimited: raised.through < wanted && wanted != .max
    )
  }

  /// The numbers of the transactions that the file holds and a fetch could return.
  ///
  /// - Complexity: one row a transaction; for tests and the lab.
  package func heldNumbers() throws(HistoryError) -> [Int64] {
    try lockedHistory { core in
      try core.read {
        let purged = try core.purgedByAuthor()
        let rows = try core.query(
          """
          SELECT \(core.layout.number), \(core.layout.author) FROM \(core.layout.transactions)
          ORDER BY \(core.layout.number)
          """
        )
        defer { rows.statement.reset() }
        var numbers: [Int64] = []
        while try rows.statement.step() {
          let number = rows.statement.int(0)
          let author = Int32(truncatingIfNeeded: rows.statement.int(1))
          if number > purged[author] ?? 0 { numbers.append(number) }
        }
        return numbers
      }
    }
  }
}

extension StoreCore {
  /// How many transactions one chunk deletes: the write lock is held for a few milliseconds.
  private static let purgeChunk: Int64 = 1000

  /// Raises what is purged, in the transaction that reads the registry.
  fileprivate func raisePurged(
    through wanted: Int64,
    authors: Set<String?>?,
    by registration: Registration?
  ) throws -> (through: Int64, watermark: Int64, hasRows: Bool) {
    if let registration { try validate(registration) }
    let (bound, watermark) = try purgeBound(wanted)
    let before = try metadata("purged")
    try raise(through: bound, of: authors, from: before)
    let reached = max(bound, before)
    let through = authors == nil ? reached : max(bound, 0)
    return (through, watermark, try metadata("deleted") < reached)
  }

  /// The last number that may be purged of those that are asked for, and the watermark.
  func purgeBound(_ wanted: Int64) throws -> (bound: Int64, watermark: Int64) {
    let head = try head().number
    let least = try statement(.watermark)
    defer { least.statement.reset() }
    let isKnown = try least.statement.step() && !least.statement.isNull(0)
    let watermark = isKnown ? least.statement.int(0) : head
    return (rules.purgeBound(wanted, watermark, head), watermark)
  }

  /// The numbers of the authors that may be purged, of some or of all, with what is purged of each.
  func purgeable(_ authors: Set<String?>?) throws -> [Int32: Int64] {
    try learnNewStrings()
    return try purgedByAuthor().filter { number, _ in
      let author = strings[number]
      return !configuration.isProtected(author) && authors?.contains(author) ?? true
    }
  }

  /// Makes the history of every author who is not protected, or of some of them, invisible through a
  /// number.
  private func raise(
    through bound: Int64,
    of authors: Set<String?>?,
    from before: Int64
  ) throws {
    let unprotected = try purgeable(authors)
    guard !unprotected.isEmpty else { return }
    // New since the last purge, or protected then, by this store or by another's configuration.
    let behind = unprotected.filter { $0.value < min(bound, before) }
    guard bound > before || !behind.isEmpty else { return }
    let raise = try query(
      """
      UPDATE history_author SET purged = max(purged, ?1)
      WHERE string IN (\(Self.list(unprotected.keys)))
      """
    )
    raise.statement.bind(bound, at: 1)
    try raise.statement.run()
    try setMetadata("purged", max(bound, before))
    if !behind.isEmpty { try deleteAgain(from: Self.list(behind.keys)) }
  }

  /// Lets the deletion start again at the first row that some authors have left where it already was.
  ///
  /// - Complexity: one row for each transaction that is held there, which only protection does.
  private func deleteAgain(from authors: String) throws {
    try connection.execute(
      """
      UPDATE history_metadata SET value = min(value, ifnull((
        SELECT min(\(layout.number)) - 1 FROM \(layout.transactions)
        WHERE \(layout.number) <= history_metadata.value
        AND \(layout.author) IN (\(authors))), value))
      WHERE name = 'deleted'
      """
    )
  }

  /// Deletes the next rows that are purged, and remembers how far it came.
  fileprivate func deleteChunk() throws -> (count: Int, isLast: Bool) {
    let through = try metadata("purged")
    let from = try metadata("deleted")
    guard from < through else { return (0, true) }
    guard let first = try row(atOrAfter: from + 1)?.number, first <= through else {
      try setMetadata("deleted", through)
      return (0, true)
    }
    let purged = try purgedByAuthor()
    let end = try chunkEnd(first, through, purged.values.filter { $0 >= first })
    let count = try delete(first, end, keeping: Self.list(purged.filter { $0.value < end }.keys))
    try setMetadata("deleted", end)
    return (count, end == through)
  }

  /// The last number of a chunk: it holds so many transactions and so many rows of big ones at most,
  /// and every author was purged through all of it or through nothing of it.
  func chunkEnd(_ first: Int64, _ through: Int64, _ purged: [Int64]) throws -> Int64 {
    let end = min(through, first + Self.purgeChunk - 1, purged.min() ?? through)
    let beyond = try query(layout.transactionBeyond)
    beyond.statement.bind(first, at: 1)
    beyond.statement.bind(end, at: 2)
    beyond.statement.bind(Int64(layout.purgeChunkRows), at: 3)
    defer { beyond.statement.reset() }
    return try beyond.statement.step() ? max(first, beyond.statement.int(0) - 1) : end
  }

  /// Deletes the transactions of a run of numbers but for those of some authors.
  private func delete(_ first: Int64, _ end: Int64, keeping kept: String) throws -> Int {
    let condition = """
      \(layout.number) >= ?1 AND \(layout.number) <= ?2 AND \(layout.author) NOT IN (\(kept))
      """
    for sql in layout.deletions(where: condition, from: "?1", through: "?2") {
      let delete = try query(sql)
      delete.statement.bind(first, at: 1)
      delete.statement.bind(end, at: 2)
      try delete.statement.run()
    }
    return Int(connection.changes)
  }

  /// A number that the file keeps about itself.
  func metadata(_ name: String) throws -> Int64 {
    let read = try query("SELECT value FROM history_metadata WHERE name = ?1")
    read.statement.bind(name, at: 1)
    defer { read.statement.reset() }
    return try read.statement.step() ? read.statement.int(0) : 0
  }

  func setMetadata(_ name: String, _ value: Int64) throws {
    let write = try query("UPDATE history_metadata SET value = ?2 WHERE name = ?1")
    write.statement.bind(name, at: 1)
    write.statement.bind(value, at: 2)
    try write.statement.run()
  }

  /// Numbers of strings, for SQL.
  static func list(_ numbers: some Sequence<Int32>) -> String {
    numbers.sorted().map(String.init).joined(separator: ",")
  }
}

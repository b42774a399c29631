import HistoryTypes
import SQLiteStorage

extension StoreCore {
  /// Records the requesting member's cursor, and raises the position up to which history is purged.
  ///
  /// Before it raises the position, it marks as lost the members that the purge does not wait for:
  /// those beyond the retention limits and, if `order.isCuttingOff` is `true`, all members with
  /// contexts that have not merged the history to purge. If `isDue` is `false`, it only records the
  /// cursor. The caller runs the method inside one write transaction, so that the registry cannot
  /// change between these steps.
  func raisePurged(_ order: PurgeOrder, isDue: Bool) throws -> RaisedPurge {
    var write = MemberWrite(member: order.registration?.member, cursor: nil)
    if let registration = order.registration {
      try validate(registration)
      if let cursor = order.cursor {
        try checkIsOurs(cursor)
        try record(registration, through: cursor)
        write.cursor = cursor
      }
    }
    let before = try metadata("purged")
    guard isDue else {
      reportToObserver(write)
      return RaisedPurge(through: before, watermark: try purgeBound(0).watermark, hasRows: false)
    }
    let cut = try cut(order)
    let lost = try cutOff(before: cut.number)
    let (bound, watermark) = try purgeBound(order.wanted)
    let isRaised = try raise(through: bound, of: order.authors, from: before)
    try rememberPurge(order.trigger, isRaised: isRaised)
    let reached = max(bound, before)
    if isRaised { write.purged = before + 1..<reached + 1 }
    reportToObserver(write)
    return RaisedPurge(
      through: order.authors == nil ? reached : max(bound, 0),
      watermark: watermark,
      hasRows: try metadata("deleted") < reached,
      lost: lost,
      jumps: cut.jumps
    )
  }

  /// Returns the last transaction number up to `wanted` that may be purged, and the watermark.
  ///
  /// The watermark is the lowest cursor of the active members, or the newest transaction's number
  /// if no member is active. The newest transaction is never purged, so that its number is not
  /// assigned again.
  func purgeBound(_ wanted: Int64) throws -> (bound: Int64, watermark: Int64) {
    let head = try head().number
    let least = try statement(.watermark)
    defer { least.statement.reset() }
    let isKnown = try least.statement.step() && !least.statement.isNull(0)
    let watermark = isKnown ? least.statement.int(0) : head
    return (min(wanted, watermark, head - 1), watermark)
  }

  /// Returns the purged positions of those of the given authors whose history may be purged.
  ///
  /// An author's purged position is the number up to which all of the author's history was purged.
  /// Authors that this store or any active member protects are omitted: a process does not purge
  /// history that another process protects.
  func purgeable(_ authors: Set<String?>?) throws -> [Int32: Int64] {
    let purged = try purgedByAuthor()
    if purged.keys.max() ?? 0 > cache.strings.completeThrough { try learnNewStrings() }
    let patterns = try activeConfigurations().reduce(into: Set(configuration.protectedAuthors)) {
      $0.formUnion($1.protectedAuthors ?? [])
    }
    return purged.filter { number, _ in
      let author = cache.strings[number]
      return !AuthorPatterns.match(author, patterns) && authors?.contains(author) ?? true
    }
  }

  /// Makes the unprotected history of the given authors, or of all, invisible up to and including `bound`.
  ///
  /// - Returns: whether any author's purged position changed.
  private func raise(
    through bound: Int64,
    of authors: Set<String?>?,
    from before: Int64
  ) throws -> Bool {
    let unprotected = try purgeable(authors)
    guard !unprotected.isEmpty else { return false }
    // The authors in `behind` are new since the last purge, or were protected at that time.
    let behind = unprotected.filter { $0.value < min(bound, before) }
    guard bound > before || !behind.isEmpty else { return false }
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
    return true
  }

  /// Makes the next deletion start at the first remaining transaction of the given authors.
  ///
  /// Earlier purges kept transactions of these authors, for example because an author was protected.
  ///
  /// - Complexity: at most one visit to each transaction that earlier purges kept.
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

  /// Deletes the next chunk of purged rows, and records the position up to which rows are deleted.
  func deleteChunk() throws -> (count: Int, isLast: Bool) {
    let through = try metadata("purged")
    let from = try metadata("deleted")
    guard let first = try row(atOrAfter: from + 1)?.number, first <= through else {
      try setMetadata("deleted", through)
      return (0, true)
    }
    let purged = try purgedByAuthor()
    let end = try chunkEnd(first, through, purged.values.filter { $0 >= first })
    let kept = purged.filter { $0.value < end }.keys
    let count = try delete(first, end, keeping: Self.list(kept))
    try setMetadata("deleted", end)
    return (count, end == through)
  }

  /// Returns the last transaction number of the chunk of a purge that starts at `first`.
  ///
  /// A chunk has limited numbers of transactions and of rows of changes, and ends at or before
  /// `through`. Each number in `purged` is at least `first`, and is the number up to which one
  /// author's history is purged. The chunk ends at or before the lowest of these numbers, so that
  /// the purge deletes either all or none of each author's transactions in the chunk.
  func chunkEnd(_ first: Int64, _ through: Int64, _ purged: [Int64]) throws -> Int64 {
    configuration.actionObserver?.deletes(first)
    let count = configuration.purgeChunkCount
    let end = min(first + count - 1, through, purged.min() ?? .max)
    let beyond = try query(layout.transactionBeyond)
    beyond.statement.bind(first, at: 1)
    beyond.statement.bind(end, at: 2)
    beyond.statement.bind(Int64(layout.purgeChunkRows), at: 3)
    defer { beyond.statement.reset() }
    return try beyond.statement.step() ? max(first, beyond.statement.int(0) - 1) : end
  }

  /// Deletes the transactions in a range of numbers, except those of the authors in the SQL list `kept`.
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

  /// Returns interned-string numbers as an SQL list, such as `1,2,5`.
  static func list(_ numbers: some Sequence<Int32>) -> String {
    numbers.sorted().map(String.init).joined(separator: ",")
  }
}

extension Store {
  /// Returns whether a purge is due; the size of history is measured without the write lock.
  func isDue(_ trigger: PurgeTrigger) throws(HistoryError) -> Bool {
    switch trigger {
    case .always:
      return true
    case .atIntervals(let interval):
      return try lockedHistory { core in
        try core.read { try core.isPurgeDue(every: interval.inSeconds) }
      }
    case .whenLargerThan(let share):
      return try historySize().share > share
    }
  }
}

extension StoreCore {
  /// The name of the metadata value with the time of the last purge.
  ///
  /// The time is in milliseconds since 2001-01-01 UTC.
  private static let purgeTimeName = "purgedAtMs"

  /// Returns whether `seconds` have passed since the last purge.
  ///
  /// Also returns `true` if no purge is recorded, or the recorded time is in the future.
  fileprivate func isPurgeDue(every seconds: Double) throws -> Bool {
    guard let last = try knownMetadata(Self.purgeTimeName) else { return true }
    let nowMs = currentTimeMs
    return nowMs < last || Double(nowMs - last) >= seconds * 1000
  }

  /// Records the time of a purge.
  ///
  /// With the trigger `atIntervals`, the time is recorded for every purge. With other triggers, the
  /// time is recorded only if the purge raised the purged position of an author.
  func rememberPurge(_ trigger: PurgeTrigger, isRaised: Bool) throws {
    let isCounted = if case .atIntervals = trigger { true } else { isRaised }
    if isCounted { try putMetadata(Self.purgeTimeName, currentTimeMs) }
  }

  /// The current time in milliseconds since 2001-01-01 UTC, clamped to the range of an integer.
  private var currentTimeMs: Int64 {
    let nowMs = configuration.clock().timeIntervalSinceReferenceDate * 1000
    return Int64(max(-0x1p62, min(0x1p62, nowMs.rounded(.down))))
  }
}

public import HistoryTypes
import SQLiteStorage

/// The author, context and start time of a transaction.
struct Authorship {
  var author: String?
  var contextName: String?
  /// The raw ``WriterID`` of the context that writes, or 0 if no context writes.
  var writer: Int64 = 0
  /// The time of the store's clock at the start of the write, before the wait for the write lock.
  ///
  /// `nil` uses the time after the wait.
  var begunAt: Date?
}

/// A committed transaction.
public struct WrittenTransaction: Sendable, Hashable {
  /// The position immediately after the transaction.
  public let token: HistoryToken
  /// The time at which the transaction was written, according to the store's clock.
  public let timestamp: Date
  /// The number of objects that the transaction changed.
  public let count: Int

  /// The number of the transaction; number order is commit order.
  public var number: TransactionNumber { TransactionNumber(token.number) }
}

extension StoreCore {
  /// Runs a closure that changes rows, and writes the changes as one history transaction.
  ///
  /// The rows and the history are written in the same SQLite transaction. If the closure changes no
  /// row, the file is not changed; if `allowsNone` is `true`, a history transaction without changes
  /// is written instead. The closure receives the version of the changed rows, which is the number
  /// of the history transaction.
  func writeTransaction(
    by authorship: Authorship,
    keepingObjects: Bool = false,
    allowsNone: Bool = false,
    _ body: (_ version: Int64, inout ChangePacker) throws -> Void
  ) throws -> WrittenTransaction? {
    do {
      let written = try write {
        let head = try previous()
        let number = head.number + 1
        configuration.actionObserver?.writes(number)
        packed.begin(keepingObjects: keepingObjects)
        try body(number, &packed)
        guard packed.count > 0 || allowsNone else { throw NothingChanged() }
        return try insert(number, after: head.timestamp, authorship)
      }
      positions.head = KnownHead(
        number: written.number.rawValue,
        timestamp: written.timestamp.timeIntervalSinceReferenceDate,
        dataVersion: connection.dataVersion
      )
      signal(written)
      return written
    } catch is NothingChanged {
      return nil
    }
  }

  /// Inserts the packed changes as a history transaction with the given number.
  func insert(
    _ number: Int64,
    after previous: Double,
    _ authorship: Authorship
  ) throws -> WrittenTransaction {
    let timestamp = timestamp(after: previous, begunAt: authorship.begunAt)
    let mark = nextMark()
    let process = try internProcess(authorship.writer)
    let record = TransactionRecord(
      number: number,
      timestamp: timestamp,
      mark: mark,
      author: try internAuthor(authorship.author),
      contextName: try internContext(authorship.contextName),
      bundle: process.bundle,
      process: process.process,
      writer: authorship.writer,
      firstChange: 0,
      count: Int(packed.count)
    )
    try insert(record)
    return WrittenTransaction(
      token: HistoryToken(store: id, number: number, mark: mark),
      timestamp: Date(timeIntervalSinceReferenceDate: timestamp),
      count: Int(packed.count)
    )
  }

  /// Inserts a transaction with its packed changes.
  func insert(_ record: TransactionRecord) throws {
    switch layout {
    case .packed: try insertPacked(record)
    case .coreData: try insertRows(record)
    }
  }

  /// Returns the clock value, raised above the previous timestamp unless timestamps are raw.
  private func timestamp(after previous: Double, begunAt: Date?) -> Double {
    let now = (begunAt ?? configuration.clock()).timeIntervalSinceReferenceDate
    guard timestamps == .monotone, now <= previous else { return now }
    // Beyond 2^33 s a double cannot resolve a microsecond, so the next greater double is used.
    return max(previous + 1e-6, previous.nextUp)
  }

  /// Returns the numbers of the interned strings of the configured bundle and process.
  ///
  /// In the layout `coreData`, the process string also contains `writer`, the ID of the context
  /// that writes.
  private func internProcess(_ writer: Int64) throws -> ProcessStrings {
    let labelled = layout == .coreData ? writer : 0
    if let known = cache.processStrings, known.writer == labelled { return known }
    let name = configuration.processID
    let made = ProcessStrings(
      bundle: try intern(configuration.bundleID),
      process: try intern(
        layout == .coreData ? ProcessLabel(name: name, writer: writer).text : name
      ),
      writer: labelled
    )
    cache.processStrings = made
    return made
  }
}

/// The numbers of the interned strings for bundle and process, which each transaction records.
struct ProcessStrings {
  let bundle: Int32
  let process: Int32
  /// The ID of the writing context that is part of the process string; 0 if none is part of it.
  let writer: Int64
}

/// An error that rolls back a write that changed no row.
private struct NothingChanged: Error {}

/// The outcome of a write of rows.
struct ChangeOutcome {
  /// The transaction; `nil` when no row changed, or when the store keeps no history.
  var transaction: WrittenTransaction?
  /// The version that the write gave to the changed rows: the number of its history transaction.
  ///
  /// In a store without history, the version is a negative number that no earlier write used.
  var version: Int64
  /// The number of objects that changed.
  var count: Int
  /// The objects that changed, in order, if they were requested.
  var objects: [ObjectID] = []
}

extension StoreCore {
  /// Runs a closure that changes rows and records the changes; writes history if it is tracked.
  ///
  /// The closure receives the version of the changed rows. If it changes no row, the file is not
  /// changed.
  func writeChanges(
    by authorship: Authorship,
    _ result: BatchResultType = .status,
    _ body: (_ version: Int64, inout ChangePacker) throws -> Void
  ) throws -> ChangeOutcome {
    let keepsObjects = result == .objectIDs
    guard tracksHistory else { return try writeUntracked(keepsObjects, body) }
    var version: Int64 = 0
    let written = try writeTransaction(by: authorship, keepingObjects: keepsObjects) {
      version = $0
      try body($0, &$1)
    }
    return ChangeOutcome(
      transaction: written,
      version: version,
      count: written?.count ?? 0,
      objects: written == nil ? [] : packed.objects
    )
  }

  /// Writes rows without history.
  ///
  /// Versions count down from -1, so that they never equal a transaction's number.
  private func writeUntracked(
    _ keepsObjects: Bool,
    _ body: (_ version: Int64, inout ChangePacker) throws -> Void
  ) throws -> ChangeOutcome {
    try write {
      // Another process may have turned tracking on since this store was opened.
      guard try metadata(FileHeader.untrackedName) == 1 else {
        throw HistoryError.readOnly(path: path)
      }
      try checkModel(after: query(Self.metadataSQL))
      let version = try metadata(FileHeader.versionName) - 1
      packed.begin(keepingObjects: keepsObjects)
      try body(version, &packed)
      guard packed.count > 0 else { return ChangeOutcome(version: version, count: 0) }
      let raise = try query("UPDATE history_metadata SET value = ?2 WHERE name = ?1")
      raise.statement.bind(FileHeader.versionName, at: 1)
      raise.statement.bind(version, at: 2)
      try raise.statement.run()
      return ChangeOutcome(version: version, count: Int(packed.count), objects: packed.objects)
    }
  }
}

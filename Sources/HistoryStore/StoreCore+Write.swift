public import PersistentHistory
import SQLiteStorage

/// Who writes a transaction.
struct Authorship {
  var author: String?
  var contextName: String?
  /// The context's number, 0 for none.
  var writer: Int64 = 0
  /// What the clock read when the write began, if that was before its commit.
  var begunAt: Date?
}

/// A transaction that was committed.
public struct WrittenTransaction: Sendable, Hashable {
  /// The position right behind the transaction.
  public let token: HistoryToken
  /// When it was written, by the store's clock.
  public let timestamp: Date
  /// How many objects it changed.
  public let count: Int

  /// Its position: number order is commit order.
  public var number: Int64 { token.number }
}

extension StoreCore {
  /// Runs a closure that changes rows and packs the changes, and writes them as one history
  /// transaction in the same SQLite transaction; nothing is written when nothing changed.
  ///
  /// The closure gets the version that changed rows take, which is the number that the transaction
  /// will have.
  func writeTransaction(
    by authorship: Authorship,
    keepingObjects: Bool = false,
    _ body: (_ version: Int64, inout ChangePacker) throws -> Void
  ) throws -> WrittenTransaction? {
    do {
      let written = try write {
        let head = try previous()
        let number = head.number + 1
        configuration.witness?.writes(number)
        packed.begin(keepingObjects: keepingObjects)
        try body(number, &packed)
        guard packed.count > 0 else { throw NothingChanged() }
        return try insert(number, after: head.timestamp, authorship)
      }
      knownHead = KnownHead(
        number: written.number,
        timestamp: written.timestamp.timeIntervalSinceReferenceDate,
        dataVersion: connection.dataVersion
      )
      signal(written)
      return written
    } catch is NothingChanged {
      return nil
    }
  }

  private func insert(
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
      contextName: try intern(authorship.contextName),
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

  /// Writes a transaction with the changes that are packed.
  func insert(_ record: TransactionRecord) throws {
    switch layout {
    case .packed: try insertPacked(record)
    case .coreData: try insertRows(record)
    }
  }

  /// The clock's reading, lifted above the previous transaction's unless the store keeps it raw.
  private func timestamp(after previous: Double, begunAt: Date?) -> Double {
    let now = (begunAt ?? configuration.clock()).timeIntervalSinceReferenceDate
    guard timestamps == .monotone, now <= previous else { return now }
    // Beyond 2^33 s a microsecond is less than a double resolves: it takes the next double then.
    return max(previous + 1e-6, previous.nextUp)
  }

  /// The numbers of the strings that name this process, and in `coreData` the writer with it.
  private func internProcess(_ writer: Int64) throws -> ProcessStrings {
    let labelled = layout == .coreData ? writer : 0
    if let processStrings, processStrings.writer == labelled { return processStrings }
    let name = configuration.processID
    let made = ProcessStrings(
      bundle: try intern(configuration.bundleID),
      process: try intern(
        layout == .coreData ? ProcessLabel(name: name, writer: writer).text : name
      ),
      writer: labelled
    )
    processStrings = made
    return made
  }
}

/// The numbers of the strings that name a process and, where the layout wants it, a writer in it.
struct ProcessStrings {
  let bundle: Int32
  let process: Int32
  let writer: Int64
}

/// Ends a write that changed nothing without leaving a transaction.
private struct NothingChanged: Error {}

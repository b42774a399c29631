public import PersistentHistory
import SQLiteStorage

/// Who writes a transaction.
struct Authorship {
  var author: String?
  var contextName: String?
  /// The context's number, 0 for none.
  var writer: Int64 = 0
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
  /// The closure gets the number that the transaction will have, which is also the version that
  /// changed rows take.
  func writeTransaction(
    by authorship: Authorship,
    _ body: (_ number: Int64, inout ChangePacker) throws -> Void
  ) throws -> WrittenTransaction? {
    do {
      let written = try write {
        let head = try head()
        let number = rules.nextNumber(try lastNumber(head.number))
        packed.begin()
        try body(number, &packed)
        guard packed.count > 0 else { throw NothingChanged() }
        let written = try insert(number, after: head.timestamp, authorship)
        signal(written, .beforeCommit)
        return written
      }
      signal(written, .afterCommit)
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
    let timestamp = timestamp(after: previous)
    let mark = nextMark()
    let process = try internProcess()
    let row = try statement(.insertTransaction)
    row.statement.bind(number, at: 1)
    row.statement.bind(timestamp, at: 2)
    row.statement.bind(mark, at: 3)
    row.statement.bind(Int64(try internAuthor(authorship.author)), at: 4)
    row.statement.bind(Int64(try intern(authorship.contextName)), at: 5)
    row.statement.bind(Int64(process.bundle), at: 6)
    row.statement.bind(Int64(process.process), at: 7)
    row.statement.bind(authorship.writer, at: 8)
    row.statement.bind(packed.count, at: 9)
    row.statement.bind(Int64(bitPattern: packed.entities), at: 10)
    if packed.chunkStarts.isEmpty {
      row.statement.bind(borrowed: packed.bytes.bytes, at: 11)
    } else {
      row.statement.bindNull(at: 11)
      try insertChunks(of: number)
    }
    try row.statement.run()
    return WrittenTransaction(
      token: HistoryToken(store: id, number: number, mark: mark),
      timestamp: Date(timeIntervalSinceReferenceDate: timestamp),
      count: Int(packed.count)
    )
  }

  /// The clock's reading, lifted above the previous transaction's unless the store keeps it raw.
  private func timestamp(after previous: Double) -> Double {
    let now = configuration.clock().timeIntervalSinceReferenceDate
    guard timestamps == .monotone, now <= previous else { return now }
    // Beyond 2^33 s a microsecond is less than a double resolves: take the next double then.
    return max(previous + 1e-6, previous.nextUp)
  }

  private func insertChunks(of number: Int64) throws {
    let chunk = try statement(.insertChunk)
    let starts = [0] + packed.chunkStarts
    let ends = packed.chunkStarts + [packed.bytes.count]
    for (index, (start, end)) in zip(starts, ends).enumerated() {
      chunk.statement.bind(number << ChunkKey.bits | Int64(index), at: 1)
      chunk.statement.bind(
        borrowed: UnsafeRawBufferPointer(rebasing: packed.bytes.bytes[start..<end]),
        at: 2
      )
      try chunk.statement.run()
    }
  }

  private func internProcess() throws -> (bundle: Int32, process: Int32) {
    if let processStrings { return processStrings }
    let made = (
      bundle: try intern(configuration.bundleID), process: try intern(configuration.processID)
    )
    processStrings = made
    return made
  }
}

/// Ends a write that changed nothing without leaving a transaction.
private struct NothingChanged: Error {}

/// The key of a chunk: the transaction's number above so many bits of its position.
enum ChunkKey {
  static let bits: Int64 = 20
}

import Basics
import Foundation
import HistoryStore
import HistoryTypes
import Programs
import Traces

/// A Python program that knows nothing of the library, and writes plain SQL to the store's file.
///
/// Before each commit it appends the author and the changes of its transaction to a log, so that every
/// captured transaction has a known content. It is killed and started again while it writes.
package final class PlainSQLWriter {
  /// What the program did in all of its lives.
  package struct Counts: Codable, Hashable, Sendable {
    package var lives = 0
    package var kills = 0
    package var stops = 0
    /// The number of its transactions that history got.
    package var written = 0

    /// The counts in a sentence without its period.
    package var sentence: String {
      "a Python script with plain SQL wrote \(written.counted("transaction")); it was killed "
        + "\(kills.counted("time")) and stopped \(stops.counted("time"))"
    }
  }

  /// The beginning of the author of each transaction, which contains the life and the transaction's number.
  static let authorPrefix = "plain-sql."

  private(set) var counts = Counts()
  private let store: String
  private let log: String
  private let errors: FileHandle
  private let rate: Double
  private var process: Process?
  private var logged: [String: [LoggedChange]] = [:]
  /// The number of bytes of the log that were read.
  private var readCount: UInt64 = 0
  /// The size of the log in bytes at the start of the present life.
  private var logSize: Int64 = 0
  /// Whether the present life has logged a transaction.
  private(set) var hasBegun = false
  private var diesAt: ContinuousClock.Instant?
  private var stopsAt: ContinuousClock.Instant?
  private var goesOnAt: ContinuousClock.Instant?
  private var startsAt: ContinuousClock.Instant?

  /// A change in the log; an insert has no key, because the store's trigger chooses it.
  private struct LoggedChange: Decodable {
    let type: String
    let key: Int64?
    let values: [String: LoggedValue]
  }

  private enum LoggedValue: Decodable {
    case number(Int64)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int64.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    var value: Value {
      switch self {
      case .number(let number): .int(number)
      case .text(let text): .string(text)
      }
    }
  }

  private struct LoggedTransaction: Decodable {
    let author: String
    let changes: [LoggedChange]
  }

  init(store: String, log: String, errors: FileHandle, rate: Double) {
    self.store = store
    self.log = log
    self.errors = errors
    self.rate = rate
  }

  deinit { end() }

  /// Whether a folder of PATH contains `python3`.
  package static var isAvailable: Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return folders.split(separator: ":").contains { access("\($0)/python3", X_OK) == 0 }
  }

  /// Starts a life of the program.
  private func start(seed: UInt64) throws {
    let started = Process()
    started.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    started.arguments =
      ["python3", "-c", Self.program, store, log, "\(counts.lives)", "\(seed)", "\(rate)"]
    started.standardInput = FileHandle.nullDevice
    started.standardOutput = FileHandle.nullDevice
    started.standardError = errors
    started.terminationHandler = { ChildKeeper.forget($0.processIdentifier) }
    logSize = Self.size(of: log)
    hasBegun = false
    try started.run()
    try ChildKeeper.keep(started.processIdentifier)
    process = started
    counts.lives += 1
  }

  /// Kills the program, and waits until it is gone; a later ``tend(at:killsPerSecond:_:)`` starts it again.
  func end() {
    guard let process else { return }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    self.process = nil
    (diesAt, stopsAt, goesOnAt) = (nil, nil, nil)
  }

  /// Kills, stops, continues or starts the program, as is due.
  ///
  /// - Returns: A clause about an end that the run did not cause; otherwise `nil`.
  func tend(
    at now: ContinuousClock.Instant,
    killsPerSecond: Double,
    _ random: inout SplitMix64
  ) throws -> String? {
    guard let process else {
      guard startsAt ?? now <= now else { return nil }
      try start(seed: random.next())
      return nil
    }
    guard process.isRunning else {
      let code = process.terminationStatus
      self.process = nil
      return "ended by itself with code \(code)"
    }
    if !hasBegun {
      // The start of Python may take longer than a life.
      hasBegun = Self.size(of: log) > logSize
      guard hasBegun, killsPerSecond > 0 else { return nil }
      diesAt = now + .seconds(Double.random(in: 0...2, using: &random) / killsPerSecond)
      if Bool.random(using: &random) {
        stopsAt = now + .seconds(Double.random(in: 0...1, using: &random) / killsPerSecond)
      }
    }
    if let time = diesAt, time <= now {
      end()
      counts.kills += 1
      startsAt = now + .milliseconds(Int.random(in: 0...250, using: &random))
    } else if let time = stopsAt, time <= now {
      kill(process.processIdentifier, SIGSTOP)
      counts.stops += 1
      (stopsAt, goesOnAt) = (nil, now + .milliseconds(Int.random(in: 30...300, using: &random)))
    } else if let time = goesOnAt, time <= now {
      kill(process.processIdentifier, SIGCONT)
      goesOnAt = nil
    }
    return nil
  }

  private static func size(of file: String) -> Int64 {
    var facts = stat()
    return stat(file, &facts) == 0 ? Int64(facts.st_size) : 0
  }

  /// Returns the planned changes of a transaction that the store has captured.
  ///
  /// - Throws: An error if the log cannot be read, or does not have the transaction.
  func changes(of transaction: HistoryTransaction, _ model: Model) throws -> [PlannedChange] {
    let author = transaction.author ?? ""
    if logged[author] == nil { try readLog() }
    guard let changes = logged.removeValue(forKey: author) else {
      throw StressError(
        "history has a transaction by \(author), which the program with plain SQL has not logged."
      )
    }
    counts.written += 1
    var inserted = transaction.changes.filter { $0.type == .insert }.map(\.objectID.key)
      .makeIterator()
    return changes.map { change in
      let type: ChangeType =
        switch change.type {
        case "insert": .insert
        case "update": .update
        default: .delete
        }
      let key = change.key ?? inserted.next() ?? 0
      return PlannedChange(
        type,
        ObjectName(StressModel.entity, key),
        change.values.mapValues(\.value)
      )
    }
  }

  /// Reads the whole lines that were added to the log.
  private func readLog() throws {
    guard let file = FileHandle(forReadingAtPath: log) else { return }
    defer { try? file.close() }
    try file.seek(toOffset: readCount)
    guard let added = try file.readToEnd(), let end = added.lastIndex(of: UInt8(ascii: "\n")) else {
      return
    }
    for line in added[...end].split(separator: UInt8(ascii: "\n")) {
      let transaction = try JSONDecoder().decode(LoggedTransaction.self, from: Data(line))
      logged[transaction.author] = transaction.changes
    }
    readCount += UInt64(added.distance(from: added.startIndex, to: end) + 1)
  }

  /// The program, which gets the store, the log, the number of its life, a seed and a rate.
  ///
  /// A killed life may have left half a line, which the next one ends.
  private static let program = """
    import json, random, sqlite3, sys, time
    store, log, life, seed, rate = sys.argv[1:6]
    draw = random.Random(int(seed))
    file = sqlite3.connect(store, timeout=60, isolation_level=None)
    notes = open(log, "a")
    notes.write("\\n")
    number = 0
    while True:
        number += 1
        author, changes, seen = f"plain-sql.{life}.{number}", [], {0}
        file.execute("BEGIN IMMEDIATE")
        file.execute("UPDATE history_foreign_author SET author = ?", (author,))
        for _ in range(draw.randint(1, 3)):
            rows = file.execute("SELECT _key, count FROM Item").fetchall()
            key, count = draw.choice(rows) if rows else (0, 0)
            kind = draw.random()
            if key in seen or kind < 0.4:
                values = {"title": f"{author}/{len(changes)}", "count": draw.randrange(1000000), "bucket": draw.randrange(8)}
                file.execute("INSERT INTO Item(title, count, bucket) VALUES(:title, :count, :bucket)", values)
                changes.append({"type": "insert", "key": None, "values": values})
                seen.update(row[0] for row in file.execute("SELECT _key FROM Item WHERE title = ?", (values["title"],)))
            elif kind < 0.8:
                values = {"count": (count or 0) + 1}
                file.execute("UPDATE Item SET count = ? WHERE _key = ?", (values["count"], key))
                changes.append({"type": "update", "key": key, "values": values})
            else:
                file.execute("DELETE FROM Item WHERE _key = ?", (key,))
                changes.append({"type": "delete", "key": key, "values": {}})
            seen.add(key)
        file.execute("UPDATE history_foreign_author SET author = NULL")
        notes.write(json.dumps({"author": author, "changes": changes}) + "\\n")
        notes.flush()
        file.execute("COMMIT")
        if float(rate) > 0:
            time.sleep(draw.uniform(0, 2) / float(rate))
    """
}

/// What the run itself reads of history.
extension StressSession {
  /// The number of transactions that the run remembers at least.
  private static let rememberedCount = 20_000

  /// Reads the new transactions, and adds those of the program with plain SQL to its trace.
  ///
  /// The run is a member of the store, so that no transaction is purged before this has read it.
  func readHistory() throws {
    guard let registration else { return }
    var request = HistoryRequest(after: readPosition.token)
    while true {
      let page = try store.fetch(request)
      let now = MonotonicClock.now
      if readTransactions.count > 2 * Self.rememberedCount {
        let oldest = page.scannedThrough.number - Int64(Self.rememberedCount)
        readTransactions = readTransactions.filter { $0.key.rawValue > oldest }
      }
      for transaction in page.transactions {
        readTransactions[transaction.number] = transaction
        guard let plainSQL, transaction.author?.hasPrefix(PlainSQLWriter.authorPrefix) == true
        else { continue }
        try trace(transaction, of: plainSQL, until: now)
      }
      readPosition.token = page.scannedThrough
      guard page.hasMore else {
        readPosition.readAt = now
        break
      }
      request = request.next(after: page)
    }
    result.plainSQL = plainSQL?.counts
    guard let token = readPosition.token else { return }
    do throws(HistoryError) { try store.record(registration, through: token) } catch {
      // The next reading records a later position.
      guard error.isBusy else { throw error }
    }
  }

  /// Adds a captured transaction to the trace; it was committed after the last reading.
  private func trace(
    _ transaction: HistoryTransaction,
    of program: PlainSQLWriter,
    until now: Int64
  ) throws {
    var write = PlannedWrite(
      actor: members[0].id,
      context: PlannedWrite.plainSQL,
      changes: try program.changes(of: transaction, store.model)
    )
    write.author = transaction.author.map(WriteAuthor.other) ?? .absent
    let command = Command(.write(write))
    let place = readPosition.readAt...now
    plainSQLTrace?.add(
      [
        .init(
          .called(command: program.counts.written, word: command.action.word),
          at: readPosition.readAt,
          given: command
        ), .init(.committed(CommittedTransaction(store.model, transaction)), place),
        .init(.ended(command: nil, .ok), place),
      ],
      about: members[0].id
    )
  }
}

import Basics
import Foundation
import HistoryStore
import HistoryTypes
import Programs
import Traces

/// A Python script that writes to the store's file with plain SQL, without the library.
///
/// Before each commit, the script appends the write to a log, as a command of a plan, so that the values
/// of every captured transaction are known. The run kills the script while it writes, and starts it
/// again.
package final class PlainSQLWriter {
  /// The numbers of transactions, kills and stops over all launches of the script.
  package struct Counts: Codable, Hashable, Sendable {
    package var lives = 0
    package var kills = 0
    package var stops = 0
    /// The number of the Python script's transactions that the run has found in history.
    package var written = 0

    /// The numbers of transactions, kills and stops in a sentence, without the final period.
    package var sentence: String {
      "a Python script with plain SQL wrote \(written.counted("transaction")); it was killed "
        + "\(kills.counted("time")) and stopped \(stops.counted("time"))"
    }
  }

  /// The prefix of each transaction's author, before the numbers of the launch and the transaction.
  static let authorPrefix = "plain-sql."

  private(set) var counts = Counts()
  private let store: String
  private let log: String
  /// The actor to which the trace attributes the script's writes.
  private let actor: ActorID
  private let header: PlanHeader
  private let errors: FileHandle
  private let rate: Double
  private var process: Process?
  /// The writes read from the log and not yet found in history, by author.
  private var logged: [WriteAuthor: PlannedWrite] = [:]
  /// The number of bytes that the run has read from the Python script's log.
  private var readCount: UInt64 = 0
  /// The size in bytes that the Python script's log had when the script was last launched.
  private var logSize: Int64 = 0
  /// Whether the Python script has added a transaction to its log since it was last launched.
  private(set) var hasBegun = false
  private var diesAt: ContinuousClock.Instant?
  private var stopsAt: ContinuousClock.Instant?
  private var resumesAt: ContinuousClock.Instant?
  private var startsAt: ContinuousClock.Instant?

  init(
    store: String,
    log: String,
    actor: ActorID,
    header: PlanHeader,
    errors: FileHandle,
    rate: Double
  ) {
    self.store = store
    self.log = log
    self.actor = actor
    self.header = header
    self.errors = errors
    self.rate = rate
  }

  deinit { end() }

  /// Whether a folder of PATH contains `python3`.
  package static var isAvailable: Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return folders.split(separator: ":").contains { access("\($0)/python3", X_OK) == 0 }
  }

  private func start(seed: UInt64) throws {
    let started = Process()
    started.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    started.arguments =
      ["python3", "-c", Self.program, store, log, actor.name]
      + ["\(counts.lives)", "\(seed)", "\(rate)"]
    started.standardInput = FileHandle.nullDevice
    started.standardOutput = FileHandle.nullDevice
    started.standardError = errors
    started.terminationHandler = { ChildKeeper.forget($0.processIdentifier) }
    logSize = Self.size(of: log)
    hasBegun = false
    try started.run()
    try ChildKeeper.keep(started.processIdentifier)
    // It may have ended before it was registered.
    if !started.isRunning { ChildKeeper.forget(started.processIdentifier) }
    process = started
    counts.lives += 1
  }

  /// Kills the Python script and waits for its end; ``tend(at:killsPerSecond:_:)`` starts it again.
  func end() {
    guard let process else { return }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    self.process = nil
    (diesAt, stopsAt, resumesAt) = (nil, nil, nil)
  }

  /// Kills, stops, continues or starts the Python script if that is due.
  ///
  /// - Returns: A clause about how the script ended, if it ended by itself; otherwise `nil`.
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
      // The times until a kill and a stop count from the first write, because the start of Python
      // may take longer than these times.
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
      (stopsAt, resumesAt) = (nil, now + .milliseconds(Int.random(in: 30...300, using: &random)))
    } else if let time = resumesAt, time <= now {
      kill(process.processIdentifier, SIGCONT)
      resumesAt = nil
    }
    return nil
  }

  /// Continues the Python script if SIGSTOP has stopped it: it may hold the store's write lock.
  func resume() {
    guard let process, resumesAt != nil else { return }
    kill(process.processIdentifier, SIGCONT)
    resumesAt = nil
  }

  private static func size(of file: String) -> Int64 {
    var facts = stat()
    return stat(file, &facts) == 0 ? Int64(facts.st_size) : 0
  }

  /// Returns the Python script's write that the store captured as a transaction.
  ///
  /// Inserted objects have names with negative keys, because the store's trigger chooses their keys.
  ///
  /// - Throws: An error if the log cannot be read, or does not contain the write.
  func write(of transaction: HistoryTransaction) throws -> PlannedWrite {
    let author = transaction.author.map(WriteAuthor.other) ?? .absent
    if logged[author] == nil { try readLog() }
    guard let write = logged.removeValue(forKey: author) else {
      throw StressError(
        "history has transaction \(transaction.number), which the Python script has not logged."
      )
    }
    counts.written += 1
    return write
  }

  /// Reads the complete lines that were added to the log since the last call.
  private func readLog() throws {
    guard let file = FileHandle(forReadingAtPath: log) else { return }
    defer { try? file.close() }
    try file.seek(toOffset: readCount)
    guard let added = try file.readToEnd(), let end = added.lastIndex(of: UInt8(ascii: "\n")) else {
      return
    }
    let beginning = PlanCodec.encode(Plan(header: header, commands: []))
    let plan = try PlanCodec.decode(beginning + String(decoding: added[...end], as: UTF8.self))
    for case .write(let write) in plan.commands.map(\.action) { logged[write.author] = write }
    readCount += UInt64(added.distance(from: added.startIndex, to: end) + 1)
  }

  /// The script; its arguments are the store, log, actor, number of the launch, seed and rate.
  ///
  /// Each command of the log reaches the file in one call, so that a kill leaves no half line.
  private static let program = """
    import json, random, sqlite3, sys, time
    store, log, actor, life, seed, rate = sys.argv[1:7]
    draw = random.Random(int(seed))
    file = sqlite3.connect(store, timeout=60, isolation_level=None)
    notes = open(log, "a")
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
                changes.append({"op": "insert", "object": f"Item/{-1 - len(changes)}", "values": values})
                seen.update(row[0] for row in file.execute("SELECT _key FROM Item WHERE title = ?", (values["title"],)))
            elif kind < 0.8:
                values = {"count": (count or 0) + 1}
                file.execute("UPDATE Item SET count = ? WHERE _key = ?", (values["count"], key))
                changes.append({"op": "update", "object": f"Item/{key}", "values": values})
            else:
                file.execute("DELETE FROM Item WHERE _key = ?", (key,))
                changes.append({"op": "delete", "object": f"Item/{key}"})
            seen.add(key)
        file.execute("UPDATE history_foreign_author SET author = NULL")
        write = {"do": "write", "actor": actor, "author": author, "context": "sql", "changes": changes}
        notes.write(json.dumps(write) + "\\n")
        notes.flush()
        file.execute("COMMIT")
        if float(rate) > 0:
            time.sleep(draw.uniform(0, 2) / float(rate))
    """
}

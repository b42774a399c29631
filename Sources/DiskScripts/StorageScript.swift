import Faults
import HistoryStore
import HistoryTypes
import SQLiteStorage
import Synchronization

/// Scripted checks of connections that wait for locks, and of calls that fail as a store is created.
///
/// The script also binds long values while SQLite gets no memory for them.
struct StorageScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    try wait(folder)
    // After a fault, the script ends: the next wait for a lock might not end.
    guard faults.lines.isEmpty else { return }
    try waitForLog(folder)
    try failLog(folder)
    try create(folder)
    do throws(SQLiteError) { try bindValues() } catch { throw HistoryError(error) }
    try refuse(folder)
    try readSpecialPath(folder)
  }

  // MARK: Locks

  /// The pauses of `sqlite3_busy_timeout` in milliseconds; the last pause repeats.
  private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  /// Returns the number of pauses of `sqlite3_busy_timeout` within a timeout in milliseconds.
  ///
  /// SQLite shortens the last pause so that the pauses add up to the timeout.
  private static func pauseCount(_ timeout: Int) -> Int {
    var (count, sum) = (0, 0)
    while sum < timeout {
      sum += pauses[min(count, pauses.count - 1)]
      count += 1
    }
    return count
  }

  /// Writes while another connection holds the lock, and checks the number of attempts to lock.
  ///
  /// The write must succeed if the lock is released before its last attempt, and otherwise fail.
  private func wait(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("locked")
    let holder = LockHolder()
    let files = RealFileSystem(waits: false) { call, kind in
      if call == .lock, kind == .main { holder.countAttempt() }
    }
    var configuration = configuration()
    configuration.vfs = files.name
    let first = try Store(path: path, model: store.model, configuration: configuration)
    try insert(into: first)
    configuration.busyTimeout = .zero
    let eager = try Store(path: path, configuration: configuration)
    let perAttempt = try holder.attempts(path, of: eager, max: 100) {
      expect(isBusy: true, of: $0, waiting: 0)
    }
    guard faults.lines.isEmpty else { return }
    for timeout in [seed.draw(20) + 4, seed.draw(900) + 30] {
      configuration.busyTimeout = .milliseconds(timeout)
      let waiting = try Store(path: path, configuration: configuration)
      let wanted = Self.pauseCount(timeout)
      // The other connection releases its lock if the store waits too long.
      let count = try holder.attempts(path, of: waiting, max: 40 * perAttempt) {
        expect(isBusy: true, of: $0, waiting: timeout)
      }
      expect(
        count == (wanted + 1) * perAttempt,
        "with a timeout of \(timeout) ms a connection locks \(count) times, not"
          + " \((wanted + 1) * perAttempt)"
      )
      guard faults.lines.isEmpty else { return }
      // The lock is released before the last attempt.
      _ = try holder.attempts(path, of: waiting, max: wanted * perAttempt) {
        expect(isBusy: false, of: $0, waiting: timeout)
      }
    }
    expect(try first.verify().filter(\.isWrong).isEmpty, "a file is not intact after refusals")
  }

  private func expect(isBusy: Bool, of file: Store, waiting timeout: Int) {
    do throws(HistoryError) {
      try insert(into: file)
      expect(!isBusy, "a write succeeds that waits for more than \(timeout) ms")
    } catch {
      guard case .sqlite(let failure) = error.reason, failure.cause == .busy else {
        return faults.append("a write that waits for a lock leads to the wrong error: \(error)")
      }
      expect(isBusy, "a write fails although the lock is released within \(timeout) ms")
      expect(
        error.suggestion == failure.suggestion && failure.description.contains(failure.message),
        "the error for a lock has no suggestion: \(error)"
      )
    }
  }

  /// Opens a file in rollback mode while another connection writes: it cannot switch to WAL mode.
  private func waitForLog(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("without a log")
    var configuration = configuration()
    configuration.busyTimeout = .milliseconds(2)
    do {
      let made = try Store(path: path, model: store.model, configuration: configuration)
      try insert(into: made)
    }
    do {
      let raw = try RawFile(path)
      try raw.run("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE")
      do throws(HistoryError) {
        _ = try Store(path: path, configuration: configuration)
        faults.append("a file switches to WAL mode while another connection writes to it")
      } catch {
        guard case .sqlite(let failure) = error.reason, failure.cause == .busy else {
          return faults.append("a file that cannot use WAL mode leads to the wrong error: \(error)")
        }
      }
      try raw.run("COMMIT")
    }
    let opened = try Store(path: path, configuration: configuration)
    expect(try insert(into: opened) == 2, "a file in rollback mode has lost a transaction")
    expect(folder.names.contains("without a log-wal"), "an opened file has no WAL")
  }

  /// Opens a file in rollback mode while a write or sync fails.
  ///
  /// The file must switch to WAL mode, or the opening must fail.
  private func failLog(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("failing log")
    do {
      let made = try Store(path: path, model: store.model, configuration: configuration())
      try insert(into: made)
    }
    let files = RealFileSystem(waits: false)
    var configuration = configuration()
    configuration.vfs = files.name
    let failures: [(FileFault.Kind, FileCall)] = [
      (.ioError, .write), (.full, .write), (.ioError, .sync),
    ]
    for (kind, call) in failures {
      try RawFile(path).run("PRAGMA journal_mode = DELETE")
      files.arm([FileFault(kind, file: .main, call: call, k: 1)])
      do throws(HistoryError) {
        let opened = try Store(path: path, configuration: configuration)
        files.disarm()
        try insert(into: opened)
        expect(folder.names.contains("failing log-wal"), "an opened file has no WAL after \(kind)")
      } catch {
        files.disarm()
        expect(error.code == .sqlite, "a failed switch to WAL leads to the wrong error: \(error)")
      }
    }
  }

  // MARK: Creation

  /// Creates stores while a write or a sync of the file fails: the creation must fail, or be complete.
  private func create(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let log = CallCount()
    let files = RealFileSystem(waits: false) { call, kind in
      if call == .write, kind == .wal { log.add() }
    }
    // The first write or two, and the first sync or two, switch the file to WAL mode.
    let failures: [(FileFault.Kind, FileCall, Int)] = [
      (.ioError, .write, 1 + seed.draw(2)), (.ioError, .write, 3 + seed.draw(4)),
      (.full, .write, 3 + seed.draw(4)), (.ioError, .sync, 1 + seed.draw(4)),
    ]
    for (kind, call, number) in failures {
      log.reset()
      try create(folder, files, FileFault(kind, file: .main, call: call, k: number), log)
    }
  }

  /// Creates a store during a fault, and then opens it.
  private func create(
    _ folder: borrowing ScratchFolder,
    _ files: RealFileSystem,
    _ fault: FileFault,
    _ log: CallCount
  ) throws(HistoryError) {
    let path = folder.file("created \(fault.kind.rawValue) \(fault.call?.name ?? "") \(fault.k)")
    var configuration = configuration()
    configuration.vfs = files.name
    files.arm([fault])
    var made: Store?
    do throws(HistoryError) {
      made = try Store(path: path, model: store.model, configuration: configuration)
    } catch {
      expect(error.code == .sqlite, "a failed creation leads to the wrong error: \(error)")
    }
    let hasFailed = files.disarm().contains { $0.failedCalls > 0 }
    expect(hasFailed || made != nil, "the creation of a store fails without a fault")
    // If the switch to WAL mode fails, the store tries again after it has created the schema.
    expect(
      !hasFailed || made == nil || log.count == 0,
      "a store is created although a checkpoint fails, by the fault \(fault)"
    )
    made = nil
    let opened = try Store(path: path, model: store.model, configuration: configuration)
    expect(try insert(into: opened) == 1, "a store has a transaction after the fault \(fault)")
  }

  // MARK: Values

  /// Binds texts and blobs of several lengths, and then again while SQLite's allocations fail.
  ///
  /// A value must be read back even if SQLite gets no memory for its copy of the value.
  private func bindValues() throws(SQLiteError) {
    let connection = try Connection(path: ":memory:")
    for count in [0, 1, seed.draw(100), 2000 + seed.draw(3000), 70_000] {
      let letter = seed.pick(["a", "é", "😀"])
      let text = String(repeating: letter, count: count)
      for fails in [false, true] {
        let statement = try Statement(connection, "SELECT ?1, ?2, ?3, typeof(?1), typeof(?2)")
        let bytes = Array(text.utf8)
        // The only allocations until the fault is disarmed are SQLite's copies of the values.
        let canFail = fails && FailingAllocator.isInPlace
        if canFail { FailingAllocator.arm(k: 1, from: true) }
        statement.bind(text, at: 1)
        bytes.withUnsafeBytes { statement.bind(copying: $0, at: 2) }
        statement.bind(nil as String?, at: 3)
        if canFail {
          let failed = FailingAllocator.disarm()
          // SQLite copies a short value into memory that the connection has reserved.
          expect(failed > 0 || count < 2000, "no allocation fails for \(count) characters")
        }
        let isRow = try statement.step()
        expect(
          isRow && statement.text(0) == text && statement.text(3) == "text",
          "a text of \(count) characters is read as another text\(fails ? ", without memory" : "")"
        )
        expect(
          statement.bytes(1).elementsEqual(bytes) && statement.text(4) == "blob",
          "a blob of \(bytes.count) bytes is read as another blob\(fails ? ", without memory" : "")"
        )
        expect(statement.isNull(2), "a missing text is not read as null")
      }
    }
  }

  // MARK: Refusals

  /// Opens a store in memory, and prepares empty and invalid SQL; all must fail.
  ///
  /// Then checks the steps of SQLite's virtual machine that a short and a long query report.
  private func refuse(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    expect(.sqlite, of: "a store in memory") { () throws(HistoryError) in
      _ = try Store(path: ":memory:", model: store.model, configuration: configuration())
    }
    do throws(SQLiteError) {
      let connection = try Connection(path: ":memory:")
      for sql in ["", "  ", "-- only a comment", "SELEC 1", "SELECT * FROM missing"] {
        do throws(SQLiteError) {
          _ = try Statement(connection, sql)
          faults.append("the SQL text \"\(sql)\" is prepared as a statement")
        } catch {
          expect(error.sql == sql && !error.message.isEmpty, "\"\(sql)\" fails with: \(error)")
        }
      }
      // A long query takes more steps than a short one, and the count starts again.
      let steps = try [10, 1000].map { (count) throws(SQLiteError) in
        let statement = try Statement(
          connection,
          "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?1) SELECT sum(i) FROM n"
        )
        statement.bind(Int64(count), at: 1)
        let isRow = try statement.step()
        expect(
          isRow && statement.int(0) == Int64(count * (count + 1) / 2),
          "a sum of \(count) numbers is wrong"
        )
        let counts = [statement.takeSteps(), statement.takeSteps()]
        expect(
          counts[0] > 0 && counts[1] == 0,
          "a statement reports \(counts) steps; the first number must be above 0, the second 0"
        )
        return counts[0]
      }
      expect(
        steps[1] > 10 * steps[0],
        "a long statement takes \(steps[1]) steps, not over 10 times the \(steps[0]) of a short one"
      )
    } catch { throw HistoryError(error) }
  }

  /// Reads a file whose path contains characters that are special in URIs.
  private func readSpecialPath(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let parts = ["%", "?", "#", "é", "\n", "%41", "&"]
    let name = "read " + (0..<6).map { _ in seed.pick(parts) }.joined()
    var number: Int64 = 0
    do {
      let path = folder.file(name)
      let made = try Store(path: path, model: store.model, configuration: configuration())
      for _ in 0...seed.draw(3) { number = try insert(into: made) }
    }
    let reading = try Store(reading: folder.file(name), copyingTo: folder.path)
    let found = try reading.currentToken().number
    expect(found == number, "the file \(name) is read with \(found) transactions, not \(number)")
  }
}

/// A connection that holds a file's write lock until another one has made too many attempts.
///
/// All calls are made on the script's thread, also those of `countAttempt()` by the file system.
private final class LockHolder: @unchecked Sendable {
  private var connection: Connection?
  private var count = 0
  private var max = Int.max

  /// Counts another connection's attempt to lock; after more than `max`, releases the held lock.
  func countAttempt() {
    count += 1
    if count > max { connection = nil }
  }

  /// Runs a write while a connection holds the write lock; returns the number of attempts to lock.
  func attempts(
    _ path: String,
    of file: Store,
    max: Int = .max,
    _ write: (Store) -> Void
  ) throws(HistoryError) -> Int {
    do throws(SQLiteError) {
      let made = try Connection(path: path)
      try made.execute("BEGIN IMMEDIATE")
      connection = consume made
    } catch { throw HistoryError(error) }
    (count, self.max) = (0, max)
    write(file)
    connection = nil
    return count
  }
}

/// The number of calls that a file system reported.
private final class CallCount: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock { $0 } }

  func add() { number.withLock { $0 += 1 } }

  func reset() { number.withLock { $0 = 0 } }
}

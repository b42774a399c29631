import HistoryTypes
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The loop of the watching thread, which waits for signals and notifies listeners of new commits.
///
/// No commit is missed: a commit that happens while the loop reads the newest position or calls a
/// listener leaves a signal that ends the next wait. Commits in quick succession are reported as
/// one.
final class WatchLoop: @unchecked Sendable {
  private let file: WatchedFile
  private let files: FileWatch
  private let listeners: ChangeListeners
  /// The lock held while the reader is used, but not while a listener is called.
  private let access = ConnectionLock()
  private var reader: HeadReader?
  /// The last reported position, or the newest position when the watch started.
  private var reported: HistoryToken
  /// Whether the store is suspended; then the reader is closed, and the thread only waits.
  private var isPaused = false
  /// Whether the next read reports the newest position even if it was reported before.
  private var mustReport = false
  /// The flag that ends the reader's wait for a lock.
  private let stop = StopFlag()

  /// Starts the watch; commits after this call will be reported.
  ///
  /// - Throws: the errors of opening and reading the store.
  init(_ file: WatchedFile, _ files: FileWatch, _ listeners: ChangeListeners) throws {
    files.arm()
    let reader = try HeadReader(file, stop)
    reported = try reader.token()
    self.file = file
    self.files = files
    self.listeners = listeners
    self.reader = reader
  }

  /// Runs until ``ChangeListeners/end()`` is called.
  func run() {
    while !listeners.hasEnded {
      let wake = files.wait(access.withLock { isPaused } ? .max : file.pollMs)
      if wake == .signal {
        look()
      } else if !listeners.hasEnded {
        look(checkingFile: true)
      }
    }
  }

  /// Closes the reader, so that the watch holds no lock until ``resume()``.
  ///
  /// A call of a listener that is in progress continues.
  func pause() {
    stop.isSet = true
    access.withLock {
      isPaused = true
      reader = nil
    }
    stop.isSet = false
  }

  /// Continues after ``pause()``, and reports the newest position even if it was reported before.
  func resume() {
    access.withLock {
      isPaused = false
      mustReport = true
    }
    files.interrupt()
  }

  /// Notifies the listeners of the newest position, if `findNews` returns one.
  private func look(checkingFile: Bool = false) {
    let news = access.withLock { () -> HistoryToken? in
      do {
        return try isPaused ? nil : findNews(checkingFile: checkingFile)
      } catch {
        // The file is missing, locked or being replaced: the next signal or poll tries again.
        reader = nil
        return nil
      }
    }
    if let news { listeners.notify(news) }
  }

  /// Returns the newest position if the listeners must be notified of it, and `nil` otherwise.
  private func findNews(checkingFile: Bool) throws -> HistoryToken? {
    if checkingFile { files.arm() }
    let reader = try currentReader(checkingFile: checkingFile)
    let head = try reader.token()
    guard try mustReport || head != reported || reader.hasForeignChanges() else { return nil }
    reported = head
    mustReport = false
    return head
  }

  /// Returns the reader of the file at the store's path, or the previous reader if no file exists.
  private func currentReader(checkingFile: Bool) throws -> HeadReader {
    guard let reader else { return try openReader() }
    guard checkingFile else { return reader }
    if let now = FileIdentity(file.path), now != reader.identity { return try openReader() }
    try reader.readStore()
    return reader
  }

  private func openReader() throws -> HeadReader {
    let opened = try HeadReader(file, stop)
    reader = opened
    return opened
  }
}

/// A dedicated thread, which waits in the kernel for as long as a store is watched.
final class WatchThread: @unchecked Sendable {
  private let thread: pthread_t

  /// Starts a thread.
  ///
  /// - Throws: ``HistoryError/Code/unwatchable`` when the process cannot start the thread.
  init(path: String, _ body: @escaping @Sendable () -> Void) throws(HistoryError) {
    let work = Unmanaged.passRetained(ThreadWork(body: body))
    #if canImport(Darwin)
    var made: pthread_t?
    let code = pthread_create(&made, nil, { runThread($0) }, work.toOpaque())
    guard code == 0, let made else {
      work.release()
      throw .unwatchable(path: path, why: String(cString: strerror(code)))
    }
    #else
    var made = pthread_t()
    let code = pthread_create(&made, nil, { runThread($0) }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw .unwatchable(path: path, why: String(cString: strerror(code)))
    }
    #endif
    thread = made
  }

  /// Joins the thread if `waiting` is `true`, or detaches it; must be called exactly once.
  ///
  /// A call on the thread itself always detaches it.
  func end(waiting: Bool) {
    if waiting, pthread_equal(pthread_self(), thread) == 0 {
      pthread_join(thread, nil)
    } else {
      pthread_detach(thread)
    }
  }
}

private final class ThreadWork {
  let body: @Sendable () -> Void

  init(body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().body()
  return nil
}

/// A connection that only reads the newest transaction of a store.
///
/// The watching thread has its own connection, so that it never waits for a long request of the
/// store.
final class HeadReader {
  /// The identity of the open store file; `nil` if the file was replaced while it was opened.
  let identity: FileIdentity?
  private let connection: Connection
  private let head: Statement
  private var foreign: PreparedStatement?
  private var store: StoreID
  private let path: String

  /// Opens an existing store.
  ///
  /// - Throws: ``SQLiteError``, or ``HistoryError`` when the file is not a store.
  init(_ file: WatchedFile, _ stop: StopFlag) throws {
    var options = ConnectionOptions()
    options.access = .readWrite
    options.busyTimeoutMs = file.configuration.busyTimeout.clampedMilliseconds
    options.cacheSizeKiB = 64
    options.vfs = file.configuration.vfs
    let before = FileIdentity(file.path)
    let connection = try Connection(path: file.path, options)
    connection.endWaits(with: stop)
    let store = try Self.store(connection, path: file.path)
    let layout = try Self.layout(connection, path: file.path)
    let sql = StoreStatement.head.sql(layout)
    let head = try Statement(connection, sql)
    // A file that was replaced while it was opened has an unknown identity, and is opened again.
    identity = FileIdentity(file.path) == before ? before : nil
    path = file.path
    self.store = store
    self.connection = connection
    self.head = head
    try prepareForeign()
  }

  /// Returns the token of the newest committed transaction.
  ///
  /// - Complexity: one query of one row.
  func token() throws -> HistoryToken {
    defer { head.reset() }
    guard try head.step() else { return .beginning(of: store) }
    return HistoryToken(store: store, number: head.int(0), mark: head.int(2))
  }

  /// Whether the file holds captured changes of other programs that are not in history yet.
  ///
  /// - Complexity: one query of at most one row.
  func hasForeignChanges() throws -> Bool {
    guard let foreign else { return false }
    defer { foreign.statement.reset() }
    return try foreign.statement.step()
  }

  /// Prepares the query for captured changes, if the file captures changes of other programs.
  private func prepareForeign() throws {
    guard foreign == nil, try FileHeader.foreignWrites(connection) == .captured else { return }
    foreign = try PreparedStatement(connection, "SELECT 1 FROM history_foreign LIMIT 1")
  }

  /// Reads the store's ID again, because the content of the file may have been replaced.
  func readStore() throws {
    store = try Self.store(connection, path: path)
    try prepareForeign()
  }

  private static func layout(
    _ connection: borrowing Connection,
    path: String
  ) throws -> HistoryLayout {
    let sql = "SELECT value FROM history_metadata WHERE name = 'layout'"
    guard let layout = try connection.text(sql).flatMap(HistoryLayout.init) else {
      throw HistoryError.damaged(path: path, what: "its header cannot be read")
    }
    return layout
  }

  private static func store(
    _ connection: borrowing Connection,
    path: String
  ) throws -> StoreID {
    let sql = "SELECT value FROM history_metadata WHERE name = 'store'"
    guard let text = try connection.text(sql), let id = StoreID(text) else {
      throw HistoryError.damaged(path: path, what: "its header cannot be read")
    }
    return id
  }
}

import CSQLite
import Synchronization

/// The statements that start and finish transactions, prepared once for a connection.
package struct TransactionStatements: ~Copyable {
  @usableFromInline
  let beginWrite: Statement
  @usableFromInline
  let beginRead: Statement
  @usableFromInline
  let commit: Statement
  /// The rollback statement, prepared in advance so that a rollback needs no memory.
  @usableFromInline
  let rollback: Statement

  package init(_ connection: borrowing Connection) throws(SQLiteError) {
    // Assign noncopyable properties only after the last statement that may throw.
    let beginWrite = try Statement(connection, "BEGIN IMMEDIATE")
    let beginRead = try Statement(connection, "BEGIN")
    let commit = try Statement(connection, "COMMIT")
    let rollback = try Statement(connection, "ROLLBACK")
    self.beginWrite = beginWrite
    self.beginRead = beginRead
    self.commit = commit
    self.rollback = rollback
  }

  /// Runs a closure inside a write transaction, which acquires the write lock first.
  ///
  /// If the closure or the commit throws, the transaction is rolled back.
  ///
  /// - Throws: The errors of the closure, or ``SQLiteError`` from the begin or the commit.
  @inlinable
  package borrowing func write<Result>(
    _ connection: borrowing Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try run(beginWrite, connection, body)
  }

  /// Runs a closure inside a read transaction, in which all reads return the same snapshot.
  ///
  /// - Throws: The errors of the closure, or ``SQLiteError`` from the begin or the commit.
  @inlinable
  package borrowing func read<Result>(
    _ connection: borrowing Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try run(beginRead, connection, body)
  }

  @inlinable
  borrowing func run<Result>(
    _ begin: borrowing Statement,
    _ connection: borrowing Connection,
    _ body: () throws -> Result
  ) throws -> Result {
    try begin.run()
    do {
      let result = try body()
      try commit.run()
      return result
    } catch {
      rollBack(connection)
      throw error
    }
  }

  /// Rolls back a transaction after a failure, unless SQLite has already rolled it back.
  @usableFromInline
  package borrowing func rollBack(_ connection: borrowing Connection) {
    guard connection.isInTransaction else { return }
    sqlite3_step(rollback.handle)
    sqlite3_reset(rollback.handle)
    connection.rollBack()
  }
}

/// A recursive lock that lets one thread at a time use a connection, based on SQLite's mutex.
package final class ConnectionLock: @unchecked Sendable {
  @usableFromInline
  let mutex: OpaquePointer?

  package init() {
    // Allocating a mutex requires an initialized library; initializing it repeatedly is cheap.
    sqlite3_initialize()
    mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE)
  }

  deinit { sqlite3_mutex_free(mutex) }

  /// Acquires this lock, runs a closure, and releases the lock.
  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    sqlite3_mutex_enter(mutex)
    defer { sqlite3_mutex_leave(mutex) }
    return try body()
  }

  /// Runs a closure while holding this lock; returns `nil` if another thread holds the lock.
  package func withLockIfFree<Result>(_ body: () -> Result) -> Result? {
    guard sqlite3_mutex_try(mutex) == SQLITE_OK else { return nil }
    defer { sqlite3_mutex_leave(mutex) }
    return body()
  }

  /// Acquires this lock, runs a closure, and releases the lock.
  ///
  /// While another thread holds the lock, this method calls `wait` every millisecond.
  package func withLock<Result, Failure: Error>(
    whileTaken wait: () -> Void,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    while sqlite3_mutex_try(mutex) != SQLITE_OK {
      wait()
      sqlite3_sleep(1)
    }
    defer { sqlite3_mutex_leave(mutex) }
    return try body()
  }
}

/// A monotonic clock that is cheap to read, exact to a few milliseconds.
package enum CoarseClock {
  /// The time since an arbitrary start, in milliseconds.
  package static var milliseconds: Int64 { csqlite_coarse_milliseconds() }
}

/// A flag, set from any thread, that makes connections stop waiting for locks.
package final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Creates a flag that lets connections wait for locks until it is set.
  package init() {}

  /// Whether connections stop waiting for locks.
  package var isSet: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }
}

/// The state of a connection's busy handler, which waits for another connection's lock.
///
/// The handler pauses between two attempts for as long as that of `sqlite3_busy_timeout`, but a flag
/// can end the wait early (https://sqlite.org/c3ref/busy_handler.html).
struct LockWait {
  /// The maximum time to wait for a lock, in milliseconds; with 0 there is no wait.
  var timeoutMs: Int32
  /// The flag that ends a wait, if there is one.
  var stop: StopFlag?
  /// The VFS of the connection, whose `xSleep` performs the pauses between attempts.
  private let vfs: UnsafeMutablePointer<sqlite3_vfs>?
  private var waitedMs: Int32 = 0

  private static let pausesMs: [Int32] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  init(_ connection: OpaquePointer, timeoutMs: Int32) {
    self.timeoutMs = timeoutMs
    var vfs: UnsafeMutablePointer<sqlite3_vfs>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_VFS_POINTER, &vfs)
    self.vfs = vfs
  }

  /// Pauses before the next attempt to acquire the lock.
  ///
  /// - Parameter attempt: The number of earlier attempts in this wait; 0 at its start.
  /// - Returns: Whether to try again; `false` when the wait is over.
  mutating func pause(attempt: Int32) -> Bool {
    if attempt == 0 { waitedMs = 0 }
    let next = Self.pausesMs[min(Int(attempt), Self.pausesMs.count - 1)]
    let pauseMs = min(next, timeoutMs - waitedMs)
    guard pauseMs > 0, stop?.isSet != true else { return false }
    waitedMs += pauseMs
    if let vfs { _ = vfs.pointee.xSleep(vfs, pauseMs * 1000) } else { sqlite3_sleep(pauseMs) }
    return stop?.isSet != true
  }
}

/// The busy handler of a connection; the context is its ``LockWait``.
let waitForLock: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { context, attempt in
  guard let wait = context?.assumingMemoryBound(to: LockWait.self) else { return 0 }
  return wait.pointee.pause(attempt: attempt) ? 1 : 0
}

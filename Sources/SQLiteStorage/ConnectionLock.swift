import CSQLite

/// A lock that lets one thread at a time use a connection, made of SQLite's own mutex.
package final class ConnectionLock: @unchecked Sendable {
  @usableFromInline
  let mutex: OpaquePointer?

  package init() {
    // Initialization happens once and is cheap later; allocation needs it.
    sqlite3_initialize()
    mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE)
  }

  deinit { sqlite3_mutex_free(mutex) }

  /// Runs a closure while no other thread is inside one.
  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    sqlite3_mutex_enter(mutex)
    defer { sqlite3_mutex_leave(mutex) }
    return try body()
  }
}

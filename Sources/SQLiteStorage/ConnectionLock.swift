import CSQLite

/// A recursive lock that lets one thread at a time use a connection, based on SQLite's own mutex.
package final class ConnectionLock: @unchecked Sendable {
  @usableFromInline
  let mutex: OpaquePointer?

  package init() {
    // The allocation requires an initialized library; repeated initialization is cheap.
    sqlite3_initialize()
    mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE)
  }

  deinit { sqlite3_mutex_free(mutex) }

  /// Runs a closure with the lock held.
  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    sqlite3_mutex_enter(mutex)
    defer { sqlite3_mutex_leave(mutex) }
    return try body()
  }
}

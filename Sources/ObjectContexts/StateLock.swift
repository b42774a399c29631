import SQLiteStorage

/// A value protected by a lock, for use by one thread at a time.
///
/// It does not use the standard library's `Mutex`: on Linux the thread sanitizer does not recognize
/// it and reports false data races.
final class StateLock<Value: Sendable>: @unchecked Sendable {
  private let lock = ConnectionLock()
  // Accessed only while the lock is held.
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// Runs a closure with exclusive access to the value.
  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { () throws(Failure) in try body(&value) }
  }
}

import SQLiteStorage

/// A value that one thread at a time may use.
///
/// Not a `Mutex` of the standard library: on Linux the thread sanitizer does not see that one, and
/// reports races where there are none.
final class StateLock<Value: Sendable>: @unchecked Sendable {
  private let lock = ConnectionLock()
  // Only touched while the lock is held.
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// Runs a closure while no other thread is inside one.
  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { () throws(Failure) in try body(&value) }
  }
}

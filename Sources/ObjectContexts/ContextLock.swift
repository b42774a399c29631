import SQLiteStorage
import Synchronization

/// A lock that protects the state of a context, for use by one thread at a time.
///
/// The lock is not the standard library's `Mutex`: on Linux the thread sanitizer does not recognize
/// `Mutex` and reports false data races.
final class ContextLock: @unchecked Sendable {
  private let lock = ConnectionLock()
  // This property is accessed only while the lock is held. Swift's checks for exclusive access would
  // take a tenth of the instructions that set an attribute of an object.
  @exclusivity(unchecked)
  private var state: ContextState
  private var isInUse = false

  /// The objects of freed ``ObjectHold`` instances that the context has not handled yet.
  ///
  /// A hold keeps its objects registered while it exists. A separate lock protects the array,
  /// because a hold may be freed on any thread, even on one that has locked the context.
  private var ended: [HeldObjects] = []
  private let endedLock = ConnectionLock()
  private let hasEnded = Atomic(false)
  /// The number of freed ``ObjectHold`` instances at which their objects are released immediately.
  ///
  /// A hold keeps its objects registered. With fewer freed holds, or while a thread is using the
  /// context, the next use of the context releases the objects.
  private static let endedCountMax = 64

  init(_ state: ContextState) { self.state = state }

  /// Runs a closure with exclusive access to the state.
  ///
  /// If the closure calls this method again, the program ends with a message.
  func withLock<Result, Failure: Error>(
    _ body: (inout ContextState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { () throws(Failure) in
      guard !isInUse else {
        fatalError(
          "A closure that a context calls uses the same context. Use only the closure's arguments."
        )
      }
      isInUse = true
      defer { isInUse = false }
      if hasEnded.load(ordering: .relaxed) { releaseEnded() }
      return try body(&state)
    }
  }

  /// Ends the live queries of a context that is being deallocated.
  ///
  /// The method does not release registered objects, because the context's state is freed anyway.
  func finish() { lock.withLock { state.watches.finish() } }

  /// Notes that an ``ObjectHold`` was freed, so that the context can release its objects.
  func end(_ hold: HeldObjects) {
    let count = endedLock.withLock {
      ended.append(hold)
      hasEnded.store(true, ordering: .relaxed)
      return ended.count
    }
    guard count >= Self.endedCountMax else { return }
    lock.withLockIfFree { if !isInUse { releaseEnded() } }
  }

  private func releaseEnded() {
    let ended = endedLock.withLock {
      let ended = self.ended
      self.ended = []
      hasEnded.store(false, ordering: .relaxed)
      return ended
    }
    for hold in ended { state.endHold(hold) }
  }
}

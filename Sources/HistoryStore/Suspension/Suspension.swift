import Dispatch
import HistoryTypes
import SQLiteStorage
import Synchronization

/// The state of a store's suspension.
final class Suspension: Sendable {
  /// Held while the store is being suspended or resumed, and not by requests.
  let lock = ConnectionLock()
  /// Set while running requests must end, because the time that they had is over.
  let interruption = StopFlag()
  private let closed = Atomic<Bool>(false)
  private let callsWait = Atomic<Bool>(false)
  /// Entered while the store is suspended.
  private let suspended = DispatchGroup()

  // A group must not be released while it is entered.
  deinit { open() }

  /// Whether new requests wait or fail.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Makes new requests wait or fail until the store is resumed.
  func close(_ calls: CallsWhileSuspended) {
    callsWait.store(calls == .wait, ordering: .relaxed)
    guard !isClosed else { return }
    suspended.enter()
    closed.store(true, ordering: .releasing)
  }

  /// Accepts new requests again, and wakes those that wait.
  func open() {
    guard isClosed else { return }
    closed.store(false, ordering: .releasing)
    suspended.leave()
  }

  /// Returns after the store was resumed.
  ///
  /// - Throws: ``HistoryError/Code/suspended`` if calls of the suspended store fail.
  func waitForResume(path: String) throws(HistoryError) {
    guard callsWait.load(ordering: .relaxed) else { throw .suspended(path: path) }
    suspended.wait()
  }

  /// Whether a request failed because the suspension interrupted it.
  func explains(_ error: any Error) -> Bool {
    guard interruption.isSet, let failure = error as? SQLiteError else { return false }
    return failure.isInterruption || failure.cause == .busy
  }
}

/// The outcome of calls to a suspended store.
public enum CallsWhileSuspended: Sendable, Hashable {
  /// Calls throw ``HistoryError/Code/suspended``.
  case fail
  /// Calls block their thread until the store is resumed.
  ///
  /// Use it only when no task of Swift's concurrency calls the store, because blocked tasks keep other
  /// tasks from running, perhaps the one that would resume the store.
  case wait
}

extension Store {
  /// Whether the store is suspended, or a suspension has started.
  public var isSuspended: Bool { suspension.isClosed }

  /// Closes the file until ``resume()``, so that the suspended process holds no lock on it.
  ///
  /// A request in progress has a time limit to end; then it is interrupted, rolled back, and fails with
  /// ``HistoryError/Code/suspended``. An interrupted request ends at its next statement of SQLite, within
  /// a tenth of a second if it waits for a lock. Watches rest. The locks of members are released: if
  /// another process launches a member meanwhile, the registration here is superseded.
  ///
  /// Suspending a suspended store only changes what calls do. The system terminates a suspended process
  /// that holds a lock on a file of a shared container (`0xdead10cc`,
  /// https://developer.apple.com/documentation/xcode/sigkill). See <doc:SuspendingAProcess>.
  ///
  /// - Parameters:
  ///   - limit: The time that a request in progress has before it is interrupted.
  ///   - calls: Whether calls fail or wait until the store is resumed.
  /// - Throws: ``HistoryError/Code/insideRequest`` if called inside a request of this store, such as in
  ///   the closure of a batch; the store is then not suspended.
  /// - Complexity: closes one connection, and one more if the store is watched.
  public func suspend(
    within limit: Duration = .seconds(1),
    calls: CallsWhileSuspended = .fail
  ) throws(HistoryError) {
    try suspend(until: ContinuousClock.now + limit, calls)
  }

  /// Suspends the store; requests in progress are interrupted after a time.
  package func suspend(
    until deadline: ContinuousClock.Instant,
    _ calls: CallsWhileSuspended
  ) throws(HistoryError) {
    try checkIsOutsideRequest()
    suspension.lock.withLock {
      suspension.close(calls)
      defer { suspension.interruption.isSet = false }
      close { connection in
        guard ContinuousClock.now >= deadline else { return }
        suspension.interruption.isSet = true
        connection.interrupt()
      }
      watcherSlot.current?.pause()
      memberHolds.release()
    }
    for pinned in pins.open { try pinned.suspend(until: deadline, calls) }
  }

  /// Opens the file again after ``suspend(within:calls:)``; without a suspension it does nothing.
  ///
  /// Watches report the newest position, so that a started tracker catches up.
  ///
  /// - Throws: ``HistoryError/Code/replaced`` if the file was replaced by another store, and the errors
  ///   of opening a file; the store then stays suspended. ``HistoryError/Code/insideRequest`` if called
  ///   inside a request of this store.
  public func resume() throws(HistoryError) {
    try checkIsOutsideRequest()
    try suspension.lock.withLock { () throws(HistoryError) in
      guard suspension.isClosed else { return }
      try reopen()
      memberHolds.take { member in configuration.memberLocks.take(member, self) }
      suspension.open()
      watcherSlot.current?.resume()
    }
    for pinned in pins.open { try pinned.resume() }
  }
}

/// The protection of a store's files while the device is locked.
///
/// It has an effect on Apple's systems only. A request to a file that is protected at the time fails
/// with ``HistoryError/Code/unavailable``, and a tracker retries the pass.
public enum FileProtection: Sendable, Hashable {
  /// The protection that the system gives to new files.
  case system
  /// No access while the device is locked (Apple: `FileProtectionType.complete`).
  case complete
  /// Files that are open stay accessible (Apple: `FileProtectionType.completeUnlessOpen`).
  case completeUnlessOpen
  /// No access between a start of the device and the first unlock.
  ///
  /// Apple: `FileProtectionType.completeUntilFirstUserAuthentication`.
  case completeUntilFirstUserAuthentication
  /// Access at any time (Apple: `FileProtectionType.none`).
  case none

  /// The flag that the VFS gets.
  var flag: FileProtectionFlag {
    switch self {
    case .system: .system
    case .complete: .complete
    case .completeUnlessOpen: .completeUnlessOpen
    case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
    case .none: .none
    }
  }
}

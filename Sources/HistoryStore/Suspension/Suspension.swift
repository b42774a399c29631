import Dispatch
import HistoryTypes
import SQLiteStorage
import Synchronization

/// The suspension state of a store, which makes requests wait or fail during a suspension.
final class Suspension: Sendable {
  /// The lock held while the store is being suspended or resumed; requests do not hold it.
  let lock = ConnectionLock()
  /// A flag that is set when running requests must end, because their time limit has passed.
  let interruption = StopFlag()
  private let closed = Atomic<Bool>(false)
  private let callsWait = Atomic<Bool>(false)
  /// A dispatch group on which requests wait; it is entered while the store is suspended.
  private let suspended = DispatchGroup()

  // A group must not be released while it is entered.
  deinit { open() }

  /// Whether a suspension has started and not ended: new requests then wait or fail.
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

  /// Waits until the store is resumed.
  ///
  /// - Throws: ``HistoryError/Code/suspended``, without waiting, if calls fail while the store is
  ///   suspended (``CallsWhileSuspended/fail``).
  func waitForResume(path: String) throws(HistoryError) {
    guard callsWait.load(ordering: .relaxed) else { throw .suspended(path: path) }
    suspended.wait()
  }

  /// Returns whether a request failed with `error` because the suspension interrupted the request.
  func explains(_ error: any Error) -> Bool {
    guard interruption.isSet, let failure = error as? SQLiteError else { return false }
    return failure.isInterruption || failure.cause == .busy
  }
}

/// The behavior of calls to a suspended store.
public enum CallsWhileSuspended: Sendable, Hashable {
  /// Calls throw ``HistoryError/Code/suspended``.
  case fail
  /// Calls block their thread until the store is resumed.
  ///
  /// Use this case only if no Swift task calls the store: a blocked task keeps other tasks from
  /// running, perhaps the one that would resume the store.
  case wait
}

extension Store {
  /// Whether the store is suspended, or a suspension has started.
  public var isSuspended: Bool { suspension.isClosed }

  /// Closes the file until ``resume()``, so that the suspended process holds no lock on it.
  ///
  /// A request in progress may continue until the time limit. It is then interrupted, rolled back,
  /// and fails with ``HistoryError/Code/suspended``. An interrupted request ends at its next SQLite
  /// statement, or within a tenth of a second if it waits for a lock. Watches report no changes
  /// until the store is resumed. The locks of this process's members are released: if another
  /// process launches one of these members during the suspension, that launch supersedes this
  /// process's registration.
  ///
  /// If the store is already suspended, only the new value of `calls` takes effect. The system
  /// terminates a suspended process that holds a lock on a file of a shared container
  /// (`0xdead10cc`, https://developer.apple.com/documentation/xcode/sigkill). See
  /// <doc:SuspendingAProcess>.
  ///
  /// - Parameters:
  ///   - limit: The time that a request in progress has before it is interrupted. The default is
  ///     1 second.
  ///   - calls: Whether calls fail or wait until the store is resumed. The default is
  ///     ``CallsWhileSuspended/fail``.
  /// - Throws: ``HistoryError/Code/insideRequest`` if called inside a request of this store, such as in
  ///   the closure of a batch; the store is then not suspended.
  /// - Complexity: closes one connection, and one more if the store is watched.
  public func suspend(
    within limit: Duration = .seconds(1),
    calls: CallsWhileSuspended = .fail
  ) throws(HistoryError) {
    try suspend(until: ContinuousClock.now + limit, calls)
  }

  /// Suspends the store; requests in progress are interrupted after a time limit.
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

  /// Opens the file again after ``suspend(within:calls:)``; has no effect if the store is not suspended.
  ///
  /// Watches report the newest position, so that a started tracker catches up.
  ///
  /// - Throws: ``HistoryError/Code/replaced`` if the file was replaced by another store, and the errors
  ///   of opening a file; the store then stays suspended. ``HistoryError/Code/insideRequest`` if called
  ///   inside a request of this store.
  /// - Complexity: opens one connection, and one more if the store is watched; takes the locks of the
  ///   members again.
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
/// The protection has an effect on Apple's systems only. While it denies access to the files,
/// requests fail with ``HistoryError/Code/unavailable``, and a tracker retries its merge.
public enum FileProtection: Sendable, Hashable {
  /// The protection that the system gives to new files.
  case system
  /// No access while the device is locked (Apple: `FileProtectionType.complete`).
  case complete
  /// Files that are already open stay accessible (Apple: `FileProtectionType.completeUnlessOpen`).
  case completeUnlessOpen
  /// No access between a start of the device and its first unlock.
  ///
  /// Apple: `FileProtectionType.completeUntilFirstUserAuthentication`.
  case completeUntilFirstUserAuthentication
  /// Access at any time (Apple: `FileProtectionType.none`).
  case none

  /// The flag that requests this protection from SQLite's VFS when it opens the file.
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

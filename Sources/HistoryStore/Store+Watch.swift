public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Calls a closure after every commit to the store by any process, on the watching thread.
  ///
  /// It receives the newest position each time that has changed: once for several commits in quick
  /// succession, and once more for those during the call. Commits before the watch are not
  /// reported. Commits of this process are reported as well, as Core Data does in practice; to
  /// ignore them, compare the token with the one that the save returned. Records of cursors and
  /// purges are not reported, since they add no history. A position of another store means that the
  /// file was replaced.
  ///
  /// All watches of one store share a thread and a connection, so the closure should be quick. The
  /// watch lasts as long as the returned object, and keeps the store open.
  ///
  /// ```swift
  /// let watch = try store.watch { token in wake(token) }
  /// ```
  ///
  /// - Throws: ``HistoryError/unwatchable(path:why:)``, ``HistoryError/openForReading(path:)``, or
  ///   ``HistoryError/sqlite(_:)`` when the file cannot be read.
  /// - Complexity: a query of one row for each call; the delay is tens of microseconds, and at most
  ///   ``StoreConfiguration/changePollMs`` when the writer was killed before it could signal.
  public func watch(
    _ tell: @escaping @Sendable (_ newest: HistoryToken) -> Void
  ) throws(HistoryError) -> ChangeWatch {
    guard !isForReading else { throw .openForReading(path: path) }
    let watcher = try watcherSlot.watcher(of: WatchedFile(self))
    return ChangeWatch(self, watcher, tell)
  }
}

/// A watch of a store's changes, which ends when it is cancelled or its last reference is released.
public final class ChangeWatch: @unchecked Sendable {
  private struct Hold {
    let store: Store
    let watcher: ChangeWatcher
    let listener: Int
  }

  private let lock = ConnectionLock()
  private var hold: Hold?

  init(_ store: Store, _ watcher: ChangeWatcher, _ tell: @escaping ChangeListeners.Tell) {
    hold = Hold(store: store, watcher: watcher, listener: watcher.listeners.add(tell))
  }

  deinit { cancel() }

  /// Ends the watch; a call of the closure in progress continues, but no further call follows.
  ///
  /// Cancelling the last watch of a store waits for the watching thread to end, unless the thread
  /// is calling a closure at that time. Cancelling again has no effect.
  public func cancel() {
    let held = lock.withLock { () -> Hold? in
      defer { hold = nil }
      return hold
    }
    held?.watcher.listeners.remove(held?.listener ?? 0)
  }
}

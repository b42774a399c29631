public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Tells a closure about every commit to the store, from whichever process, on the thread that
  /// watches.
  ///
  /// It is called with the newest position each time that has moved: once for several commits that
  /// came together, and once more for those that came while it ran. What was committed before is not
  /// told. The commits of this process are told as well (Core Data does the same in practice); who
  /// wants to leave them out compares the token with the one that the save returned. Records of
  /// cursors and purges are not told: they bring nothing to fetch. A position of another store means
  /// that the file was replaced.
  ///
  /// All watches of one store share a thread and a connection, so the closure should be quick. The
  /// watch lasts as long as the handle, and keeps the store open.
  ///
  /// ```swift
  /// let watch = try store.watch { token in wake(token) }
  /// ```
  ///
  /// - Throws: ``HistoryError/unwatchable(path:why:)``, or ``HistoryError/sqlite(_:)`` when the file
  ///   cannot be read.
  /// - Complexity: a query of one row for each call; the delay is tens of microseconds, and at most
  ///   ``StoreConfiguration/changePollMs`` when the writer was killed before it could tell.
  public func watch(
    _ tell: @escaping @Sendable (_ newest: HistoryToken) -> Void
  ) throws(HistoryError) -> ChangeWatch {
    guard !isForReading else { throw .openForReading(path: path) }
    let watcher = try watcherSlot.watcher(of: WatchedFile(self))
    return ChangeWatch(self, watcher, tell)
  }
}

/// A watch of a store's changes; it ends when it is cancelled or nobody holds it any more.
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

  /// Ends the watch; a call of the closure that is under way goes on, and none follows.
  ///
  /// The last watch of a store waits for the watching thread to end, unless that is calling a closure
  /// just now; cancelling again does nothing.
  public func cancel() {
    let held = lock.withLock { () -> Hold? in
      defer { hold = nil }
      return hold
    }
    held?.watcher.listeners.remove(held?.listener ?? 0)
  }
}

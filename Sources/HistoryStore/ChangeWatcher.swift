import SQLiteStorage

/// The one watch of a store that all its listeners share; it ends with the last of them.
final class ChangeWatcher: Sendable {
  let listeners = ChangeListeners()
  private let files: FileWatch
  private let thread: WatchThread

  /// Begins to watch on a thread of its own.
  ///
  /// - Throws: ``HistoryError`` when the store cannot be read, or the system gives no more files or
  ///   threads.
  init(_ file: WatchedFile) throws(HistoryError) {
    files = try FileWatch(file)
    let loop: WatchLoop
    do { loop = try WatchLoop(file, files, listeners) } catch { throw HistoryError(error) }
    thread = try WatchThread(path: file.path) { loop.run() }
  }

  /// Ends the thread, and waits for it unless it is calling somebody, who might wait in turn for
  /// whoever ends the watch.
  deinit {
    let isQuiet = listeners.end()
    files.interrupt()
    thread.end(waiting: isQuiet)
  }
}

/// Where a store finds the watcher that is at work, without keeping it at work.
final class WatcherSlot: @unchecked Sendable {
  private let lock = ConnectionLock()
  private weak var watcher: ChangeWatcher?

  /// The watcher that is at work, or a new one.
  func watcher(of file: WatchedFile) throws(HistoryError) -> ChangeWatcher {
    try lock.withLock { () throws(HistoryError) -> ChangeWatcher in
      if let watcher { return watcher }
      let made = try ChangeWatcher(file)
      watcher = made
      return made
    }
  }
}

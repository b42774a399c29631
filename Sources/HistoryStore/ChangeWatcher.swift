import SQLiteStorage

/// The single watch of a store that all its listeners share; it ends with the last of them.
final class ChangeWatcher: Sendable {
  let listeners = ChangeListeners()
  private let files: FileWatch
  private let thread: WatchThread

  /// Starts watching on a dedicated thread.
  ///
  /// - Throws: ``HistoryError`` when the store cannot be read, or the system has no more files or
  ///   threads available.
  init(_ file: WatchedFile) throws(HistoryError) {
    files = try FileWatch(file)
    let loop: WatchLoop
    do { loop = try WatchLoop(file, files, listeners) } catch { throw HistoryError(error) }
    thread = try WatchThread(path: file.path) { loop.run() }
  }

  /// Ends the thread and waits for it, unless it is calling a listener.
  ///
  /// The listener might in turn wait for the code that ends the watch.
  deinit {
    let isQuiet = listeners.end()
    files.interrupt()
    thread.end(waiting: isQuiet)
  }
}

/// A weak reference to the watcher that a store currently uses.
final class WatcherSlot: @unchecked Sendable {
  private let lock = ConnectionLock()
  private weak var watcher: ChangeWatcher?

  /// Returns the current watcher, or starts a new one.
  func watcher(of file: WatchedFile) throws(HistoryError) -> ChangeWatcher {
    try lock.withLock { () throws(HistoryError) -> ChangeWatcher in
      if let watcher { return watcher }
      let made = try ChangeWatcher(file)
      watcher = made
      return made
    }
  }
}

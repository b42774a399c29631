public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Calls a closure on a watching thread after commits to the store by any process.
  ///
  /// The closure receives the newest position each time the position has changed. Several commits
  /// in quick succession lead to one call; commits during a call lead to one more call. Commits
  /// before the watch are not reported. Commits of this process are reported, too, as they are by
  /// Core Data in practice; to ignore them, compare the token with the one that the save returned.
  /// Recording a cursor and purging are not reported, because they add no history. A position of
  /// another store means that the file was replaced.
  ///
  /// All watches of one store share a thread and a connection, so the closure should return
  /// quickly. The watch lasts as long as the returned object, and keeps the store open.
  ///
  /// ```swift
  /// let watch = try store.watch { token in wake(token) }
  /// ```
  ///
  /// - Throws: ``HistoryError/Code/unwatchable``, ``HistoryError/Code/openForReading``, or
  ///   ``HistoryError/Code/sqlite`` when the file cannot be read.
  /// - Complexity: a query of one row for each call; the delay is tens of microseconds, and at most
  ///   ``StoreConfiguration/changePollInterval`` when the writer was killed before it could signal.
  public func watch(
    _ onChange: @escaping @Sendable (_ newest: HistoryToken) -> Void
  ) throws(HistoryError) -> ChangeWatch {
    guard !isForReading else { throw .openForReading(path: path) }
    // The watch opens a connection, which a suspended store must not have.
    let watcher = try locked { _ in try watcherSlot.watcher(of: WatchedFile(self)) }
    return ChangeWatch(self, watcher, onChange)
  }
}

/// A watch of a store's changes; it ends when it is cancelled or its last reference is released.
public final class ChangeWatch: @unchecked Sendable {
  private struct Hold {
    let store: Store
    let watcher: ChangeWatcher
    let listener: Int
  }

  private let lock = ConnectionLock()
  private var hold: Hold?

  init(_ store: Store, _ watcher: ChangeWatcher, _ onChange: @escaping ChangeListeners.Handler) {
    hold = Hold(store: store, watcher: watcher, listener: watcher.listeners.add(onChange))
  }

  deinit { cancel() }

  /// Ends the watch; a call of the closure in progress continues, but no further call follows.
  ///
  /// Cancelling the last watch of a store waits for the watching thread to end, unless the thread
  /// is calling a closure at that time. Cancelling a cancelled watch has no effect.
  public func cancel() {
    let held = lock.withLock { () -> Hold? in
      defer { hold = nil }
      return hold
    }
    held?.watcher.listeners.remove(held?.listener ?? 0)
  }
}

/// The newest positions of a store, as an asynchronous sequence.
///
/// A consumer that is slower than the commits receives only the newest position, so a loop that
/// fetches new history in each iteration misses no transaction and accumulates no backlog.
public struct StoreChanges: AsyncSequence, Sendable {
  /// A position in the history of the store.
  public typealias Element = HistoryToken
  /// The sequence ends without an error.
  public typealias Failure = Never

  private let stream: AsyncStream<HistoryToken>

  init(_ store: Store) throws(HistoryError) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: HistoryToken.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let watch = try store.watch { token in continuation.yield(token) }
    continuation.onTermination = { _ in watch.cancel() }
    self.stream = stream
  }

  /// Creates the iterator, which only one task at a time may use.
  public func makeAsyncIterator() -> AsyncStream<HistoryToken>.Iterator {
    stream.makeAsyncIterator()
  }
}

extension Store {
  /// The newest position after each commit to the store by any process from now on.
  ///
  /// Positions that a slow reader has not received are dropped, except the newest.
  ///
  /// ```swift
  /// for await token in try store.changes { print(token) }
  /// ```
  ///
  /// Each access starts a watch of its own, like ``watch(_:)``. The watch lasts until the iterating
  /// task is cancelled or the last reference to the sequence is released, and keeps the store open.
  ///
  /// - Throws: the errors of ``watch(_:)``.
  /// - Complexity: that of ``watch(_:)``.
  public var changes: StoreChanges {
    get throws(HistoryError) { try StoreChanges(self) }
  }
}

/// The single watch of a store that all its listeners share; it ends with the last listener.
final class ChangeWatcher: Sendable {
  let listeners = ChangeListeners()
  private let files: FileWatch
  private let loop: WatchLoop
  private let thread: WatchThread

  /// Starts watching on a dedicated thread.
  ///
  /// - Throws: ``HistoryError`` when the store cannot be read, or the process cannot open a file or
  ///   start the thread.
  init(_ file: WatchedFile) throws(HistoryError) {
    files = try FileWatch(file)
    let loop: WatchLoop
    do { loop = try WatchLoop(file, files, listeners) } catch { throw HistoryError(error) }
    self.loop = loop
    thread = try WatchThread(path: file.path) { loop.run() }
  }

  /// Closes the connection of the watch until ``resume()``.
  func pause() { loop.pause() }

  /// Continues after ``pause()``, and reports the newest position.
  func resume() { loop.resume() }

  /// Ends the thread, and waits for the thread's end unless the thread is calling a listener.
  ///
  /// The listener may itself wait for this deinitializer, so waiting for the listener could deadlock.
  /// The connection is closed in any case, so that the watch no longer has the file open.
  deinit {
    let isQuiet = listeners.end()
    files.interrupt()
    if !isQuiet { loop.pause() }
    thread.end(waiting: isQuiet)
  }
}

/// A weak reference to the watcher that a store currently uses.
final class WatcherSlot: @unchecked Sendable {
  private let lock = ConnectionLock()
  private weak var watcher: ChangeWatcher?

  /// The watcher that runs, if any.
  var current: ChangeWatcher? { lock.withLock { watcher } }

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

/// The listeners that are notified of one store's changes.
///
/// No lock is held while a listener is called, so a listener may do anything, even end its own
/// watch.
final class ChangeListeners: @unchecked Sendable {
  typealias Handler = @Sendable (HistoryToken) -> Void

  private struct Listener {
    let id: Int
    let onChange: Handler
  }

  private let lock = ConnectionLock()
  private var listeners: [Listener] = []
  private var nextID = 0
  private var isReporting = false
  private var isOver = false

  /// Whether ``end()`` was called, after which no listener is notified any more.
  var hasEnded: Bool { lock.withLock { isOver } }

  /// Adds a listener that is notified from now on, and returns its ID.
  func add(_ onChange: @escaping Handler) -> Int {
    lock.withLock {
      nextID += 1
      listeners.append(Listener(id: nextID, onChange: onChange))
      return nextID
    }
  }

  /// Removes a listener; a call of the listener that is in progress continues.
  func remove(_ id: Int) {
    // The closure and its captures are released after the lock is released.
    let removed = lock.withLock { () -> Listener? in
      guard let index = listeners.firstIndex(where: { $0.id == id }) else { return nil }
      return listeners.remove(at: index)
    }
    withExtendedLifetime(removed) {}
  }

  /// Notifies all listeners, one after the other.
  func notify(_ token: HistoryToken) {
    for listener in begin() where isListening(listener.id) { listener.onChange(token) }
    lock.withLock { isReporting = false }
  }

  /// Ends all notifications.
  ///
  /// - Returns: `true` when no notification is in progress.
  func end() -> Bool {
    lock.withLock {
      isOver = true
      return !isReporting
    }
  }

  private func begin() -> [Listener] {
    lock.withLock {
      guard !isOver else { return [] }
      isReporting = true
      return listeners
    }
  }

  private func isListening(_ id: Int) -> Bool {
    lock.withLock { !isOver && listeners.contains { $0.id == id } }
  }
}

import PersistentHistory
import SQLiteStorage

/// Who is told about the changes of one store.
///
/// They are called without a lock, so that they may do anything, end their watch included.
final class ChangeListeners: @unchecked Sendable {
  typealias Tell = @Sendable (HistoryToken) -> Void

  private struct Listener {
    let id: Int
    let tell: Tell
  }

  private let lock = ConnectionLock()
  private var listeners: [Listener] = []
  private var nextID = 0
  private var isTelling = false
  private var isOver = false

  /// Whether nobody is to be told any more.
  var hasEnded: Bool { lock.withLock { isOver } }

  /// Adds somebody who is told from now on.
  func add(_ tell: @escaping Tell) -> Int {
    lock.withLock {
      nextID += 1
      listeners.append(Listener(id: nextID, tell: tell))
      return nextID
    }
  }

  /// Tells nobody with this identity any more; a call that is under way goes on.
  func remove(_ id: Int) {
    // What the closure holds is let go of when the lock is free.
    let removed = lock.withLock { () -> Listener? in
      guard let index = listeners.firstIndex(where: { $0.id == id }) else { return nil }
      return listeners.remove(at: index)
    }
    withExtendedLifetime(removed) {}
  }

  /// Tells everybody, one after the other.
  func tell(_ token: HistoryToken) {
    for listener in begin() where isListening(listener.id) { listener.tell(token) }
    lock.withLock { isTelling = false }
  }

  /// Ends the telling.
  ///
  /// - Returns: whether nobody is being told right now, nor will be.
  func end() -> Bool {
    lock.withLock {
      isOver = true
      return !isTelling
    }
  }

  private func begin() -> [Listener] {
    lock.withLock {
      guard !isOver else { return [] }
      isTelling = true
      return listeners
    }
  }

  private func isListening(_ id: Int) -> Bool {
    lock.withLock { !isOver && listeners.contains { $0.id == id } }
  }
}

import PersistentHistory
import SQLiteStorage

/// The listeners that are notified of one store's changes.
///
/// Listeners are called without a lock held, so that they may do anything, even end their own
/// watch.
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

  /// Whether notifications have ended permanently.
  var hasEnded: Bool { lock.withLock { isOver } }

  /// Adds a listener that is notified from now on, and returns its ID.
  func add(_ tell: @escaping Tell) -> Int {
    lock.withLock {
      nextID += 1
      listeners.append(Listener(id: nextID, tell: tell))
      return nextID
    }
  }

  /// Removes a listener; a call to it that is in progress continues.
  func remove(_ id: Int) {
    // The closure and its captures are released after the lock.
    let removed = lock.withLock { () -> Listener? in
      guard let index = listeners.firstIndex(where: { $0.id == id }) else { return nil }
      return listeners.remove(at: index)
    }
    withExtendedLifetime(removed) {}
  }

  /// Notifies all listeners, one after the other.
  func tell(_ token: HistoryToken) {
    for listener in begin() where isListening(listener.id) { listener.tell(token) }
    lock.withLock { isTelling = false }
  }

  /// Ends all notifications.
  ///
  /// - Returns: `true` when no notification is in progress.
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

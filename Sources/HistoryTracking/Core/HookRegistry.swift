import HistoryStore
import PersistentHistory

/// The observers and merge hooks of a tracker in calling order, without their callbacks.
package struct HookRegistry: Sendable {
  /// A registered merge hook.
  struct MergeHook: Sendable {
    let id: HookID
    let policy: HookFailurePolicy
  }

  private(set) var observers: [Observer] = []
  private(set) var mergeHooks: [MergeHook] = []
  private var lastNumber = 0

  /// A Boolean value that indicates whether no hook is registered; then no changes need grouping.
  var isEmpty: Bool { observers.isEmpty && mergeHooks.isEmpty }

  // MARK: Observers

  /// Adds an observer after those already registered.
  mutating func addObserver(
    of kind: ObservedKind,
    named name: String,
    _ policy: HookFailurePolicy
  ) -> HookID {
    let id = nextID()
    observers.append(Observer(id: id, kind: kind, name: name, policy: policy))
    return id
  }

  /// Removes an observer, and returns whether it was registered.
  mutating func removeObserver(_ id: HookID) -> Bool {
    guard let index = observers.firstIndex(where: { $0.id == id }) else { return false }
    observers.remove(at: index)
    return true
  }

  /// Removes the observers of a kind, and returns their identities.
  mutating func removeObservers(of kind: ObservedKind) -> [HookID] {
    let removed = observers.filter { $0.kind == kind }.map(\.id)
    observers.removeAll { $0.kind == kind }
    return removed
  }

  mutating func removeAllObservers() {
    observers.removeAll()
  }

  /// Returns the observers that have not been called with a group yet.
  func observers(awaiting group: ObserverGroup) -> [HookID] {
    observers.filter { $0.kind == group.kind && $0.awaits(group.position) }.map(\.id)
  }

  /// Returns the observer with an identity, or `nil` if it is not registered.
  func observer(_ id: HookID) -> Observer? { observers.first { $0.id == id } }

  /// Records that an observer was called with the group at a position.
  mutating func noteCalled(_ id: HookID, _ position: GroupPosition) {
    guard let index = observers.firstIndex(where: { $0.id == id }) else { return }
    observers[index].calledThrough = position
  }

  /// The last group that each observer was called with, in registration order.
  var called: [GroupPosition?] {
    get { observers.map(\.calledThrough) }
    set {
      for (index, position) in newValue.enumerated() { observers[index].calledThrough = position }
    }
  }

  /// Clears the last called group of every observer.
  ///
  /// Transaction numbers may start again if the file was replaced.
  mutating func forgetCalled() {
    for index in observers.indices { observers[index].calledThrough = nil }
  }

  // MARK: Merge hooks

  /// Adds a merge hook before another one, or after all others if `other` is `nil`.
  ///
  /// - Throws: ``HistoryError/unknownHook(_:)`` if `other` is not registered.
  mutating func addMergeHook(
    before other: HookID?,
    _ policy: HookFailurePolicy
  ) throws(HistoryError) -> HookID {
    var place = mergeHooks.count
    if let other {
      guard let found = mergeHooks.firstIndex(where: { $0.id == other }) else {
        throw .unknownHook(other.description)
      }
      place = found
    }
    let hook = MergeHook(id: nextID(), policy: policy)
    mergeHooks.insert(hook, at: place)
    return hook.id
  }

  /// Removes a merge hook, and returns whether it was registered.
  mutating func removeMergeHook(_ id: HookID) -> Bool {
    guard let index = mergeHooks.firstIndex(where: { $0.id == id }) else { return false }
    mergeHooks.remove(at: index)
    return true
  }

  mutating func removeAllMergeHooks() {
    mergeHooks.removeAll()
  }

  /// Returns whether a merge hook is still registered.
  func hasMergeHook(_ id: HookID) -> Bool { mergeHooks.contains { $0.id == id } }

  private mutating func nextID() -> HookID {
    lastNumber += 1
    return HookID(number: lastNumber)
  }
}

import HistoryStore
import HistoryTypes

/// The observers and merge hooks of a tracker in calling order, without their callbacks.
package struct HookRegistry: Sendable {
  struct MergeHook: Sendable {
    let id: HookID
    let policy: HookFailurePolicy
  }

  private(set) var observers: [Observer] = []
  private(set) var mergeHooks: [MergeHook] = []
  private var lastNumber = 0

  /// A Boolean value that indicates whether no hook is registered; changes are not grouped then.
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

  /// Removes the observers of one kind of change, and returns their identities.
  mutating func removeObservers(of kind: ObservedKind) -> [HookID] {
    let removed = observers.filter { $0.kind == kind }.map(\.id)
    observers.removeAll { $0.kind == kind }
    return removed
  }

  mutating func removeAllObservers() {
    observers.removeAll()
  }

  /// Returns the observers that must still be called with a group of changes.
  ///
  /// These are the observers of the group's entity and operation that have not received the group.
  func observers(awaiting group: ObserverGroup) -> [HookID] {
    observers.filter { $0.kind == group.kind && $0.awaits(group.position) }.map(\.id)
  }

  /// Returns the observer with an identity, or `nil` if it is not registered.
  func observer(_ id: HookID) -> Observer? { observers.first { $0.id == id } }

  /// Records that an observer was called with the group of changes at a position in history.
  mutating func noteCalled(_ id: HookID, _ position: GroupPosition) {
    guard let index = observers.firstIndex(where: { $0.id == id }) else { return }
    observers[index].calledThrough = position
  }

  /// The position of the last group of changes passed to each observer, in registration order.
  var called: [GroupPosition?] {
    get { observers.map(\.calledThrough) }
    set {
      for (index, position) in newValue.enumerated() { observers[index].calledThrough = position }
    }
  }

  /// Forgets which changes each observer has received; called at a launch and at a resync.
  ///
  /// A replaced file may use the same transaction numbers for other transactions.
  mutating func forgetCalled() {
    for index in observers.indices { observers[index].calledThrough = nil }
  }

  // MARK: Merge hooks

  /// Adds a merge hook before another one, or after all others if `other` is `nil`.
  ///
  /// - Throws: ``HistoryError/Code/unknownHook`` if `other` is not registered.
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

/// The kind of change that an observer receives: one operation on the objects of one entity.
struct ObservedKind: Hashable, Sendable {
  /// The entity's number in the model.
  let entity: Int32
  let operation: ChangeType

  /// The index of this entity and operation in a flat table of all entities and operations.
  var place: Int { (Int(entity) - 1) * ChangeType.allCases.count + Int(operation.rawValue) }
}

/// The position of a group of changes in history.
///
/// A group consists of one transaction's changes of one entity and operation.
struct GroupPosition: Comparable, Sendable {
  /// The number of the transaction that contains the changes of the group.
  let number: Int64
  /// The index of the group's first change within the transaction.
  let place: Int

  static func < (left: GroupPosition, right: GroupPosition) -> Bool {
    (left.number, left.place) < (right.number, right.place)
  }
}

struct Observer: Sendable {
  let id: HookID
  let kind: ObservedKind
  /// A description of the observed changes, such as `insert of Item`.
  let name: String
  let policy: HookFailurePolicy
  /// The position of the last group of changes that the observer received; `nil` if none.
  ///
  /// A repeated pass skips the groups up to this position. A launch and a resync reset the value.
  var calledThrough: GroupPosition?

  /// Returns whether the observer has not received the group of changes at a position yet.
  func awaits(_ position: GroupPosition) -> Bool {
    calledThrough.map { $0 < position } ?? true
  }
}

/// One transaction's changes of one entity and operation, passed to an observer in one call.
struct ObserverGroup: Sendable {
  let kind: ObservedKind
  let position: GroupPosition
  /// The indices of the group's changes among all changes of the history page.
  fileprivate(set) var changes: [Int]
}

/// Groups changes by entity and operation, and skips the changes that no observer receives.
struct ObserverGroups {
  private let isObserved: [Bool]
  /// For each entity and operation, 1 plus the index of its group in the current transaction, or 0.
  ///
  /// The value is 0 if the transaction has no such group yet. The array is indexed by
  /// ``ObservedKind/place``.
  private var slots: [Int]

  /// Creates a value that groups the changes of the given kinds, and skips all others.
  ///
  /// `entityCount` is the number of entities in the model.
  init(_ kinds: some Sequence<ObservedKind>, entityCount: Int) {
    var isObserved = Array(repeating: false, count: entityCount * ChangeType.allCases.count)
    for kind in kinds { isObserved[kind.place] = true }
    self.isObserved = isObserved
    slots = Array(repeating: 0, count: isObserved.count)
  }

  /// Returns the observed changes of a transaction, grouped by entity and operation.
  ///
  /// The groups are in the order of their first changes.
  ///
  /// - Complexity: linear in the number of changes.
  mutating func groups(of transaction: HistoryTransaction) -> [ObserverGroup] {
    let (record, page) = (transaction.record, transaction.page)
    var groups: [ObserverGroup] = []
    for index in record.firstChange..<record.firstChange + record.count {
      let change = page.changeRecords[index]
      let kind = ObservedKind(entity: change.entity, operation: change.type)
      guard isObserved.indices.contains(kind.place), isObserved[kind.place] else { continue }
      if slots[kind.place] == 0 {
        let place = index - record.firstChange
        groups.append(
          ObserverGroup(
            kind: kind,
            position: GroupPosition(number: record.number, place: place),
            changes: []
          )
        )
        slots[kind.place] = groups.count
      }
      groups[slots[kind.place] - 1].changes.append(index)
    }
    for group in groups { slots[group.kind.place] = 0 }
    return groups
  }
}

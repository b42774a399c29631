import HistoryTypes

/// Keeps a few objects of one entity registered in a context while a reference to one of them exists.
///
/// The objects that one query returns are divided into groups of up to ``groupCount`` objects, and each
/// group shares one hold. This saves an allocation for each object.
final class ObjectHold: Sendable {
  /// The maximum number of objects that one ``ObjectHold`` keeps registered.
  static let groupCount = 16

  private let lock: ContextLock
  private let objects: HeldObjects

  fileprivate init(_ lock: ContextLock, _ objects: HeldObjects) {
    (self.lock, self.objects) = (lock, objects)
  }

  deinit { lock.end(objects) }
}

/// The objects that one ``ObjectHold`` keeps registered: the first, and the keys of the others.
///
/// For a single object, the array of keys is empty and needs no allocation.
struct HeldObjects: Sendable {
  let first: ObjectID
  let others: [Int64]
}

/// The number of ``ObjectHold`` instances for each object, whether or not the object is registered.
struct HoldCounts: Sendable {
  /// For each entity, a map from an object's key to the number of its ``ObjectHold`` instances.
  ///
  /// Each such instance keeps the object registered. Objects without any are not in the map.
  private var counts: [SlotIndex]
  /// The inserted objects that a save replaced by an object of the store, each with that object.
  ///
  /// Only objects with an ``ObjectHold``, which keeps them registered, are included: the number of
  /// their holds was moved to the other object.
  private var replacements: [ObjectID: ObjectID] = [:]

  init(entityCount: Int) { counts = Array(repeating: SlotIndex(), count: entityCount) }

  func isHeld(_ id: ObjectID) -> Bool { counts[Int(id.entity) - 1][id.key] != nil }

  /// Counts one more ``ObjectHold`` for each of the given objects of one entity.
  mutating func add(_ keys: ArraySlice<Int64>, of entity: Int32) {
    counts[Int(entity) - 1].reserve(keys.count)
    for key in keys { counts[Int(entity) - 1].add(1, to: key) }
  }

  /// Counts one more ``ObjectHold`` for an object.
  mutating func add(_ id: ObjectID) { counts[Int(id.entity) - 1].add(1, to: id.key) }

  /// Counts one ``ObjectHold`` less for an object, and returns the object if that was the last one.
  ///
  /// If a save has replaced an inserted object, the object that replaced it is counted instead.
  mutating func end(_ id: ObjectID) -> ObjectID? {
    let id = replacements.isEmpty ? id : replacements[id] ?? id
    let place = Int(id.entity) - 1
    guard let count = counts[place][id.key] else { return nil }
    guard count == 1 else {
      counts[place].add(-1, to: id.key)
      return nil
    }
    _ = counts[place].remove(id.key)
    return id
  }

  /// Moves the count of an inserted object's holds to the object that replaced it at a save.
  mutating func replace(_ id: ObjectID, by other: ObjectID) {
    guard let count = counts[Int(id.entity) - 1].remove(id.key) else { return }
    replacements[id] = other
    counts[Int(other.entity) - 1].add(count, to: other.key)
  }
}

extension ObjectContext {
  /// Returns references to objects of one entity; they keep the objects registered.
  func references(
    to keys: [Int64],
    of entity: Int32,
    _ state: inout ContextState
  ) -> [StoredObject] {
    var references: [StoredObject] = []
    references.reserveCapacity(keys.count)
    if !retainsRegisteredObjects { state.holds.add(keys[...], of: entity) }
    var start = 0
    while start < keys.count {
      let groupCount = retainsRegisteredObjects ? keys.count : ObjectHold.groupCount
      let end = min(start + groupCount, keys.count)
      let first = ObjectID(entity: entity, key: keys[start])
      let hold = hold(first, keys[(start + 1)..<end])
      for key in keys[start..<end] {
        let id = ObjectID(entity: entity, key: key)
        references.append(StoredObject(context: self, id: id, hold: hold))
      }
      start = end
    }
    return references
  }

  /// Returns a reference to an object, which keeps the object registered.
  func reference(to id: ObjectID, _ state: inout ContextState) -> StoredObject {
    if !retainsRegisteredObjects { state.holds.add(id) }
    return StoredObject(context: self, id: id, hold: hold(id, []))
  }

  /// Returns a hold, which keeps objects of one entity registered until the hold is freed.
  ///
  /// Returns `nil` if the context retains registered objects in any case. Otherwise, the caller
  /// must first count one hold for each object in ``ContextState/holds``.
  private func hold(_ first: ObjectID, _ others: ArraySlice<Int64>) -> ObjectHold? {
    retainsRegisteredObjects
      ? nil : ObjectHold(state, HeldObjects(first: first, others: Array(others)))
  }
}

extension ContextState {
  /// Whether an object is released when no reference to it exists any more.
  var releasesObjects: Bool { !retainsRegisteredObjects && !holdsAll }

  /// Counts one hold less for each object of a freed ``ObjectHold``, and releases unused objects.
  ///
  /// An object is unused if it has no other hold and no unsaved edit, and is not in the result of a
  /// live query. A context that holds all objects releases none.
  mutating func endHold(_ objects: HeldObjects) {
    let entity = objects.first.entity
    var unheld: [Int64] = []
    for place in -1..<objects.others.count {
      let key = place < 0 ? objects.first.key : objects.others[place]
      if let id = holds.end(ObjectID(entity: entity, key: key)), isUnused(id) {
        unheld.append(id.key)
      }
    }
    if !unheld.isEmpty { self[table: entity].remove(unheld) }
  }

  /// Releases those objects that are neither held nor edited, and not in the result of a live query.
  ///
  /// Call this method after each operation that registers objects without returning references to
  /// them, and after each operation that removes unsaved edits.
  mutating func releaseUnheld(_ ids: some Sequence<ObjectID>) {
    guard releasesObjects else { return }
    for id in ids where !holds.isHeld(id) && isUnused(id) {
      self[table: id.entity].remove(id.key)
    }
  }

  /// Returns whether the context may release an object, provided that no reference to it exists.
  ///
  /// It may if it releases objects automatically, and the object has no unsaved edit and is not in
  /// the result of a live query.
  private func isUnused(_ id: ObjectID) -> Bool {
    releasesObjects && edits.type(of: id) == nil && !watches.isInResult(id)
  }
}

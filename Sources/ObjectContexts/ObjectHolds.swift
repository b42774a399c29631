import HistoryStore
import HistoryTypes
import SQLiteStorage
import Synchronization

/// Keeps a few objects of one entity registered in a context while a reference to one of them exists.
///
/// The objects that one query returns share a hold in groups: a hold for each object would need an
/// allocation for each.
final class ObjectHold: Sendable {
  /// The greatest number of objects that share a hold.
  static let groupCount = 16

  private let lock: ContextLock
  private let objects: HeldObjects

  fileprivate init(_ lock: ContextLock, _ objects: HeldObjects) {
    (self.lock, self.objects) = (lock, objects)
  }

  deinit { lock.end(objects) }
}

/// The objects of a hold; those of a hold on one object need no array.
struct HeldObjects: Sendable {
  let first: ObjectID
  let others: [Int64]
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
    var start = 0
    while start < keys.count {
      let end = state.releasesObjects ? min(start + ObjectHold.groupCount, keys.count) : keys.count
      let first = ObjectID(entity: entity, key: keys[start])
      let hold = hold(first, keys[(start + 1)..<end], &state)
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
    StoredObject(context: self, id: id, hold: hold(id, [], &state))
  }

  /// Returns a hold on objects of one entity, or `nil` if the context does not release objects by itself.
  private func hold(
    _ first: ObjectID,
    _ others: ArraySlice<Int64>,
    _ state: inout ContextState
  ) -> ObjectHold? {
    guard state.releasesObjects else { return nil }
    state.hold(CollectionOfOne(first.key), of: first.entity)
    state.hold(others, of: first.entity)
    return ObjectHold(self.state, HeldObjects(first: first, others: Array(others)))
  }
}

extension ContextState {
  /// Whether an object is released when no reference to it exists any more.
  var releasesObjects: Bool { !retainsRegisteredObjects && !holdsAll }

  /// Counts one more hold on objects of one entity.
  mutating func hold(_ keys: some Sequence<Int64>, of entity: Int32) {
    for key in self[table: entity].addHold(on: keys) {
      let id = current(ObjectID(entity: entity, key: key))
      if !self[table: id.entity].addHolds(1, on: id.key) { edits.addHold(on: id) }
    }
  }

  /// Counts one hold less on objects of one entity, and releases those without another hold.
  mutating func endHold(_ keys: some Sequence<Int64>, of entity: Int32) {
    var unheld: [Int64] = []
    for key in keys {
      let id = current(ObjectID(entity: entity, key: key))
      if let count = self[table: entity].endHold(on: id.key) {
        if count == 0, isUnused(id) { unheld.append(id.key) }
      } else {
        edits.endHold(on: id)
      }
    }
    if !unheld.isEmpty { self[table: entity].remove(unheld) }
  }

  /// Releases those objects that are neither held nor edited, and not in the result of a live query.
  ///
  /// This must follow each operation that registers objects without returning references to them, and
  /// each one that ends edits.
  mutating func releaseUnheld(_ ids: some Sequence<ObjectID>) {
    guard releasesObjects else { return }
    for id in ids where !tables[Int(id.entity) - 1].isHeld(id.key) && isUnused(id) {
      self[table: id.entity].remove(id.key)
    }
  }

  /// Returns whether an object without a hold may be released.
  private func isUnused(_ id: ObjectID) -> Bool {
    releasesObjects && edits.type(of: id) == nil && !watches.isInResult(id)
  }
}

/// A lock that protects the state of a context, for use by one thread at a time.
///
/// The lock is not the standard library's `Mutex`: on Linux the thread sanitizer does not recognize
/// `Mutex` and reports false data races.
final class ContextLock: @unchecked Sendable {
  private let lock = ConnectionLock()
  // This property is accessed only while the lock is held. Swift's checks for exclusive access would
  // take a tenth of the instructions that set an attribute of an object.
  @exclusivity(unchecked)
  private var state: ContextState
  private var isInUse = false

  /// The holds that have ended since the lock was last taken, protected by a lock of their own.
  ///
  /// A hold may end on any thread, also on one that has the context's lock.
  private var ended: [HeldObjects] = []
  private let endedLock = ConnectionLock()
  private let hasEnded = Atomic(false)
  /// The number of ended holds from which on their objects are released without waiting for the next
  /// use of the context.
  private static let endedCountMax = 64

  init(_ state: ContextState) { self.state = state }

  /// Runs a closure with exclusive access to the state.
  ///
  /// If the closure calls this method again, the program ends with a message.
  func withLock<Result, Failure: Error>(
    _ body: (inout ContextState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { () throws(Failure) in
      guard !isInUse else { fatalError("A closure that a context calls uses the same context.") }
      isInUse = true
      defer { isInUse = false }
      if hasEnded.load(ordering: .relaxed) { releaseEnded() }
      return try body(&state)
    }
  }

  /// Ends the live queries, because the context is no longer used; its objects need not be released.
  func finish() { lock.withLock { state.watches.finish() } }

  /// Notes that a hold has ended.
  fileprivate func end(_ hold: HeldObjects) {
    let count = endedLock.withLock {
      ended.append(hold)
      hasEnded.store(true, ordering: .relaxed)
      return ended.count
    }
    guard count >= Self.endedCountMax else { return }
    lock.withLockIfFree { if !isInUse { releaseEnded() } }
  }

  private func releaseEnded() {
    let ended = endedLock.withLock {
      let ended = self.ended
      self.ended = []
      hasEnded.store(false, ordering: .relaxed)
      return ended
    }
    for hold in ended {
      state.endHold(CollectionOfOne(hold.first.key), of: hold.first.entity)
      state.endHold(hold.others, of: hold.first.entity)
    }
  }
}

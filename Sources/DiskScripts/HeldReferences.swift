import HistoryTypes
import ObjectContexts

/// References to objects of a context, and a plain model of the objects that they keep registered.
///
/// A reference is a `StoredObject` that a script keeps. A context keeps a registered object's
/// values in memory.
struct HeldReferences {
  /// A group of references: all its objects stay registered while one of its references exists.
  private struct Group {
    let ids: Set<ObjectID>
    var references: [StoredObject]
  }

  /// An unsaved edit: the values that were set, by the index of the attribute; `nil` is a delete.
  typealias Edit = [Int: Value]?

  private var groups: [Group] = []
  /// The rows of the registered objects, without unsaved edits.
  private(set) var registered: [ObjectID: [Value]] = [:]
  private(set) var edits: [ObjectID: Edit] = [:]
  /// The last transaction that the context has merged.
  var merged: HistoryToken

  init(merged: HistoryToken) { self.merged = merged }

  var references: [StoredObject] { groups.flatMap(\.references) }

  /// The registered objects that the context has not deleted, in key order.
  var listed: [ObjectID] {
    registered.keys.filter { !isDeleted($0) }.sorted { $0.key < $1.key }
  }

  func isDeleted(_ id: ObjectID) -> Bool {
    guard let edit = edits[id] else { return false }
    return edit == nil
  }

  /// Returns the expected values of a registered object, with its unsaved edits.
  ///
  /// Returns `nil` if the object is deleted or not registered.
  func row(_ id: ObjectID) -> [Value]? {
    guard !isDeleted(id), var row = registered[id] else { return nil }
    for (index, value) in (edits[id] ?? nil) ?? [:] { row[index] = value }
    return row
  }

  private mutating func releaseUnheld() {
    registered = registered.filter { id, _ in
      edits.keys.contains(id) || groups.contains { $0.ids.contains(id) }
    }
  }

  // MARK: References

  /// Adds the references that a call has returned, divided into groups of at most `count`.
  ///
  /// As in a context, one reference of a group keeps all objects of the group registered.
  mutating func add(_ found: [StoredObject], sharing count: Int = 16) {
    for start in stride(from: 0, to: found.count, by: count) {
      let references = Array(found[start..<min(start + count, found.count)])
      groups.append(Group(ids: Set(references.map(\.id)), references: references))
    }
  }

  /// Drops one reference of a group of references, or the whole group if `isAll` is `true`.
  ///
  /// `place`, which may be any number from 0, selects the group and the reference.
  mutating func drop(_ place: Int, isAll: Bool) {
    guard !groups.isEmpty else { return }
    let group = place % groups.count
    groups[group].references.remove(at: place % groups[group].references.count)
    if isAll || groups[group].references.isEmpty { groups.remove(at: group) }
    releaseUnheld()
  }

  mutating func dropAll() {
    groups = []
    releaseUnheld()
  }

  // MARK: Reads and edits

  /// Registers a row that the context has read; replaces the registered row if `isNew` is `true`.
  mutating func register(_ id: ObjectID, _ row: [Value]?, isNew: Bool) {
    if isNew || registered[id] == nil { registered[id] = row }
  }

  mutating func set(_ value: Value, _ index: Int, of id: ObjectID) {
    var changed = (edits[id] ?? nil) ?? [:]
    changed[index] = value
    edits[id] = .some(changed)
  }

  mutating func delete(_ id: ObjectID) { edits[id] = .some(nil) }

  mutating func rollback() {
    edits = [:]
    releaseUnheld()
  }

  /// Applies a save: replaces registered rows of edited objects by `rows`, and removes all edits.
  mutating func save(_ rows: [ObjectID: [Value]]) {
    for id in edits.keys where registered[id] != nil { registered[id] = rows[id] }
    rollback()
  }

  mutating func refresh(_ id: ObjectID, _ row: [Value]?, keepingEdits: Bool) {
    registered[id] = row
    if row == nil || !keepingEdits { edits[id] = nil }
    releaseUnheld()
  }

  mutating func merge(_ rows: [ObjectID: [Value]]) {
    for id in registered.keys { registered[id] = rows[id] }
    edits = edits.filter { rows[$0.key] != nil }
    releaseUnheld()
  }

  /// Releases an object; returns `false` if the object is edited or not registered.
  mutating func release(_ id: ObjectID) -> Bool {
    !edits.keys.contains(id) && registered.removeValue(forKey: id) != nil
  }

  mutating func releaseAll() {
    registered = registered.filter { edits.keys.contains($0.key) }
  }

  mutating func reset() {
    (edits, registered) = ([:], [:])
  }
}

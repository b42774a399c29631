import HistoryStore
import HistoryTypes

/// An insert, update or delete that a context has not saved yet.
struct PendingEdit: Sendable {
  var type: ChangeType
  /// The attributes that were set, as a bit mask.
  var columns: UInt64
  /// The values that the edit gives to attributes.
  ///
  /// An insert has one value for each attribute. An update has one for each set bit of `columns`.
  var values: [Value]

  init(type: ChangeType, columns: UInt64, values: [Value]) {
    (self.type, self.columns, self.values) = (type, columns, values)
  }

  /// Creates an update that sets one attribute.
  init(setting attribute: Int, to value: Value) {
    self.init(type: .update, columns: 1 << UInt64(attribute), values: [])
    values.reserveCapacity(4)
    values.append(value)
  }

  /// Returns the value of an attribute; `nil` if an update does not set it.
  func value(_ attribute: Int) -> Value? {
    guard type == .update else { return values[attribute] }
    guard columns >> UInt64(attribute) & 1 == 1 else { return nil }
    return values[place(of: attribute)]
  }

  mutating func set(_ value: Value, _ attribute: Int) {
    let isSet = columns >> UInt64(attribute) & 1 == 1
    columns |= 1 << UInt64(attribute)
    guard type == .update else {
      values[attribute] = value
      return
    }
    let place = place(of: attribute)
    if isSet {
      values[place] = value
    } else if place == values.count {
      values.append(value)
    } else {
      values.insert(value, at: place)
    }
  }

  /// Returns the index of an attribute's value in the ``values`` of an update.
  private func place(of attribute: Int) -> Int {
    (columns & (1 << UInt64(attribute) - 1)).nonzeroBitCount
  }
}

/// The unsaved edits of a context, one for each edited object.
///
/// Setting an attribute looks up an edit several times. A `SlotIndex` finds an edit with a fifth of the
/// instructions that a dictionary needs, because a dictionary's hashing is randomized.
struct PendingEdits: Sendable {
  /// For each entity, a map from an object's key to the index of the object's edit in `edits`.
  private var places: [SlotIndex]
  private var edits: [PendingEdit] = []
  /// The free indices in `edits`, left by removed edits.
  private var free: [Int] = []

  init(entityCount: Int) { places = Array(repeating: SlotIndex(), count: entityCount) }

  /// The edit of an object; `nil` if the object has no edit.
  subscript(id: ObjectID) -> PendingEdit? { place(of: id).map { edits[$0] } }

  /// Returns the type of an object's edit without copying its values; `nil` if there is no edit.
  func type(of id: ObjectID) -> ChangeType? { place(of: id).map { edits[$0].type } }

  /// Adds or replaces the edit of an object, and returns whether the object had no edit before.
  mutating func put(_ edit: PendingEdit, of id: ObjectID) -> Bool {
    if let place = place(of: id) {
      edits[place] = edit
      return false
    }
    add(edit, of: id)
    return true
  }

  /// Sets an attribute in an object's edit, and returns whether the object had no edit.
  mutating func set(_ value: Value, _ attribute: Int, of id: ObjectID) -> Bool {
    // The edit is changed in place: a copy of it would copy its values.
    if let place = place(of: id) {
      edits[place].set(value, attribute)
      return false
    }
    add(PendingEdit(setting: attribute, to: value), of: id)
    return true
  }

  /// Sets an attribute in the edit at a place; returns `false` if the edit is a delete.
  mutating func set(_ value: Value, _ attribute: Int, at place: Int) -> Bool {
    guard edits[place].type != .delete else { return false }
    edits[place].set(value, attribute)
    return true
  }

  /// Returns an object's edit as the store's type; its row version and base values are not set yet.
  func objectEdit(of id: ObjectID) -> ObjectEdit? {
    guard let place = place(of: id) else { return nil }
    return ObjectEdit(
      edits[place].type,
      id,
      columns: edits[place].columns,
      values: edits[place].values
    )
  }

  /// Removes the edit of an object, and returns whether the object had one.
  mutating func remove(_ id: ObjectID) -> Bool {
    guard let place = place(of: id) else { return false }
    _ = places[Int(id.entity) - 1].remove(id.key)
    edits[place] = PendingEdit(type: .delete, columns: 0, values: [])
    free.append(place)
    return true
  }

  mutating func removeAll() {
    for entity in places.indices where places[entity].count > 0 { places[entity].removeAll() }
    edits.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
  }

  /// Returns the place of an object's edit, which is valid until the next edit is added or removed.
  func place(of id: ObjectID) -> Int? {
    let entity = Int(id.entity) - 1
    return places.indices.contains(entity) ? places[entity][id.key] : nil
  }

  /// Adds the edit of an object that has none.
  mutating func add(_ edit: PendingEdit, of id: ObjectID) {
    let place = free.popLast() ?? edits.count
    if place == edits.count { edits.append(edit) } else { edits[place] = edit }
    places[Int(id.entity) - 1].insert(id.key, place)
  }
}

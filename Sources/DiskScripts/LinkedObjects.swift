import HistoryTypes

/// The expected links of one link entity, as plain arrays of the objects at the other ends.
///
/// A link has two references, one to each linked object. The index of a reference, 0 or 1, is
/// called a side: the object on side 0 is the one that the first reference leads to.
struct LinkedObjects {
  /// The name of the link entity.
  let entity: String
  /// The names of the link entity's two references.
  let references: [String]
  /// For each side, the attribute that orders the links of an object on it; `nil` for no order.
  let positions: [String?]
  /// For each side, the name of the entity of the objects on it.
  let ends: [String]
  /// For each side, and each object on it, the objects at the other ends of its links, in order.
  private(set) var linked: [[ObjectID: [ObjectID]]] = [[:], [:]]

  /// A link entity without an order, one with an order on one side, and two ordered on both sides.
  ///
  /// The last entity links tags with tags; the others link tasks with tags.
  static let all = [
    Self(entity: "Tagging", ["task", "tag"], [nil, nil]),
    Self(entity: "Listing", ["task", "tag"], ["position", nil]),
    Self(entity: "Labeling", ["task", "tag"], ["position", "taskPosition"]),
    Self(entity: "Likeness", ["tag", "likeTag"], ["position", "likePosition"], ["Tag", "Tag"]),
  ]

  private init(
    entity: String,
    _ references: [String],
    _ positions: [String?],
    _ ends: [String] = ["Task", "Tag"]
  ) {
    self.entity = entity
    self.references = references
    self.positions = positions
    self.ends = ends
  }

  /// The description of the link entity in a model.
  var description: Entity {
    Entity(
      entity,
      linking: (references[0], to: ends[0]),
      with: (references[1], to: ends[1]),
      orderedBy: positions[0],
      inverseOrderedBy: positions[1]
    )
  }

  /// Returns the objects at the other ends of the links of the object `id`.
  ///
  /// They have the order of the links if `side` has an order; otherwise they are in key order.
  func objects(_ side: Int, _ id: ObjectID) -> [ObjectID] {
    let found = linked[side][id] ?? []
    return positions[side] == nil ? found.sorted { $0.key < $1.key } : found
  }

  /// Appends each of two objects to the list of the other, unless they are already linked.
  mutating func link(_ side: Int, _ id: ObjectID, _ other: ObjectID) {
    if linked[side][id]?.contains(other) == true { return }
    linked[side][id, default: []].append(other)
    linked[1 - side][other, default: []].append(id)
  }

  /// Links two objects if they are not linked, and moves `other` to an index in the list of `id`.
  mutating func link(_ side: Int, _ id: ObjectID, _ other: ObjectID, at index: Int) {
    link(side, id, other)
    linked[side][id]?.removeAll { $0 == other }
    linked[side][id]?.insert(other, at: index)
  }

  mutating func unlink(_ side: Int, _ id: ObjectID, _ other: ObjectID) {
    linked[side][id]?.removeAll { $0 == other }
    linked[1 - side][other]?.removeAll { $0 == id }
  }

  /// Sets the objects that are linked with the object `id` to `others`, in this order.
  mutating func set(_ side: Int, _ id: ObjectID, _ others: [ObjectID]) {
    for other in linked[side][id] ?? [] where !others.contains(other) { unlink(side, id, other) }
    for other in others { link(side, id, other) }
    linked[side][id] = others
  }

  /// Sets the order of the objects that are linked with the object `id`.
  mutating func sort(_ side: Int, _ id: ObjectID, as order: [ObjectID]) {
    linked[side][id] = order
  }

  /// Removes the links of a deleted object.
  mutating func remove(_ id: ObjectID) {
    for side in 0...1 {
      for other in linked[side][id] ?? [] { unlink(side, id, other) }
      linked[side][id] = nil
    }
  }

  /// Returns the least number of links of one object that must change since `old`.
  ///
  /// Added and removed links count as changed. On an ordered side, the other links count too,
  /// except those in the longest subsequence that has the same order in both states.
  func changeCount(_ side: Int, _ id: ObjectID, since old: LinkedObjects) -> Int {
    let (before, now) = (old.linked[side][id] ?? [], linked[side][id] ?? [])
    let count = now.count { !before.contains($0) } + before.count { !now.contains($0) }
    let places = now.compactMap { before.firstIndex(of: $0) }
    return count + (positions[side] == nil ? 0 : places.count - places.longestAscendingCount)
  }
}

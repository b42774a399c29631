import HistoryTypes

/// The expected links of one link entity, as plain arrays of the objects at the other ends.
struct LinkedObjects {
  /// The name of the link entity.
  let entity: String
  /// The names of the entity's two references; their indexes, 0 and 1, are the sides of a link.
  let references: [String]
  /// For each side, the attribute that orders an object's links; `nil` for a side without an order.
  let positions: [String?]
  /// For each side, the name of the entity to which the reference leads.
  let ends: [String]
  /// For each side, the objects that are linked with an object, in their order.
  private(set) var linked: [[ObjectID: [ObjectID]]] = [[:], [:]]

  /// Link entities with no, one and two ordered sides.
  ///
  /// The last one links tags with tags.
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

  /// Returns the objects linked with `id`.
  ///
  /// On an ordered side, they are in the order of their positions, otherwise in key order.
  func objects(_ side: Int, _ id: ObjectID) -> [ObjectID] {
    let found = linked[side][id] ?? []
    return positions[side] == nil ? found.sorted { $0.key < $1.key } : found
  }

  /// Appends a link on both sides, unless the objects are already linked.
  mutating func link(_ side: Int, _ id: ObjectID, _ other: ObjectID) {
    if linked[side][id]?.contains(other) == true { return }
    linked[side][id, default: []].append(other)
    linked[1 - side][other, default: []].append(id)
  }

  /// Adds a link at an index on one side, or moves it there.
  mutating func link(_ side: Int, _ id: ObjectID, _ other: ObjectID, at index: Int) {
    link(side, id, other)
    linked[side][id]?.removeAll { $0 == other }
    linked[side][id]?.insert(other, at: index)
  }

  mutating func unlink(_ side: Int, _ id: ObjectID, _ other: ObjectID) {
    linked[side][id]?.removeAll { $0 == other }
    linked[1 - side][other]?.removeAll { $0 == id }
  }

  /// Replaces the objects that are linked with one object.
  mutating func set(_ side: Int, _ id: ObjectID, _ others: [ObjectID]) {
    for other in linked[side][id] ?? [] where !others.contains(other) { unlink(side, id, other) }
    for other in others { link(side, id, other) }
    linked[side][id] = others
  }

  /// Replaces the order of the objects that are linked with one object.
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

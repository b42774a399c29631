public import HistoryStore
import HistoryTypes

/// Ordered to-many relationships, whose references name an attribute for the positions: see
/// ``Reference/orderedBy``.
///
/// Core Data: an ordered to-many relationship, whose value is an `NSOrderedSet`.
extension StoredObject {
  /// Inserts an object among the objects that refer to this one, or moves it if it is one of them.
  ///
  /// Sets the object's reference, and its position to a number between those of its neighbors. If no
  /// double lies between them, the objects next to it get new positions, too. Two contexts may insert
  /// objects at the same place: objects with equal positions are in key order.
  ///
  /// ```swift
  /// try list.insert(task, at: 0, referringBy: "list")
  /// ```
  ///
  /// Core Data: `NSMutableOrderedSet.insert(_:at:)`.
  ///
  /// - Parameters:
  ///   - object: The object, of the same store. It is edited in the context of this object.
  ///   - index: The index among the other objects that refer to this one.
  ///   - attribute: The name of the object's ordered reference.
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the object's entity has no such reference to
  ///   the entity of this object, or the reference has no order, ``HistoryError/Code/unknownObject`` if
  ///   one of the objects is deleted or of another store, ``HistoryError/Code/indexOutOfRange``, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: one query by the index of the reference; linear in the objects that it finds.
  public func insert(
    _ object: StoredObject,
    at index: Int,
    referringBy attribute: String
  ) throws(HistoryError) {
    let reference = try OrderedReference(attribute, of: object.id.entity, to: self)
    let object = try reference.member(object)
    try reference.place(object, at: index, in: try reference.objects())
  }

  /// Makes an object the last of the objects that refer to this one.
  ///
  /// Core Data: `NSMutableOrderedSet.add(_:)`.
  ///
  /// - Parameters:
  ///   - object: The object, of the same store. It is edited in the context of this object.
  ///   - attribute: The name of the object's ordered reference.
  /// - Throws: The errors of ``insert(_:at:referringBy:)``, except
  ///   ``HistoryError/Code/indexOutOfRange``.
  /// - Complexity: one query, which returns two objects and is linear in the objects that refer to
  ///   this one. With an index over the reference and the position, the cost of the query does not
  ///   depend on the number of these objects.
  public func append(
    _ object: StoredObject,
    referringBy attribute: String
  ) throws(HistoryError) {
    let reference = try OrderedReference(attribute, of: object.id.entity, to: self)
    try reference.append(try reference.member(object))
  }

  /// Moves an object among the objects that refer to this one.
  ///
  /// Sets the object's position, as ``insert(_:at:referringBy:)`` does. The next save usually writes
  /// one update. It writes more if the objects next to the moved one get new positions, too. If the
  /// object is at `index` already, its position is kept.
  ///
  /// Core Data: `NSMutableOrderedSet.moveObjects(at:to:)`.
  ///
  /// - Parameters:
  ///   - object: The object. It is edited in the context of this object.
  ///   - index: The index after the move.
  ///   - attribute: The name of the object's ordered reference.
  /// - Throws: The errors of ``insert(_:at:referringBy:)``, and ``HistoryError/Code/unknownObject`` if
  ///   the object does not refer to this one.
  /// - Complexity: that of ``insert(_:at:referringBy:)``.
  public func move(
    _ object: StoredObject,
    to index: Int,
    referringBy attribute: String
  ) throws(HistoryError) {
    let reference = try OrderedReference(attribute, of: object.id.entity, to: self)
    let object = try reference.member(object)
    let objects = try reference.objects()
    guard objects.contains(object) else {
      throw .notReferring(object.id, to: reference.destination.id, attribute: attribute)
    }
    try reference.place(object, at: index, in: objects)
  }

  /// Replaces the objects that refer to this one by the given objects, in the given order.
  ///
  /// As few objects as possible get another position. The references of the objects that are not
  /// given become null. If an object is given twice, its first place counts.
  ///
  /// Core Data: setting an ordered to-many relationship.
  ///
  /// - Parameters:
  ///   - objects: The objects, of the same store. They are edited in the context of this object.
  ///   - entity: The name of the entity of the objects.
  ///   - attribute: The name of the ordered reference.
  /// - Throws: The errors of ``insert(_:at:referringBy:)`` except
  ///   ``HistoryError/Code/indexOutOfRange``; ``HistoryError/Code/unknownEntity``; and
  ///   ``HistoryError/Code/unfitValue`` if an object is of another entity. After any error except one
  ///   of SQLite, all objects are unchanged.
  /// - Complexity: one query by the index of the reference, and one for each given object that is not
  ///   registered; O(n log n) in the number of objects.
  public func setObjects(
    _ objects: some Collection<StoredObject>,
    of entity: String,
    referringBy attribute: String
  ) throws(HistoryError) {
    let reference = try OrderedReference(attribute, of: try context.number(of: entity), to: self)
    var members: [StoredObject] = []
    for object in objects { members.append(try reference.member(object)) }
    try reference.setObjects(members)
  }
}

/// The ordered relationship of one object: the objects that refer to it by one reference.
///
/// The relationship is read and edited in the context of the object, `destination`.
struct OrderedReference {
  let destination: StoredObject
  private let number: Int32
  private let entity: Entity
  private let attribute: String
  /// The name of the attribute for the positions.
  let positionName: String
  private var context: ObjectContext { destination.context }

  init(
    _ attribute: String,
    of number: Int32,
    to object: StoredObject
  ) throws(HistoryError) {
    let (referred, entity) = try object.context.reference(attribute, of: number)
    guard referred == object.id.entity else { throw .unknownAttribute(attribute, of: entity) }
    guard let positionName = entity.positionName(of: attribute) else {
      throw .unorderedReference(entity: entity.name, attribute: attribute)
    }
    guard let destination = try object.context.object(object.id) else {
      throw .unknownObject(object.id)
    }
    self.destination = destination
    self.number = number
    self.entity = entity
    self.attribute = attribute
    self.positionName = positionName
  }

  /// Returns the ``StoredObject`` of the same object in the relationship's context.
  ///
  /// Throws if the object cannot refer to the destination.
  func member(_ object: StoredObject) throws(HistoryError) -> StoredObject {
    guard object.context.store.id == context.store.id else { throw .unknownObject(object.id) }
    guard object.id.entity == number else {
      let found = context.store.model.entity(object.id.entity)?.name ?? ""
      throw .unfitMember(entity: entity.name, attribute: attribute, found: found)
    }
    guard let member = try context.object(object.currentID) else { throw .unknownObject(object.id) }
    return member
  }

  /// Returns the objects of the relationship, in their order.
  func objects() throws(HistoryError) -> [StoredObject] {
    try destination.objects(entity.name, referringBy: attribute)
  }

  /// Throws unless an index is valid for an insertion among `count` other objects: 0 to `count`.
  func check(_ index: Int, among count: Int) throws(HistoryError) {
    guard (0...count).contains(index) else { throw .indexOutOfRange(index, count: count) }
  }

  /// Moves or inserts an object to an index of the relationship.
  ///
  /// `objects` contains the present objects of the relationship, in their order.
  func place(
    _ object: StoredObject,
    at index: Int,
    in objects: [StoredObject]
  ) throws(HistoryError) {
    var objects = objects
    let old = objects.firstIndex(of: object)
    if let old { objects.remove(at: old) }
    try check(index, among: objects.count)
    guard old != index else { return }
    var positions = ListPositions(try self.positions(of: objects))
    positions.insert(at: index)
    objects.insert(object, at: index)
    try edit(joining: old == nil ? [object] : [], objects, positions)
  }

  func append(_ object: StoredObject) throws(HistoryError) {
    // Read two objects, because the last one may be `object` itself.
    let last = try lastObjects(2).first { $0 != object }
    let (own, bound) = (try position(of: object), try last.flatMap(position))
    let isMember = try object[attribute] == Value(referringTo: destination.id)
    if isMember, last == nil || own ?? -.infinity > bound ?? -.infinity { return }
    guard let number = ListPositions.numbers(1, between: bound, and: nil) else {
      let objects = try objects()
      return try place(object, at: objects.count - (isMember ? 1 : 0), in: objects)
    }
    try edit(joining: isMember ? [] : [object], [object], ListPositions(number))
  }

  /// Returns a position greater than all positions of the relationship; `nil` if no double is greater.
  func nextPosition() throws(HistoryError) -> Double? {
    ListPositions.numbers(1, between: try lastObjects(1).first.flatMap(position), and: nil)?.first
  }

  /// Returns the last objects of the relationship, the last one first.
  private func lastObjects(_ count: Int) throws(HistoryError) -> [StoredObject] {
    try context.objects(
      entity.name,
      where: .compare(attribute, .equal, Value(referringTo: destination.id)),
      sortedBy: [.descending(positionName)],
      limit: count
    )
  }

  /// Replaces the relationship's objects by the given ones, in the given order.
  ///
  /// If an object is given twice, its first place counts.
  func setObjects(_ objects: [StoredObject]) throws(HistoryError) {
    var ids: Set<ObjectID> = []
    let wanted = objects.filter { ids.insert($0.id).inserted }
    let present = try self.objects()
    let old = try positions(of: present)
    var places: [ObjectID: Int] = [:]
    for (place, object) in present.enumerated() { places[object.id] = place }
    // An object without a position gets one, because it would come first otherwise.
    let known = wanted.enumerated().compactMap { new, object in
      places[object.id].flatMap { old[$0] == nil ? nil : ReorderedIndex(new: new, old: $0) }
    }
    var values: [Double?] = Array(repeating: nil, count: wanted.count)
    for index in known.longestAscending { values[index.new] = old[index.old] }
    var positions = ListPositions(values)
    positions.fill()
    try edit(
      leaving: present.filter { !ids.contains($0.id) },
      joining: wanted.filter { places[$0.id] == nil },
      wanted,
      positions
    )
  }

  private func position(of object: StoredObject) throws(HistoryError) -> Double? {
    try object[positionName]?.double
  }

  private func positions(of objects: [StoredObject]) throws(HistoryError) -> [Double?] {
    var positions: [Double?] = []
    for object in objects { positions.append(try position(of: object)) }
    return positions
  }

  /// Sets the references and positions that differ, as one group of edits for undo.
  private func edit(
    leaving: [StoredObject] = [],
    joining: [StoredObject],
    _ objects: [StoredObject],
    _ positions: ListPositions
  ) throws(HistoryError) {
    try context.undoGroup { () throws(HistoryError) in
      for object in leaving { try object.set(.null, for: attribute) }
      for object in joining { try object.set(Value(referringTo: destination.id), for: attribute) }
      for (object, value) in zip(objects, positions.values) {
        guard let value, try position(of: object) != value else { continue }
        try object.set(.double(value), for: positionName)
      }
    }
  }
}

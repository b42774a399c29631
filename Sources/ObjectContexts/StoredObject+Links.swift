public import HistoryStore
public import HistoryTypes

/// Many-to-many relationships, whose links are objects of a link entity: see
/// ``Entity/init(_:linking:with:renamingIdentifier:)``.
extension StoredObject {
  /// Returns the objects that links connect with this object, including unsaved edits.
  ///
  /// Core Data: the value of a to-many relationship whose inverse is to-many.
  ///
  /// - Parameters:
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object; pass it if both references
  ///     of the link are to this object's entity. The default is the first such reference.
  ///   - orders: The sort orders of the objects; without them, they are in key order.
  /// - Returns: The objects; deleted objects are left out.
  /// - Throws: ``HistoryError/Code/unknownEntity``, ``HistoryError/Code/unknownAttribute`` if the
  ///   entity does not link objects of the entity of this object or a sort order is invalid, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: one query by the index of the links, and one for all objects that are not registered.
  public func objects(
    linkedBy entity: String,
    as attribute: String? = nil,
    sortedBy orders: [ObjectOrder] = []
  ) throws(HistoryError) -> [StoredObject] {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    var keys: Set<Int64> = []
    for link in try context.objects(entity, where: ends.refer(to: currentID)) {
      if let key = try link[ends.other]?.int { keys.insert(key) }
    }
    return try context.sorted(keys, of: ends.destination, by: orders)
  }

  /// Links this object with another one, unless a link connects them already.
  ///
  /// If another context saves the same link first, the merge policy of the context decides at the save,
  /// as for each duplicate of unique values: one link remains.
  ///
  /// - Parameters:
  ///   - object: The other object, of the same store.
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object, as for
  ///     ``objects(linkedBy:as:sortedBy:)``.
  /// - Returns: The link.
  /// - Throws: ``HistoryError/Code/unknownEntity``, ``HistoryError/Code/unknownAttribute`` if the
  ///   entity does not link objects of the entity of this object, ``HistoryError/Code/unfitValue`` if it
  ///   links them with objects of another entity, ``HistoryError/Code/unknownObject`` if one of the
  ///   objects is deleted or of another store, or ``HistoryError/Code/sqlite``.
  /// - Complexity: one query of one row, and one for each object that is not registered.
  @discardableResult
  public func link(
    to object: StoredObject,
    by entity: String,
    as attribute: String? = nil
  ) throws(HistoryError) -> StoredObject {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    try ends.check(object, in: context)
    if let link = try link(with: object, ends) { return link }
    let (own, other) = (currentID, object.currentID)
    for id in [own, other] {
      guard try context.object(id) != nil else { throw .unknownObject(id) }
    }
    return try context.insert(
      entity,
      [ends.own: Value(referringTo: own), ends.other: Value(referringTo: other)]
    )
  }

  /// Deletes the link between this object and another one, if a link exists.
  ///
  /// - Parameters:
  ///   - object: The other object, of the same store.
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object, as for
  ///     ``objects(linkedBy:as:sortedBy:)``.
  /// - Throws: The errors of ``link(to:by:as:)``; a deleted object has no links.
  /// - Complexity: one query of one row.
  public func unlink(
    from object: StoredObject,
    by entity: String,
    as attribute: String? = nil
  ) throws(HistoryError) {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    try ends.check(object, in: context)
    try link(with: object, ends)?.delete()
  }

  /// Links this object with exactly the given objects: inserts the missing links, and deletes the
  /// links to all other objects.
  ///
  /// - Parameters:
  ///   - objects: The objects, of the same store.
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object, as for
  ///     ``objects(linkedBy:as:sortedBy:)``.
  /// - Throws: The errors of ``link(to:by:as:)``; no link has then changed if an object is of another
  ///   entity or of another store.
  /// - Complexity: one query of the links, and those of ``link(to:by:as:)`` for each new link.
  public func setObjects(
    _ objects: some Collection<StoredObject>,
    linkedBy entity: String,
    as attribute: String? = nil
  ) throws(HistoryError) {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    for object in objects { try ends.check(object, in: context) }
    let kept = Set(objects.map(\.currentID.key))
    for link in try context.objects(entity, where: ends.refer(to: currentID)) {
      guard let key = try link[ends.other]?.int, !kept.contains(key) else { continue }
      link.delete()
    }
    for object in objects { try link(to: object, by: entity, as: ends.own) }
  }

  private func link(
    with object: StoredObject,
    _ ends: LinkEnds
  ) throws(HistoryError) -> StoredObject? {
    let both = ObjectPredicate.all([
      ends.refer(to: currentID),
      .compare(ends.other, .equal, Value(referringTo: object.currentID)),
    ])
    return try context.objects(ends.entity, where: both, limit: 1).first
  }
}

/// The two references of a link entity, as seen from one of the linked objects.
private struct LinkEnds {
  /// The name of the link entity.
  let entity: String
  /// The name of the reference to the object.
  let own: String
  /// The name of the reference to the other object.
  let other: String
  /// The number of the entity of the other object.
  let destination: Int32

  /// Returns the predicate for the links that refer to an object.
  func refer(to id: ObjectID) -> ObjectPredicate {
    .compare(own, .equal, Value(referringTo: id))
  }

  /// Throws if an object cannot be the other end of a link.
  func check(_ object: StoredObject, in context: ObjectContext) throws(HistoryError) {
    guard object.context.store.id == context.store.id else { throw .unknownObject(object.id) }
    try context.check(object, at: other, of: entity, isOf: destination)
  }
}

extension ObjectContext {
  /// Returns the references of a link entity, as seen from an object of another entity.
  fileprivate func ends(
    of entity: String,
    from number: Int32,
    as attribute: String?
  ) throws(HistoryError) -> LinkEnds {
    let model = store.model
    let link = try self.number(of: entity)
    let name = model.entity(number)?.name ?? ""
    let references = model.entity(link)?.attributes.filter { $0.reference != nil } ?? []
    let own = references.firstIndex {
      $0.reference?.entity == name && $0.name == attribute ?? $0.name
    }
    guard references.count == 2, let own, let destination = references[1 - own].reference,
      let destination = model.number(of: destination.entity)
    else { throw .noLinkEntity(entity, of: name, attribute: attribute) }
    return LinkEnds(
      entity: entity,
      own: references[own].name,
      other: references[1 - own].name,
      destination: destination
    )
  }

  /// Returns the existing objects with the given keys, sorted; objects not registered yet are read.
  fileprivate func sorted(
    _ keys: Set<Int64>,
    of entity: Int32,
    by orders: [ObjectOrder]
  ) throws(HistoryError) -> [StoredObject] {
    let query = try ObjectQuery(nil, sortedBy: orders, limit: nil, offset: 0)
    guard let description = store.model.entity(entity) else { return [] }
    for order in orders where description.index(of: order.attribute) == nil {
      throw .unknownAttribute(order.attribute, of: description)
    }
    let rows = try state.withLock { state throws(HistoryError) in
      try readAll(keys.sorted().map { ObjectID(entity: entity, key: $0) }, &state)
      return keys.compactMap { key in
        state.row(of: ObjectID(entity: entity, key: key)).map { (key, $0) }
      }
    }
    return rows.sorted { query.precedes($0, $1, in: description) }.map { key, _ in
      StoredObject(context: self, id: ObjectID(entity: entity, key: key))
    }
  }

  /// Reads the objects of one entity that are neither registered nor edited, with one query.
  private func readAll(_ ids: [ObjectID], _ state: inout ContextState) throws(HistoryError) {
    let unread = ids.filter { !state.isHere($0) && state.mayBeReleased($0) }
    guard let entity = unread.first?.entity else { return }
    state[table: entity].put(
      try (state.pinned ?? store).rows(entity, sortedKeys: unread.map(\.key))
    )
  }
}

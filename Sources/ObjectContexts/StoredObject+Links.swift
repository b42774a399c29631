public import HistoryStore
public import HistoryTypes

/// Many-to-many relationships, whose links are objects of a link entity: see
/// ``Entity/init(_:linking:with:orderedBy:inverseOrderedBy:renamingIdentifier:)``.
extension StoredObject {
  /// Returns the objects that links connect with this object, including unsaved edits.
  ///
  /// Core Data: the value of a to-many relationship whose inverse is to-many, ordered or not.
  ///
  /// - Parameters:
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object; pass it if both references
  ///     of the link are to this object's entity. The default is the first such reference.
  ///   - orders: The sort orders of the objects. Without them, the objects are in the order of the
  ///     reference (``Reference/orderedBy``), or in key order.
  /// - Returns: The objects; deleted objects are left out.
  /// - Throws: ``HistoryError/Code/unknownEntity``, ``HistoryError/Code/unknownAttribute`` if the link
  ///   entity has no such reference to this object's entity or a sort order is invalid, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: one query by the index of the links, and one for all objects that are not registered.
  public func objects(
    linkedBy entity: String,
    as attribute: String? = nil,
    sortedBy orders: [ObjectOrder] = []
  ) throws(HistoryError) -> [StoredObject] {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    let order = orders.isEmpty ? ends.entity.orders(of: ends.own) : []
    var keys: [Int64] = []
    var seen: Set<Int64> = []
    for link in try context.objects(entity, where: ends.refer(to: currentID), sortedBy: order) {
      if let key = try link[ends.other]?.int, seen.insert(key).inserted { keys.append(key) }
    }
    return try context.sorted(keys, of: ends.destination, by: order.isEmpty ? orders : nil)
  }

  /// Links this object with another one, unless a link connects them already.
  ///
  /// If a reference of the link has an order, the new link comes last in that order. If another
  /// context saves a link between the same objects first, the save of this context detects a
  /// duplicate of unique values: this context's merge policy decides the outcome, and only one link
  /// remains.
  ///
  /// Core Data: `NSMutableSet.add(_:)` and `NSMutableOrderedSet.add(_:)`.
  ///
  /// - Parameters:
  ///   - object: The other object, of the same store.
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object, as for
  ///     ``objects(linkedBy:as:sortedBy:)``.
  /// - Returns: The link.
  /// - Throws: ``HistoryError/Code/unknownEntity``, ``HistoryError/Code/unknownAttribute`` if the link
  ///   entity has no such reference to this object's entity, ``HistoryError/Code/unfitValue`` if the
  ///   link's other reference is not to the entity of `object`, ``HistoryError/Code/unknownObject`` if
  ///   one of the objects is deleted or of another store, or ``HistoryError/Code/sqlite``.
  /// - Complexity: one query of one row to find an existing link; without one, a query for each
  ///   reference with an order; and one for each of the two objects that is not registered.
  @discardableResult
  public func link(
    to object: StoredObject,
    by entity: String,
    as attribute: String? = nil
  ) throws(HistoryError) -> StoredObject {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    try ends.check(object, in: context)
    return try link(to: object, ends)
  }

  /// Puts another object at an index among the objects linked with this one; links it if needed.
  ///
  /// Sets the position of the link, as ``insert(_:at:referringBy:)`` does. History contains one
  /// insert, or one update if the objects were linked already. If no double fits between the
  /// positions of the two neighboring links, links near them get new positions, too. Two contexts
  /// may insert links at the same place: links with equal positions are in key order.
  ///
  /// ```swift
  /// try task.link(to: tag, at: 0, by: "Tagging")
  /// ```
  ///
  /// Core Data: `NSMutableOrderedSet.insert(_:at:)` and `moveObjects(at:to:)`.
  ///
  /// - Parameters:
  ///   - object: The other object, of the same store.
  ///   - index: The index among the other objects that are linked with this one.
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object, as for
  ///     ``objects(linkedBy:as:sortedBy:)``. The reference must have an order.
  /// - Returns: The link.
  /// - Throws: The errors of ``link(to:by:as:)``, ``HistoryError/Code/unknownAttribute`` if the
  ///   reference has no order, or ``HistoryError/Code/indexOutOfRange``. After any error except one
  ///   of SQLite, all links are unchanged.
  /// - Complexity: two queries of the links, linear in their number, and those of ``link(to:by:as:)``.
  @discardableResult
  public func link(
    to object: StoredObject,
    at index: Int,
    by entity: String,
    as attribute: String? = nil
  ) throws(HistoryError) -> StoredObject {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    try ends.check(object, in: context)
    let list = try OrderedReference(ends.own, of: ends.number, to: self)
    let present = Set(try objects(linkedBy: entity, as: ends.own).map(\.id.key))
    var links: [StoredObject] = []
    // Skip the links to objects whose deletion is not saved yet.
    for link in try list.objects() {
      if let key = try link[ends.other]?.int, present.contains(key) { links.append(link) }
    }
    let isLinked = present.contains(object.currentID.key)
    try list.check(index, among: links.count - (isLinked ? 1 : 0))
    return try context.undoGroup { () throws(HistoryError) in
      let link = try link(to: object, ends)
      try list.place(link, at: index, in: links)
      return link
    }
  }

  /// Deletes the link between this object and another one, if a link exists.
  ///
  /// - Parameters:
  ///   - object: The other object, of the same store.
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object, as for
  ///     ``objects(linkedBy:as:sortedBy:)``.
  /// - Throws: The errors of ``link(to:by:as:)``, except that a deleted object is not an error.
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
  /// If the reference to this object has an order, the objects are in the given order afterwards,
  /// and as few links as possible get another position. If an object is given twice, its first
  /// place counts.
  ///
  /// - Parameters:
  ///   - objects: The objects, of the same store.
  ///   - entity: The name of the link entity.
  ///   - attribute: The name of the link's reference to this object, as for
  ///     ``objects(linkedBy:as:sortedBy:)``.
  /// - Throws: The errors of ``link(to:by:as:)``. After any error except one of SQLite, all links
  ///   are unchanged.
  /// - Complexity: one query of the links, or two if they are ordered; a query of one row for each
  ///   unregistered object; and a query for each new link if its reference to the other object has an
  ///   order. O(n log n) for n objects.
  public func setObjects(
    _ objects: some Collection<StoredObject>,
    linkedBy entity: String,
    as attribute: String? = nil
  ) throws(HistoryError) {
    let ends = try context.ends(of: entity, from: id.entity, as: attribute)
    for object in objects { try ends.check(object, in: context) }
    try checkIsPresent()
    for object in objects { try object.checkIsPresent() }
    try context.undoGroup { () throws(HistoryError) in
      let present = try context.objects(entity, where: ends.refer(to: currentID))
      var known: [Int64: StoredObject] = [:]
      for link in present {
        if let key = try link[ends.other]?.int, known[key] == nil { known[key] = link }
      }
      var links: [StoredObject] = []
      for object in objects {
        let key = object.currentID.key
        if known[key] == nil { known[key] = try insertLink(to: object, ends, isLast: false) }
        if let link = known[key] { links.append(link) }
      }
      let kept = Set(links.map(\.id))
      for link in present where !kept.contains(link.id) { link.delete() }
      try ends.list(by: ends.own, to: self)?.setObjects(links)
    }
  }

  /// Throws if the object is deleted.
  private func checkIsPresent() throws(HistoryError) {
    let id = currentID
    guard try context.object(id) != nil else { throw .unknownObject(id) }
  }

  private func link(
    with object: StoredObject,
    _ ends: LinkEnds
  ) throws(HistoryError) -> StoredObject? {
    let both = ObjectPredicate.all([
      ends.refer(to: currentID),
      .compare(ends.other, .equal, Value(referringTo: object.currentID)),
    ])
    return try context.objects(ends.entity.name, where: both, limit: 1).first
  }

  /// Returns the link between this object and another one; inserts the link if it does not exist.
  private func link(
    to object: StoredObject,
    _ ends: LinkEnds
  ) throws(HistoryError) -> StoredObject {
    try checkIsPresent()
    try object.checkIsPresent()
    if let link = try link(with: object, ends) { return link }
    return try insertLink(to: object, ends, isLast: true)
  }

  /// Inserts a link between this object and `object`, as the last link on the side of `object`.
  ///
  /// If `isLast` is `true`, the link is also the last one on the side of this object; otherwise it
  /// gets no position there. The links on a side are ordered only if the link's reference to the
  /// object on that side has an order (``Reference/orderedBy``).
  private func insertLink(
    to object: StoredObject,
    _ ends: LinkEnds,
    isLast: Bool
  ) throws(HistoryError) -> StoredObject {
    var values: [String: Value] = [:]
    var lists: [OrderedReference] = []
    for (reference, id) in [(ends.own, currentID), (ends.other, object.currentID)] {
      guard let end = try context.object(id) else { throw .unknownObject(id) }
      values[reference] = Value(referringTo: id)
      guard isLast || reference != ends.own,
        let list = try ends.list(by: reference, to: end)
      else { continue }
      lists.append(list)
      values[list.positionName] = try list.nextPosition().map { .double($0) }
    }
    return try context.undoGroup { () throws(HistoryError) in
      let link = try context.insert(ends.entity.name, values)
      // If no double is greater than all positions, the link has none yet: `append` makes room.
      for list in lists where values[list.positionName] == nil { try list.append(link) }
      return link
    }
  }
}

/// The two references of a link entity, as seen from one of the two objects that a link connects.
private struct LinkEnds {
  /// The entity whose objects are the links of a many-to-many relationship.
  let entity: Entity
  /// The number of the link entity in the model.
  let number: Int32
  /// The name of the link's attribute that refers to this object, from which the link is seen.
  let own: String
  /// The name of the link's attribute that refers to the other object.
  let other: String
  /// The number of the entity of the objects at the other end.
  let destination: Int32

  /// Returns the predicate for the links whose reference ``own`` refers to an object.
  func refer(to id: ObjectID) -> ObjectPredicate {
    .compare(own, .equal, Value(referringTo: id))
  }

  /// Throws if an object cannot be the other end of a link.
  func check(_ object: StoredObject, in context: ObjectContext) throws(HistoryError) {
    guard object.context.store.id == context.store.id else { throw .unknownObject(object.id) }
    try context.check(object, at: other, of: entity.name, isOf: destination)
  }

  /// Returns the ordered links to an object by `reference`, or `nil` if `reference` has no order.
  func list(
    by reference: String,
    to object: StoredObject
  ) throws(HistoryError) -> OrderedReference? {
    guard entity.positionName(of: reference) != nil else { return nil }
    return try OrderedReference(reference, of: number, to: object)
  }
}

extension ObjectContext {
  /// Returns the two references of a link entity, as seen from an object of the entity `number`.
  ///
  /// `attribute` is the name of the link's reference to that object. `nil` selects the first of the
  /// link entity's attributes that refers to the entity `number`.
  fileprivate func ends(
    of entity: String,
    from number: Int32,
    as attribute: String?
  ) throws(HistoryError) -> LinkEnds {
    let model = store.model
    let link = try self.number(of: entity)
    let description = model.entities[Int(link) - 1]
    let name = model.entity(number)?.name ?? ""
    let references = description.attributes.filter { $0.reference != nil }
    let own = references.firstIndex {
      $0.reference?.entity == name && $0.name == attribute ?? $0.name
    }
    guard references.count == 2, let own, let destination = references[1 - own].reference,
      let destination = model.number(of: destination.entity)
    else { throw .noLinkEntity(entity, of: name, attribute: attribute) }
    return LinkEnds(
      entity: description,
      number: link,
      own: references[own].name,
      other: references[1 - own].name,
      destination: destination
    )
  }

  /// Returns the existing objects with the given keys; objects not registered yet are read.
  ///
  /// The objects are sorted, or in the order of the keys if `orders` is `nil`.
  fileprivate func sorted(
    _ keys: [Int64],
    of entity: Int32,
    by orders: [ObjectOrder]?
  ) throws(HistoryError) -> [StoredObject] {
    let query = try ObjectQuery(nil, sortedBy: orders ?? [], limit: nil, offset: 0)
    guard let description = store.model.entity(entity) else { return [] }
    for order in orders ?? [] where description.index(of: order.attribute) == nil {
      throw .unknownAttribute(order.attribute, of: description)
    }
    return try state.withLock { state throws(HistoryError) in
      try readAll(keys.map { ObjectID(entity: entity, key: $0) }.sorted(), &state)
      let rows = keys.compactMap { key in
        state.row(of: ObjectID(entity: entity, key: key)).map { (key, $0) }
      }
      let sorted = orders == nil ? rows : rows.sorted { query.precedes($0, $1, in: description) }
      return references(to: sorted.map(\.0), of: entity, &state)
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

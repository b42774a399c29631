public import HistoryStore
public import HistoryTypes

extension StoredObject {
  /// Returns the object that a reference of this object refers to, including unsaved edits.
  ///
  /// Core Data: the value of a to-one relationship.
  ///
  /// - Returns: The object, or `nil` if the reference is null, or if either object is deleted.
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the entity has no such reference, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: one query of one row unless the object is registered.
  public func destination(of attribute: String) throws(HistoryError) -> StoredObject? {
    let (entity, _) = try context.reference(attribute, of: id.entity)
    guard case .int(let key)? = try context.value(of: id, attribute) else { return nil }
    return try context.object(ObjectID(entity: entity, key: key))
  }

  /// Sets a reference of this object to an object of the same store, or to null.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the entity has no such reference,
  ///   ``HistoryError/Code/unfitValue`` if the reference is not to the entity of `object`,
  ///   ``HistoryError/Code/unknownObject`` if this object is deleted or the other one is of another
  ///   store, or ``HistoryError/Code/sqlite``.
  /// - Complexity: no query, or a query of one row if this object is not registered.
  public func setDestination(
    _ object: StoredObject?,
    of attribute: String
  ) throws(HistoryError) {
    let (entity, description) = try context.reference(attribute, of: id.entity)
    if let object {
      guard object.context.store.id == context.store.id else { throw .unknownObject(object.id) }
      try context.check(object, at: attribute, of: description.name, isOf: entity)
    }
    try context.set(Value(referringTo: object?.currentID), of: id, attribute)
  }

  /// Returns the objects of an entity that refer to this object, including unsaved edits.
  ///
  /// Core Data: the value of the inverse, to-many relationship.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity with the reference.
  ///   - attribute: The name of the reference.
  ///   - orders: The sort orders. The default is the order of the reference (``Reference/orderedBy``),
  ///     with objects without a position first. If the reference has no order, the default is the
  ///     order of the keys.
  /// - Returns: The objects.
  /// - Throws: ``HistoryError/Code/unknownEntity``, ``HistoryError/Code/unknownAttribute`` if the
  ///   attribute is no reference to the entity of this object, or ``HistoryError/Code/sqlite``.
  /// - Complexity: one query by the index of the reference.
  public func objects(
    _ entity: String,
    referringBy attribute: String,
    sortedBy orders: [ObjectOrder] = []
  ) throws(HistoryError) -> [StoredObject] {
    guard let number = context.store.model.number(of: entity) else {
      throw .unknownEntity(entity, in: context.store.model)
    }
    let (destination, description) = try context.reference(attribute, of: number)
    guard destination == id.entity else {
      throw .unknownAttribute(attribute, of: description)
    }
    return try context.objects(
      entity,
      where: .compare(attribute, .equal, Value(referringTo: currentID)),
      sortedBy: orders.isEmpty ? description.orders(of: attribute) : orders
    )
  }
}

extension ObjectContext {
  /// Throws unless an object is of the entity to which a reference refers.
  func check(
    _ object: StoredObject,
    at attribute: String,
    of entity: String,
    isOf destination: Int32
  ) throws(HistoryError) {
    guard object.id.entity != destination else { return }
    let names = [destination, object.id.entity].map { store.model.entity($0)?.name ?? "" }
    throw .unfitDestination(entity: entity, attribute: attribute, wanted: names[0], found: names[1])
  }

  /// Returns the number of the entity that a reference points to, and the entity that declares the
  /// reference.
  func reference(
    _ attribute: String,
    of entity: Int32
  ) throws(HistoryError) -> (destination: Int32, entity: Entity) {
    let model = store.model
    guard let description = model.entity(entity) else {
      throw .unknownObject(ObjectID(entity: entity, key: 0))
    }
    guard let index = description.index(of: attribute),
      let reference = description.attributes[index].reference,
      let destination = model.number(of: reference.entity)
    else { throw .unknownAttribute(attribute, of: description) }
    return (destination, description)
  }
}

extension Entity {
  /// Returns the name of the attribute that orders the objects with the same target of a reference.
  ///
  /// Returns `nil` if the reference has no order (``Reference/orderedBy``).
  func positionName(of reference: String) -> String? {
    index(of: reference).flatMap { attributes[$0].reference?.orderedBy }
  }

  /// Returns the order of the objects that refer to one object; `[]` stands for key order.
  func orders(of reference: String) -> [ObjectOrder] {
    positionName(of: reference).map { [ObjectOrder($0)] } ?? []
  }
}

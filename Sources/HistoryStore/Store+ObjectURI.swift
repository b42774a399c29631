public import PersistentHistory

extension Store {
  /// Returns the URI of an object, `x-history://STORE/ENTITY/pKEY`.
  ///
  /// It can be stored outside the store, and identifies the object even after its deletion.
  ///
  /// - Throws: ``HistoryError/unknownObject(_:)`` when the model has no such entity, or the key is
  ///   invalid.
  public func uri(of id: ObjectID) throws(HistoryError) -> String {
    guard let entity = model.entity(id.entity), id.key > 0 else { throw .unknownObject(id) }
    return ObjectURI(store: self.id, entity: entity.name, key: id.key).description
  }

  /// Returns the ID of the object with a URI, without checking that the object exists.
  ///
  /// - Throws: ``HistoryError/badURI(_:)``, ``HistoryError/otherStoreURI(_:store:)`` or
  ///   ``HistoryError/unknownEntity(_:)``.
  public func objectID(for uri: String) throws(HistoryError) -> ObjectID {
    guard let parts = ObjectURI(uri) else { throw .badURI(uri) }
    guard parts.store == id else { throw .otherStoreURI(uri, store: id) }
    guard let entity = model.number(of: parts.entity) else { throw .unknownEntity(parts.entity) }
    return ObjectID(entity: entity, key: parts.key)
  }
}

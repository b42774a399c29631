public import PersistentHistory

extension Store {
  /// The URI of an object, `x-history://STORE/ENTITY/pKEY`: it can be kept outside of the store and
  /// names the object whether or not it is still there.
  ///
  /// - Throws: ``HistoryError/unknownObject(_:)`` when the model has no such entity, or no object has
  ///   such a key.
  public func uri(of id: ObjectID) throws(HistoryError) -> String {
    guard let entity = model.entity(id.entity), id.key > 0 else { throw .unknownObject(id) }
    return ObjectURI(store: self.id, entity: entity.name, key: id.key).description
  }

  /// The identity of the object with a URI; whether the object is there is not asked.
  ///
  /// - Throws: ``HistoryError/badURI(_:)``, ``HistoryError/otherStoreURI(_:store:)`` and
  ///   ``HistoryError/unknownEntity(_:)``.
  public func objectID(for uri: String) throws(HistoryError) -> ObjectID {
    guard let parts = ObjectURI(uri) else { throw .badURI(uri) }
    guard parts.store == id else { throw .otherStoreURI(uri, store: id) }
    guard let entity = model.number(of: parts.entity) else { throw .unknownEntity(parts.entity) }
    return ObjectID(entity: entity, key: parts.key)
  }
}

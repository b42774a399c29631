package import HistoryStore
package import HistoryTypes
import ObjectContexts
package import Traces

/// Makes the store that a script about files works on.
extension FileScript {
  /// Copies the data of the plan's store into a new store; then inserts and deletes another object.
  ///
  /// - Parameters:
  ///   - folder: the folder of the new store.
  ///   - name: returns the plan's name of an object.
  /// - Returns: the names of the copied objects.
  /// - Throws: ``HistoryError`` if a store cannot be read or written.
  package mutating func fill(
    _ folder: borrowing ScratchFolder,
    _ name: (ObjectID) -> ObjectName
  ) throws(HistoryError) -> [ObjectID: ObjectName] {
    let original = try Store(
      path: folder.file("original"),
      model: store.model,
      configuration: configuration()
    )
    let permissions = folder.permissions(of: "original")
    expect(permissions == 0o600, "the file has the permissions \(permissions ?? 0)")
    var names: [ObjectID: ObjectName] = [:]
    var copies: [ObjectID: ObjectID] = [:]
    let source = ObjectContext(store: store, author: nil, name: "query")
    for (index, entity) in entities.enumerated() {
      let author = index == 0 ? "app" : nil
      let context = ObjectContext.retaining(original, author: author, name: "view")
      let objects = try source.objects(entity.name)
      // An object may refer to one of its own entity that comes later, so these references follow.
      let isLater = { (attribute: Attribute) in attribute.reference?.entity == entity.name }
      for object in objects {
        var values: Values = [:]
        for attribute in entity.attributes where !isLater(attribute) {
          values[attribute.name] = try copied(attribute, of: object, copies)
        }
        let copy = try context.insert(entity.name, values)
        names[copy.id] = name(object.id)
        copies[object.id] = copy.id
      }
      for attribute in entity.attributes where isLater(attribute) {
        for object in objects {
          let value = try copied(attribute, of: object, copies)
          let copy = try copies[object.id].flatMap { id throws(HistoryError) in
            try context.object(id)
          }
          try copy?.set(value, for: attribute.name)
        }
      }
      try context.save()
    }
    let context = ObjectContext.retaining(original, author: "app", name: "view")
    let extra = try context.insert(entities[0].name)
    try context.save()
    extra.delete()
    try context.save()
    lines = try history(original)
    token = try original.currentToken()
    return names
  }

  /// Returns the value of an attribute for the copy of an object.
  ///
  /// A reference to a copied object becomes a reference to the copy.
  private func copied(
    _ attribute: Attribute,
    of object: StoredObject,
    _ copies: [ObjectID: ObjectID]
  ) throws(HistoryError) -> Value {
    let value = try object[attribute.name] ?? .null
    let copy = destination(of: attribute, value, in: store.model).flatMap { copies[$0] }
    return copy.map { .int($0.key) } ?? value
  }

  /// Returns the object that a value refers to.
  ///
  /// `nil` if the attribute is not a reference, the value is null, or `model` lacks the entity.
  func destination(
    of attribute: Attribute,
    _ value: Value,
    in model: Model
  ) -> ObjectID? {
    guard let reference = attribute.reference, let key = value.int else { return nil }
    return model.number(of: reference.entity).map { ObjectID(entity: $0, key: key) }
  }
}

public import HistoryStore
public import PersistentHistory

/// A handle on one object in one context (Core Data: `NSManagedObject`).
///
/// Two handles with the same context and identity are the same object.
public struct StoredObject: Sendable, Hashable {
  /// The context that the object lives in.
  public let context: ObjectContext
  /// Which object it is.
  public let id: ObjectID

  package init(context: ObjectContext, id: ObjectID) {
    self.context = context
    self.id = id
  }

  /// The value of an attribute with unsaved edits, or nothing when the object is deleted or its
  /// entity has no such attribute.
  public subscript(attribute: String) -> Value? {
    context.value(of: id, attribute)
  }

  /// Sets an attribute; it is written at the next save.
  ///
  /// - Throws: ``HistoryError`` when the entity has no such attribute, the value does not fit, or the
  ///   object is deleted.
  public func set(_ value: Value, for attribute: String) throws(HistoryError) {
    try context.set(value, of: id, attribute)
  }

  /// Deletes the object at the next save.
  public func delete() {
    context.delete(id)
  }
}

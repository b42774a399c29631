public import HistoryStore
public import PersistentHistory

/// A reference to one object in one context (Core Data: `NSManagedObject`).
///
/// Two references with the same context and identity are equal.
public struct StoredObject: Sendable, Hashable {
  /// The context of the object.
  public let context: ObjectContext
  /// The identity of the object.
  public let id: ObjectID

  package init(context: ObjectContext, id: ObjectID) {
    self.context = context
    self.id = id
  }

  /// The value of an attribute, including unsaved edits.
  ///
  /// `nil` if the object is deleted or its entity has no such attribute.
  public subscript(attribute: String) -> Value? {
    context.value(of: id, attribute)
  }

  /// Sets an attribute, which is written at the next save.
  ///
  /// - Throws: ``HistoryError`` if the entity has no such attribute, the value is invalid, or the
  ///   object is deleted.
  public func set(_ value: Value, for attribute: String) throws(HistoryError) {
    try context.set(value, of: id, attribute)
  }

  /// Deletes the object at the next save.
  public func delete() {
    context.delete(id)
  }
}

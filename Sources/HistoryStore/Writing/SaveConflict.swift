public import HistoryTypes

/// A conflict of one object during a save (Core Data: `NSMergeConflict`, `NSConstraintConflict`).
///
/// Values are given by attribute name, one for each attribute of the entity that the program can read.
public struct SaveConflict: Sendable, Hashable {
  /// The object that the context edited.
  public let id: ObjectID
  /// The name of the object's entity.
  public let entity: String
  /// Another object in the store that has the same unique values as the edited object.
  ///
  /// It is `nil` if another writer changed the edited object itself.
  public let duplicate: ObjectID?
  /// The attributes whose values must be unique and are equal to those of the duplicate.
  public let uniqueAttributes: [String]
  /// The edited object's values as the context last read or saved them; `nil` for an inserted object.
  ///
  /// References to objects that the same save deletes are null.
  public let original: [String: Value]?
  /// The object's values with the context's edits; `nil` if the context deleted the object.
  public let edited: [String: Value]?
  /// The attributes that the context has set, in the model's order; empty if it deleted the object.
  public let setAttributes: [String]
  /// The values in the store: those of the duplicate if there is one, otherwise those of the object.
  public let stored: [String: Value]
}

/// The decision of an app about a conflict.
public enum ConflictResolution: Sendable, Hashable {
  /// The store's values stay, and the edit of the object is discarded.
  ///
  /// If an inserted object has a duplicate, the duplicate is used in its place. If an updated
  /// object has one, the updated object keeps its unique values from the store.
  case keepStored
  /// The values set by the context replace the store's, or the context's delete is carried out.
  ///
  /// If an inserted object has a duplicate, the values are written to the duplicate, which is used
  /// in place of the inserted object. If an updated object has a duplicate, the duplicate is
  /// deleted.
  case keepEdited
  /// These values are written; attributes without a value stay as they are in the store.
  ///
  /// If an inserted object has a duplicate, the values are written to the duplicate, which is used
  /// in place of the inserted object. If an updated object would still have a duplicate, the
  /// duplicate is deleted. An object that the context deleted stays in the store.
  case write([String: Value])
}

extension SaveConflict {
  init(
    of edit: ObjectEdit,
    in table: EntityStatements,
    stored: [Value],
    duplicate: Duplicate? = nil
  ) {
    let entity = table.entity
    // A newer program widened the types of these attributes, so this program may have read null.
    let unread = table.widened & ~edit.columns
    func named(_ row: [Value]) -> [String: Value] {
      var values: [String: Value] = [:]
      for (index, value) in row.enumerated() where unread >> UInt64(index) & 1 == 0 {
        values[entity.attributes[index].name] = value
      }
      return values
    }
    id = edit.id
    self.entity = entity.name
    self.duplicate = duplicate?.id
    uniqueAttributes = (duplicate?.constraint.indices ?? []).map { entity.attributes[$0].name }
    original = edit.type == .insert || edit.base.isEmpty ? nil : named(edit.base)
    edited =
      switch edit.type {
      case .insert: named(edit.values)
      case .update: named(edit.applied(to: edit.base.isEmpty ? stored : edit.base))
      case .delete: nil
      }
    setAttributes = entity.attributes.indices.filter { edit.columns >> UInt64($0) & 1 == 1 }
      .map { entity.attributes[$0].name }
    self.stored = named(stored)
  }
}

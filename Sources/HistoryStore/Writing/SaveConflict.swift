public import HistoryTypes

/// A conflict of one object during a save (Core Data: `NSMergeConflict`, `NSConstraintConflict`).
///
/// Values are given by attribute name, one for each attribute of the entity that the program can read.
public struct SaveConflict: Sendable, Hashable {
  /// The object that the context edited.
  public let id: ObjectID
  /// The object's entity.
  public let entity: String
  /// The object of the store with the same unique values.
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
  /// The attributes that the context set, in the order of the model; empty if it deleted the object.
  public let setAttributes: [String]
  /// The values in the store: those of the duplicate if there is one, otherwise those of the object.
  public let stored: [String: Value]
}

/// The decision of an app about a conflict.
public enum ConflictResolution: Sendable, Hashable {
  /// The store's values stay, and the edit of the object is discarded.
  ///
  /// A duplicate replaces an inserted object. An updated object keeps its unique values from the store.
  case keepStored
  /// The attributes that the context set are written, or its delete is carried out.
  ///
  /// The duplicate of an inserted object gets the values that were set, and replaces the object. The
  /// duplicate of an updated object is deleted.
  case keepEdited
  /// These values are written; attributes without a value stay as they are in the store.
  ///
  /// The duplicate of an inserted object gets the values, and replaces the object. If an updated object
  /// still has a duplicate with the values, the duplicate is deleted. An object that the context deleted
  /// stays in the store.
  case write([String: Value])
}

/// The handling of conflicts in one save: by a merge policy or by a closure.
struct ConflictHandling {
  typealias Closure = (SaveConflict) throws -> ConflictResolution

  /// The merge policy, which a closure overrides.
  let policy: MergePolicy
  let closure: Closure?
  /// The objects whose conflicts make the save fail.
  private(set) var unresolved: [ObjectID] = []
  /// The edits as the closure resolved them; a save may apply an edit again after other edits.
  private(set) var resolved: [ObjectID: ObjectEdit] = [:]

  init(_ policy: MergePolicy, closure: Closure? = nil) {
    (self.policy, self.closure) = (policy, closure)
  }

  /// Whether conflicts make the save fail.
  var fails: Bool { policy == .error && closure == nil }

  mutating func fail(_ id: ObjectID) { unresolved.append(id) }

  mutating func note(_ edit: ObjectEdit) { resolved[edit.id] = edit }

  /// Returns the part of an update to write over a row that another writer changed.
  ///
  /// - Returns: An update, without columns if nothing is left to write.
  mutating func resolve(
    _ edit: ObjectEdit,
    over stored: [Value],
    in table: EntityStatements
  ) throws -> ObjectEdit {
    guard let closure else { return edit.resolved(against: stored, policy, except: table.widened) }
    if let earlier = resolved[edit.id] { return earlier }
    var written = edit
    switch try closure(SaveConflict(of: edit, in: table, stored: stored)) {
    case .keepStored: (written.columns, written.values) = (0, [])
    case .keepEdited: break
    case .write(let values): try written.set(values, in: table.entity)
    }
    note(written)
    return written
  }

  /// Returns what to do about a delete of an object that another writer changed.
  mutating func resolveDelete(
    _ edit: ObjectEdit,
    in table: EntityStatements,
    stored: () throws -> [Value]
  ) throws -> ConflictResolution {
    if let closure { return try closure(SaveConflict(of: edit, in: table, stored: stored())) }
    switch policy {
    case .objectWins, .overwrite: return .keepEdited
    case .storeWins, .rollback: return .keepStored
    case .error:
      fail(edit.id)
      return .keepStored
    }
  }

  /// Returns what to do about an edit that would create a duplicate; `nil` if the save must fail.
  func resolveDuplicate(
    _ edit: ObjectEdit,
    _ duplicate: Duplicate,
    in table: EntityStatements,
    stored: () throws -> [Value]
  ) throws -> ConflictResolution? {
    if let closure {
      return try closure(
        SaveConflict(of: edit, in: table, stored: stored(), duplicate: duplicate)
      )
    }
    return switch policy {
    case .objectWins, .overwrite: .keepEdited
    case .storeWins, .rollback: .keepStored
    case .error: nil
    }
  }
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

extension ObjectEdit {
  /// Returns a row with the values that this update sets.
  func applied(to row: [Value]) -> [Value] {
    var row = row
    let set = row.indices.filter { columns >> UInt64($0) & 1 == 1 }
    for (index, value) in zip(set, values) { row[index] = value }
    return row
  }

  /// Replaces the values to write: of an update the set ones, of an insert those over its own.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``.
  mutating func set(_ given: [String: Value], in entity: Entity) throws(HistoryError) {
    var byIndex: [Int: Value] = [:]
    for (name, value) in given {
      guard let index = entity.index(of: name) else { throw .unknownAttribute(name, of: entity) }
      byIndex[index] = value
    }
    columns = byIndex.keys.reduce(0) { $0 | 1 << UInt64($1) }
    if type == .insert {
      for (index, value) in byIndex { values[index] = value }
    } else {
      values = byIndex.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

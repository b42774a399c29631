import HistoryTypes

/// The handling of conflicts in one save: by a merge policy or by a closure.
struct ConflictHandling {
  typealias Closure = (SaveConflict) throws -> ConflictResolution

  /// The merge policy, which applies if the app passed no ``closure`` to resolve conflicts.
  let policy: MergePolicy
  let closure: Closure?
  /// The objects whose conflicts make the save fail.
  private(set) var unresolved: [ObjectID] = []
  /// The inserts and updates as ``closure`` decided to write them after conflicts, by object.
  ///
  /// If such an edit would create a duplicate, the save applies it again after all other edits, in
  /// the form stored here. ``closure`` is not asked again about the other writer's change of the
  /// row.
  private(set) var resolved: [ObjectID: ObjectEdit] = [:]

  init(_ policy: MergePolicy, closure: Closure? = nil) {
    (self.policy, self.closure) = (policy, closure)
  }

  /// Whether conflicts make the save fail.
  var fails: Bool { policy == .error && closure == nil }

  mutating func fail(_ id: ObjectID) { unresolved.append(id) }

  mutating func note(_ edit: ObjectEdit) { resolved[edit.id] = edit }

  /// Returns the update to write over a row that another writer changed.
  ///
  /// - Returns: An update, which has no columns if no attribute is to be written.
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

  /// Resolves the conflict between a delete and another writer's change of the same object.
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

  /// Resolves an edit that would create a duplicate; returns `nil` if the save must fail.
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

extension ObjectEdit {
  /// Returns the update that a merge policy writes over a row that another writer changed.
  ///
  /// The result has no columns if no attribute is to be written. The policy `overwrite` also writes
  /// the attributes that the edit does not set, as the context read them (`base`, unless it is
  /// empty). It omits those in `widened`: a newer program widened their types, so this program may
  /// have read null instead of their values.
  func resolved(
    against stored: [Value],
    _ policy: MergePolicy,
    except widened: UInt64
  ) -> ObjectEdit {
    var resolved = self
    let wanted = applied(to: base.isEmpty ? stored : base)
    switch policy {
    case .objectWins: return self
    case .error, .rollback: resolved.columns = 0
    case .overwrite:
      let all = base.isEmpty ? columns : ~0 >> UInt64(64 - stored.count)
      resolved.columns = all & ~widened | columns
    case .storeWins:
      // If the row that the edit is based on is missing, every attribute counts as changed by
      // another writer.
      let same = stored.indices.filter { !base.isEmpty && stored[$0].order(to: base[$0]) == 0 }
      resolved.columns &= same.reduce(0) { $0 | 1 << UInt64($1) }
    }
    resolved.values = stored.indices.filter { resolved.columns >> UInt64($0) & 1 == 1 }
      .map { wanted[$0] }
    return resolved
  }

  /// Returns a row with the values that this update sets.
  func applied(to row: [Value]) -> [Value] {
    var row = row
    let set = row.indices.filter { columns >> UInt64($0) & 1 == 1 }
    for (index, value) in zip(set, values) { row[index] = value }
    return row
  }

  /// Replaces values of this edit with the given ones.
  ///
  /// An update then sets exactly the given attributes. An insert keeps its own values for the other
  /// attributes.
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

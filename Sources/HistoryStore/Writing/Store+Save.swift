package import HistoryTypes
import SQLiteStorage

/// One insert, update or delete of an object by a context.
package struct ObjectEdit: Sendable {
  package var id: ObjectID
  package var type: ChangeType
  /// The attributes that an update sets, as bits.
  package var columns: UInt64
  /// The version of the row that the edit is based on; unused by an insert.
  ///
  /// A delete with ``anyVersion`` is based on no row, so it never conflicts.
  package var version: Int64
  /// One value per attribute for an insert; one per bit of `columns`, in order, for an update.
  package var values: [Value]
  /// The row's values as the context last read or saved them, one per attribute; may be empty.
  ///
  /// The policies `storeWins` and `overwrite` and conflict closures use the values. If the array is
  /// empty, `storeWins` treats every attribute as changed by another writer, and `overwrite` writes
  /// only the attributes that the update sets.
  package var base: [Value]

  /// The version of a delete of an object that the context has not read.
  package static let anyVersion = Int64.min

  package init(
    _ type: ChangeType,
    _ id: ObjectID,
    columns: UInt64 = 0,
    version: Int64 = 0,
    values: [Value] = [],
    base: [Value] = []
  ) {
    self.type = type
    self.id = id
    self.columns = columns
    self.version = version
    self.values = values
    self.base = base
  }

  /// Returns whether the edit sets an attribute; an insert sets all.
  func sets(_ attribute: Int) -> Bool { type == .insert || columns >> UInt64(attribute) & 1 == 1 }
}

/// The edits of one context to save as one transaction, at most one per object.
package struct SaveRequest: Sendable {
  package var edits: [ObjectEdit]
  package var author: String?
  package var contextName: String?
  package var writer: WriterID
  package var policy: MergePolicy
  /// The time of the store's clock at the start of the save, before the wait for the write lock.
  ///
  /// The time becomes the timestamp of the transaction. In a store with raw timestamps, it may be
  /// earlier than the previous transaction's. `nil` uses the time after the wait.
  package var begunAt: Date?
  /// Whether the save fails if an object refers to a deleted one, whatever the delete rule is.
  package var deniesReferences = false

  package init(
    edits: [ObjectEdit],
    author: String?,
    contextName: String?,
    writer: WriterID,
    policy: MergePolicy,
    begunAt: Date? = nil
  ) {
    self.edits = edits
    self.author = author
    self.contextName = contextName
    self.writer = writer
    self.policy = policy
    self.begunAt = begunAt
  }
}

package enum EditOutcome: Sendable, Hashable {
  /// The edit was written, without a conflict with another writer.
  case written
  /// The attributes in `columns` were written, but the row may differ from the context's state.
  ///
  /// For example, another writer or a delete rule of the same save had changed the row. For a
  /// delete, `columns` is 0.
  case writtenOver(columns: UInt64)
  /// The merge policy or the app's closure discarded the edit.
  case leftOut
  /// The edit was not written, because its object was deleted, for example by a cascade.
  case gone
  /// The store's object with the same unique values replaces the inserted object.
  case replaced(by: ObjectID)
}

/// The result of a save: the transaction, each edit's outcome, and further changes of objects.
package struct SaveResult: Sendable {
  /// The transaction; `nil` when no edit took effect, or when the store keeps no history.
  package var transaction: WrittenTransaction?
  /// The version of the written rows.
  package var version: Int64
  /// The outcome of each edit, in order.
  package var outcomes: [EditOutcome]
  /// The committed rows of the saved objects whose rows differ from the context's state.
  package var rows: [RowBatch]
  /// The objects that delete rules deleted; their own edits, if any, had no effect.
  package var deletedByRule: [ObjectID] = []
  /// The committed rows of objects with a reference that a delete rule or a replacement changed.
  ///
  /// A replacement redirects references from an inserted object to the object that replaces it.
  package var rowsByRule: [RowBatch] = []
  /// The store's objects that were deleted because saved objects have the same unique values.
  package var removed: [ObjectID] = []
}

extension Store {
  /// Saves the edits of a context and their history atomically, as one transaction.
  ///
  /// In a model with references, deletes and delete rules are applied before the other edits. No delete
  /// rule is applied to a reference that an edit changes, unless the edit of the reference is left out
  /// because of a conflict.
  ///
  /// - Throws: ``HistoryError/Code/conflict`` or ``HistoryError/Code/duplicate`` if the policy is
  ///   `error` and `closure` is `nil`; `duplicate` also if edited objects are duplicates of each
  ///   other; ``HistoryError/Code/deleteDenied``, ``HistoryError/Code/danglingReference``,
  ///   ``HistoryError/Code/sqlite`` when SQLite fails, and specific errors for values that do not fit.
  /// - Complexity: one statement per edit, and for each delete one query for each attribute that refers
  ///   to the entity. The history takes about one statement for each 32 KB of changes, or one for each
  ///   change in the layout `coreData`.
  package func save(
    _ request: SaveRequest,
    resolving closure: ((SaveConflict) throws -> ConflictResolution)? = nil
  ) throws(HistoryError) -> SaveResult {
    try locked { core in
      var outcomes: [EditOutcome] = []
      var rows: [RowBatch] = []
      var effects = RuleEffects(deleted: [])
      var rowsByRule: [RowBatch] = []
      var removed: [ObjectID] = []
      let authorship = Authorship(
        author: request.author,
        contextName: request.contextName,
        writer: request.writer.rawValue,
        begunAt: request.begunAt
      )
      let outcome = try core.writeChanges(by: authorship) { number, packer in
        var conflicts = ConflictHandling(request.policy, closure: closure)
        var duplicates = DuplicateResolution(request, number)
        if !core.schema.references.isEmpty && request.edits.contains(where: { $0.type == .delete })
        {
          (outcomes, effects) = try core.applyWithRules(request, number, &packer, &conflicts) {
            duplicates.postpone($0)
          }
        } else {
          outcomes = try core.applyInOrder(request.edits, number, &packer, &conflicts) {
            duplicates.postpone($0)
          }
        }
        if !duplicates.postponed.isEmpty {
          try duplicates.resolve(in: core, &outcomes, &packer, &conflicts)
          removed = duplicates.removed
          let further = try core.applyDeleteRules(to: removed, number, &packer)
          effects.formUnion(further)
          packer.combine()
        }
        guard conflicts.unresolved.isEmpty else {
          throw HistoryError.conflict(conflicts.unresolved)
        }
        if effects.leavesReferences {
          let edits = request.edits
          try core.applyRulesToKeptReferences(edits, outcomes, number, &packer, &effects)
        }
        // Read the rows before the commit: a later error could not be distinguished from a failed
        // save.
        rows = try core.changedRows(of: request.edits, outcomes)
        rowsByRule = try core.rows(effects.updated + duplicates.followers)
      }
      return SaveResult(
        transaction: outcome.transaction,
        version: outcome.version,
        outcomes: outcomes,
        rows: rows,
        deletedByRule: effects.deleted,
        rowsByRule: rowsByRule,
        removed: removed
      )
    }
  }

  /// Creates an ID for an object that a context is about to insert.
  ///
  /// - Complexity: no query, or one small write for each block of keys.
  package func makeObjectID(_ entity: String) throws(HistoryError) -> ObjectID {
    guard let number = model.number(of: entity) else { throw .unknownEntity(entity, in: model) }
    return try makeObjectID(number)
  }

  /// Creates an ID for an object of the entity with the given number.
  package func makeObjectID(_ number: Int32) throws(HistoryError) -> ObjectID {
    try locked { core in
      let key =
        core.hasKey(number)
        ? try core.nextKey(number) : try core.write { try core.nextKey(number) }
      return ObjectID(entity: number, key: key)
    }
  }
}

extension StoreCore {
  /// Returns the committed row of each saved object whose row differs from the context's state.
  fileprivate func changedRows(
    of edits: [ObjectEdit],
    _ outcomes: [EditOutcome]
  ) throws -> [RowBatch] {
    var ids: [ObjectID] = []
    for (index, outcome) in outcomes.enumerated() where outcome.leavesAnotherRow(edits[index].type)
    {
      if case .replaced(let other) = outcome {
        ids.append(other)
      } else {
        ids.append(edits[index].id)
      }
    }
    return try rows(ids)
  }

  /// Returns the rows of objects, by entity; entities that the program's model lacks are left out.
  fileprivate func rows(_ ids: [ObjectID]) throws -> [RowBatch] {
    guard !ids.isEmpty else { return [] }
    var keys: [Int32: [Int64]] = [:]
    for id in ids where model.entity(id.entity)?.isDeclared == true {
      keys[id.entity, default: []].append(id.key)
    }
    return try keys.sorted { $0.key < $1.key }.map { entity, keys in
      try rows(entity, sortedKeys: Set(keys).sorted())
    }
  }

  /// Writes one edit and adds it to `packer`, unless its object is gone or a conflict discards it.
  func apply(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling
  ) throws -> EditOutcome {
    switch edit.type {
    case .insert: return try insert(edit, number, &packer)
    case .update: return try update(edit, number, &packer, &conflicts)
    case .delete: return try delete(edit, number, &packer, &conflicts)
    }
  }

  func insert(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ packer: inout ChangePacker
  ) throws -> EditOutcome {
    let table = try table(edit.id.entity)
    let row = try table.insert(connection)
    row.statement.bind(edit.id.key, at: 1)
    row.statement.bind(number, at: 2)
    for index in table.types.indices {
      let value = edit.values[index]
      try check(value, of: table, index)
      row.statement.bind(value, at: Int32(index) + 3)
    }
    if table.required != 0 {
      for index in edit.values.indices where edit.values[index] == .null {
        try table.checkOptional(index, edit.id.key)
      }
    }
    try row.statement.run()
    packer.insert(edit.id.entity, edit.id.key)
    return .written
  }

  func update(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling,
    alsoChanged: UInt64 = 0
  ) throws -> EditOutcome {
    let table = try table(edit.id.entity)
    let row = try bindUpdate(edit, in: table, number)
    row.statement.bind(edit.version, at: 3)
    try row.statement.run()
    if connection.changes == 1 {
      packer.update(edit.id.entity, edit.id.key, table.numbers(of: edit.columns) | alsoChanged)
      return .written
    }
    return try resolve(edit, in: table, number, &packer, &conflicts, alsoChanged)
  }

  /// Writes an update over a row that another writer changed, as the policy or closure decides.
  private func resolve(
    _ edit: ObjectEdit,
    in table: EntityStatements,
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling,
    _ alsoChanged: UInt64
  ) throws -> EditOutcome {
    guard !conflicts.fails else {
      conflicts.fail(edit.id)
      return .leftOut
    }
    guard let stored = try values(of: edit.id) else { return .gone }
    let resolved = try conflicts.resolve(edit, over: stored, in: table)
    guard resolved.columns != 0 else { return .leftOut }
    let row = try bindUpdate(resolved, in: table, number)
    row.statement.bindNull(at: 3)
    try row.statement.run()
    packer.update(
      edit.id.entity,
      edit.id.key,
      table.numbers(of: resolved.columns) | alsoChanged
    )
    return .writtenOver(columns: resolved.columns)
  }

  func bindUpdate(
    _ edit: ObjectEdit,
    in table: EntityStatements,
    _ number: Int64
  ) throws -> PreparedStatement {
    guard edit.columns >> UInt64(table.types.count) == 0 else {
      throw HistoryError.unknownAttribute(
        "#\(63 - edit.columns.leadingZeroBitCount)",
        of: table.entity
      )
    }
    let row = try table.update(edit.columns, connection)
    row.statement.bind(edit.id.key, at: 1)
    row.statement.bind(number, at: 2)
    var (position, columns) = (Int32(4), edit.columns)
    while columns != 0 {
      let value = edit.values[Int(position) - 4]
      try check(value, of: table, columns.trailingZeroBitCount)
      if table.required != 0, value == .null {
        try table.checkOptional(columns.trailingZeroBitCount, edit.id.key)
      }
      row.statement.bind(value, at: position)
      position += 1
      columns &= columns - 1
    }
    return row
  }

  func delete(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling
  ) throws -> EditOutcome {
    let table = try table(edit.id.entity)
    let tombstone = try table.tombstone(connection)
    tombstone.statement.bind(edit.id.key, at: 1)
    defer { tombstone.statement.reset() }
    guard try tombstone.statement.step() else { return .gone }
    let isUnchanged =
      edit.version == ObjectEdit.anyVersion || tombstone.statement.int(0) == edit.version
    if !isUnchanged {
      let resolution = try conflicts.resolveDelete(edit, in: table) {
        try values(of: edit.id) ?? []
      }
      switch resolution {
      case .keepStored: return .leftOut
      case .keepEdited: break
      case .write(let values):
        tombstone.statement.reset()
        return try write(values, over: edit.id, number, &packer)
      }
    }
    packer.delete(
      edit.id.entity,
      edit.id.key,
      preserved: table.preserved,
      in: tombstone.statement,
      from: 1
    )
    tombstone.statement.reset()
    let row = try table.delete(connection)
    row.statement.bind(edit.id.key, at: 1)
    try row.statement.run()
    return isUnchanged ? .written : .writtenOver(columns: 0)
  }

  /// Writes the values that an app's closure chose for an object that the context wanted to delete.
  ///
  /// The object stays in the store.
  private func write(
    _ values: [String: Value],
    over id: ObjectID,
    _ number: Int64,
    _ packer: inout ChangePacker
  ) throws -> EditOutcome {
    let table = try table(id.entity)
    var update = ObjectEdit(.update, id)
    try update.set(values, in: table.entity)
    guard update.columns != 0 else { return .leftOut }
    let row = try bindUpdate(update, in: table, number)
    row.statement.bindNull(at: 3)
    do {
      try row.statement.run()
    } catch {
      throw HistoryError(duplicate: error, in: [table]) ?? .sqlite(error)
    }
    packer.update(id.entity, id.key, table.numbers(of: update.columns))
    return .leftOut
  }

  /// Returns the row of an object, one value per attribute, or `nil` if the object is gone.
  func values(of id: ObjectID) throws -> [Value]? {
    let table = try table(id.entity)
    let row = try table.select(connection)
    row.statement.bind(id.key, at: 1)
    defer { row.statement.reset() }
    guard try row.statement.step() else { return nil }
    return table.entity.attributes.enumerated().map { index, attribute in
      row.statement.value(Int32(index) + 1, as: attribute.type)
    }
  }
}

extension EditOutcome {
  /// Returns whether this outcome of an edit leaves a row that differs from the context's state.
  fileprivate func leavesAnotherRow(_ type: ChangeType) -> Bool {
    switch self {
    case .leftOut, .replaced: true
    case .writtenOver: type != .delete
    case .written, .gone: false
    }
  }
}

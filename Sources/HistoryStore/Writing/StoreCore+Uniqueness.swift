import HistoryTypes
import SQLiteStorage

/// A uniqueness constraint of a file; `indices` locate its attributes in the program's model.
struct UniquenessConstraint {
  let indices: [Int]
  /// The SQL condition for rows whose constrained attributes equal the values bound from `?2` on.
  fileprivate let condition: String
  /// The attributes of the constraint, as bits.
  var columns: UInt64 { indices.reduce(0) { $0 | 1 << UInt64($1) } }

  /// Returns an entity's constraints, without those on attributes that the program's model lacks.
  static func all(of entity: Entity, in stored: StoredEntity) -> [UniquenessConstraint] {
    stored.indexes.filter(\.isUnique).compactMap { index in
      let numbers = index.elements.map(\.number)
      let indices = numbers.compactMap { number -> Int? in
        guard entity.numbers.isEmpty else { return entity.numbers.firstIndex(of: number) }
        return number < entity.attributes.count ? number : nil
      }
      guard indices.count == numbers.count else { return nil }
      let parts = numbers.enumerated().map { place, number in
        "\"\(stored.table)\".\"\(stored.attributes[number].column)\" = ?\(place + 2)"
      }
      return UniquenessConstraint(indices: indices, condition: parts.joined(separator: " AND "))
    }
  }
}

extension SQLiteError {
  /// Whether the error was caused by a row that violates a uniqueness constraint of the model.
  var isDuplicate: Bool { code == Self.uniqueCode }
  /// `SQLITE_CONSTRAINT_UNIQUE` (https://sqlite.org/rescode.html#constraint_unique).
  private static let uniqueCode: Int32 = 2067
}

extension HistoryError {
  /// Creates a `duplicate` error, without objects, from SQLite's error.
  ///
  /// Returns `nil` if SQLite's error has another cause.
  init?(duplicate error: SQLiteError, in tables: [EntityStatements]) {
    guard error.isDuplicate, let list = error.message.split(separator: ": ").last else {
      return nil
    }
    let columns = list.split(separator: ", ").map { $0.split(separator: ".").map(String.init) }
    guard let name = columns.first?.first,
      let table = tables.first(where: { $0.tableName == name })
    else { return nil }
    let attributes = columns.compactMap(\.last).map { column in
      table.columnNames.firstIndex(of: column).map { table.entity.attributes[$0].name } ?? column
    }
    self = .duplicate([], entity: table.entity.name, attributes: attributes)
  }
}

/// Resolves the edits of a save that would create duplicates, after all other edits were written.
///
/// A duplicate is another object in the store with the same unique values. When the edits are
/// resolved, it may no longer exist, because the same save deleted or changed it.
struct DuplicateResolution {
  let request: SaveRequest
  /// The version that the save gives to the rows that it writes.
  let number: Int64
  /// The edits that failed because of a duplicate.
  private(set) var postponed: [AdjustedEdit] = []
  /// The store's objects that were deleted because edited objects have the same unique values.
  private(set) var removed: [ObjectID] = []
  /// The saved objects whose references were redirected from an inserted object to its replacement.
  private(set) var followers: [ObjectID] = []

  init(_ request: SaveRequest, _ number: Int64) {
    self.request = request
    self.number = number
  }

  mutating func postpone(_ edit: AdjustedEdit) { postponed.append(edit) }

  /// Writes the edits that failed because of a duplicate, as the merge policy or closure decides.
  ///
  /// - Throws: ``HistoryError/Code/duplicate`` under the policy `error` without a closure, or if
  ///   edited objects are duplicates of each other.
  mutating func resolve(
    in core: StoreCore,
    _ outcomes: inout [EditOutcome],
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling
  ) throws {
    var left: [AdjustedEdit] = []
    for adjusted in postponed {
      do {
        outcomes[adjusted.index] = try core.apply(adjusted, number, &packer, &conflicts)
      } catch let error as SQLiteError where error.isDuplicate {
        left.append(adjusted)
      }
    }
    // A save that would write an object twice fails.
    var written = Set(left.isEmpty ? [] : request.edits.map(\.id))
    for adjusted in left {
      outcomes[adjusted.index] = try resolve(adjusted, &written, in: core, &packer, &conflicts)
    }
    for (edit, outcome) in zip(request.edits, outcomes) {
      guard case .replaced(let other) = outcome else { continue }
      followers += try core.follow(from: edit.id, to: other)
    }
  }

  /// Resolves one edit whose object would have the unique values of another object in the store.
  ///
  /// If the store no longer has such another object, the edit is applied. `written` contains the
  /// objects that the save writes. If the other object is one of them, the save fails.
  private mutating func resolve(
    _ original: AdjustedEdit,
    _ written: inout Set<ObjectID>,
    in core: StoreCore,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling
  ) throws -> EditOutcome {
    var adjusted = original
    adjusted.edit = conflicts.resolved[original.edit.id] ?? original.edit
    let edit = adjusted.edit
    var found = try core.duplicates(of: edit, request.policy)
    guard let first = found.first else {
      return try core.apply(adjusted, number, &packer, &conflicts)
    }
    let table = try core.table(edit.id.entity)
    guard written.isDisjoint(with: found.map(\.id)),
      let resolution = try conflicts.resolveDuplicate(
        edit,
        first,
        in: table,
        stored: { try core.values(of: first.id) ?? [] }
      )
    else { throw try core.error(of: edit, first) }
    var keepsStored = resolution == .keepStored
    if case .write(let values) = resolution {
      try adjusted.edit.set(values, in: table.entity)
      conflicts.note(adjusted.edit)
      keepsStored = values.isEmpty
      if edit.type == .update { found = try core.duplicates(of: adjusted.edit, request.policy) }
      if let other = found.first(where: { written.contains($0.id) }) {
        throw try core.error(of: adjusted.edit, other)
      }
    }
    if !keepsStored { written.formUnion(found.map(\.id)) }
    return edit.type == .insert
      ? try insert(adjusted.edit, over: found.map(\.id), keepsStored, in: core, &packer)
      : try update(adjusted, over: found, keepsStored, in: core, &packer, &conflicts)
  }

  /// Resolves an insert that has duplicates in the store: the first one replaces the inserted object.
  ///
  /// If `keepsStored` is `true`, the store's objects do not change. Otherwise the first duplicate gets
  /// the values of the insert, and the other duplicates are deleted.
  private mutating func insert(
    _ edit: ObjectEdit,
    over found: [ObjectID],
    _ keepsStored: Bool,
    in core: StoreCore,
    _ packer: inout ChangePacker
  ) throws -> EditOutcome {
    guard !keepsStored else { return .replaced(by: found[0]) }
    for other in Set(found).subtracting([found[0]]).sorted() {
      try remove(other, in: core, &packer)
    }
    let columns = try core.write(edit, over: found[0], request.policy, number)
    let table = try core.table(edit.id.entity)
    packer.update(found[0].entity, found[0].key, table.numbers(of: columns))
    return .replaced(by: found[0])
  }

  /// Resolves an update that would create duplicates.
  ///
  /// If `keepsStored` is `true`, the update is written without the attributes of the violated
  /// constraints, or left out under the policy `rollback`. Otherwise the duplicates in the store are
  /// deleted, and the whole update is written.
  private mutating func update(
    _ adjusted: AdjustedEdit,
    over found: [Duplicate],
    _ keepsStored: Bool,
    in core: StoreCore,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling
  ) throws -> EditOutcome {
    guard keepsStored else {
      for id in Set(found.map(\.id)).sorted() { try remove(id, in: core, &packer) }
      let outcome = try core.apply(adjusted, number, &packer, &conflicts)
      let edit = adjusted.edit
      let isResolved = conflicts.resolved[edit.id] != nil
      return outcome == .written && isResolved ? .writtenOver(columns: edit.columns) : outcome
    }
    let edit = adjusted.edit
    var reduced = adjusted
    reduced.edit.columns &= ~found.reduce(0) { $0 | $1.constraint.columns }
    let columns = reduced.edit.columns
    guard columns != 0, request.policy != .rollback else {
      return adjusted.finished(.leftOut, &packer)
    }
    let set = (0..<64).filter { edit.columns >> UInt64($0) & 1 == 1 }
    reduced.edit.values = zip(set, edit.values)
      .filter { columns >> UInt64($0.0) & 1 == 1 }.map(\.1)
    if conflicts.closure != nil { conflicts.note(reduced.edit) }
    let outcome = try core.apply(reduced, number, &packer, &conflicts)
    return outcome == .written ? .writtenOver(columns: columns) : outcome
  }

  /// Deletes an object of the store, with its tombstone in history.
  private mutating func remove(
    _ id: ObjectID,
    in core: StoreCore,
    _ packer: inout ChangePacker
  ) throws {
    var conflicts = ConflictHandling(.overwrite)
    let delete = ObjectEdit(.delete, id, version: ObjectEdit.anyVersion)
    _ = try core.apply(delete, number, &packer, &conflicts)
    removed.append(id)
  }
}

/// An object with the same unique values as an edited object.
struct Duplicate {
  let id: ObjectID
  /// The number of the transaction that last wrote the object.
  let version: Int64
  let constraint: UniquenessConstraint
}

extension StoreCore {
  /// Inserts an object of a batch request, or writes its values over the duplicate in the store.
  ///
  /// `updates` collects the changed columns of the store's objects by key, because a transaction has at
  /// most one change per object.
  ///
  /// - Throws: ``HistoryError/Code/duplicate`` if several objects share unique values with the
  ///   inserted one.
  func insert(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ policy: MergePolicy,
    _ packer: inout ChangePacker,
    updates: inout [Int64: UInt64]
  ) throws {
    var conflicts = ConflictHandling(policy)
    do {
      _ = try apply(edit, number, &packer, &conflicts)
    } catch let error as SQLiteError where error.isDuplicate {
      let found = try duplicates(of: edit, policy)
      guard let other = found.first else { throw error }
      guard found.allSatisfy({ $0.id == other.id }) else { throw try self.error(of: edit, other) }
      guard policy == .objectWins || policy == .overwrite else { return }
      let columns = try write(edit, over: other.id, policy, number)
      // If this request inserted the other object, its change in history stays an insert.
      let isInserted = other.version == number && updates[other.id.key] == nil
      if !isInserted { updates[other.id.key, default: 0] |= columns }
    }
  }

  /// Writes the values of an inserted object over an object of the store.
  ///
  /// - Returns: The written columns: those that the edit sets; all columns under the policy
  ///   `overwrite`, or if `edit.columns` is 0.
  fileprivate func write(
    _ edit: ObjectEdit,
    over id: ObjectID,
    _ policy: MergePolicy,
    _ number: Int64
  ) throws -> UInt64 {
    let table = try table(id.entity)
    let columns = policy == .overwrite || edit.columns == 0 ? table.columns.all : edit.columns
    let set = edit.values.indices.filter { columns >> UInt64($0) & 1 == 1 }
    let update = ObjectEdit(.update, id, columns: columns, values: set.map { edit.values[$0] })
    let row = try bindUpdate(update, in: table, number)
    row.statement.bindNull(at: 3)
    try row.statement.run()
    return columns
  }

  /// Makes all references to `id`, an object that was not inserted, refer to `other` instead.
  ///
  /// Only rows that the same write has inserted or updated can refer to the object that was not
  /// inserted. Their changes are already recorded for history.
  ///
  /// - Returns: The objects with the references.
  fileprivate func follow(from id: ObjectID, to other: ObjectID) throws -> [ObjectID] {
    var found: [ObjectID] = []
    for reference in schema.references where reference.destination == id.entity {
      let rows = try rows(with: reference, to: id.key)
      guard !rows.isEmpty else { continue }
      let update = try query(
        """
        UPDATE "\(reference.table)" SET "\(reference.column)" = ?2 WHERE "\(reference.column)" = ?1
        """
      )
      update.statement.bind(id.key, at: 1)
      update.statement.bind(other.key, at: 2)
      try update.statement.run()
      found += rows.map(\.id)
    }
    return found
  }

  /// Returns the error for an edit that would create a duplicate.
  fileprivate func error(of edit: ObjectEdit, _ other: Duplicate) throws -> HistoryError {
    let entity = try entity(edit.id.entity)
    return .duplicate(
      [edit.id, other.id],
      entity: entity.name,
      attributes: other.constraint.indices.map { entity.attributes[$0].name }
    )
  }

  /// Returns the objects with the same unique values as an edited one, one per violated constraint.
  fileprivate func duplicates(
    of edit: ObjectEdit,
    _ policy: MergePolicy
  ) throws -> [Duplicate] {
    let table = try table(edit.id.entity)
    let row = try row(of: edit, policy, table)
    var found: [Duplicate] = []
    for constraint in table.constraints {
      let values = constraint.indices.map { row[$0] }
      guard !values.contains(.null) else { continue }
      let query = try query(
        """
        SELECT _key, _version FROM "\(table.tableName)"
        WHERE \(constraint.condition) AND _key <> ?1
        """
      )
      query.statement.bind(edit.id.key, at: 1)
      for (place, value) in values.enumerated() {
        query.statement.bind(value, at: Int32(place) + 2)
      }
      defer { query.statement.reset() }
      guard try query.statement.step() else { continue }
      found.append(
        Duplicate(
          id: ObjectID(entity: edit.id.entity, key: query.statement.int(0)),
          version: query.statement.int(1),
          constraint: constraint
        )
      )
    }
    return found
  }

  /// Returns the values that a row has after an edit under a merge policy, one for each attribute.
  ///
  /// The policy `overwrite` also writes the values that the context read and did not set.
  private func row(
    of edit: ObjectEdit,
    _ policy: MergePolicy,
    _ table: EntityStatements
  ) throws -> [Value] {
    guard edit.type == .update, let row = try values(of: edit.id) else { return edit.values }
    let written =
      policy == .overwrite || policy == .storeWins
      ? edit.resolved(against: row, policy, except: table.widened) : edit
    return written.applied(to: row)
  }
}

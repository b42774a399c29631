package import PersistentHistory
import SQLiteStorage

/// What a save does with objects that somebody else changed since they were read.
public enum MergePolicy: Sendable, Hashable {
  /// The save fails and nothing is written (Core Data: `NSErrorMergePolicy`).
  case error
  /// The store's row stays as it is (Core Data: `NSMergeByPropertyStoreTrumpMergePolicy`).
  case storeWins
  /// The attributes that were set are written over the store's
  /// (Core Data: `NSMergeByPropertyObjectTrumpMergePolicy`).
  case objectWins
}

/// One object that a context inserts, updates or deletes.
package struct ObjectEdit: Sendable {
  package var id: ObjectID
  package var type: ChangeType
  /// The attributes that an update sets.
  package var columns: UInt64
  /// The version of the row that the edit was made on; unused by an insert.
  package var version: Int64
  /// For an insert one value an attribute; for an update one for each bit of `columns`, in order.
  package var values: [Value]

  package init(
    _ type: ChangeType,
    _ id: ObjectID,
    columns: UInt64 = 0,
    version: Int64 = 0,
    values: [Value] = []
  ) {
    self.type = type
    self.id = id
    self.columns = columns
    self.version = version
    self.values = values
  }
}

/// What a save does: the edits of one context, as one transaction, at most one edit an object.
package struct SaveRequest: Sendable {
  package var edits: [ObjectEdit]
  package var author: String?
  package var contextName: String?
  package var writer: WriterID
  package var policy: MergePolicy

  package init(
    edits: [ObjectEdit],
    author: String?,
    contextName: String?,
    writer: WriterID,
    policy: MergePolicy
  ) {
    self.edits = edits
    self.author = author
    self.contextName = contextName
    self.writer = writer
    self.policy = policy
  }
}

/// What became of one edit.
package enum EditOutcome: Sendable, Hashable {
  /// It was written on the row that it was made on.
  case written
  /// It was written over a row that somebody had changed.
  case writtenOver
  /// The store's row won, and it was left out.
  case leftOut
  /// The object was gone, and it was left out.
  case gone
}

/// What a save did.
package struct SaveResult: Sendable {
  /// The transaction, or nothing when no edit took effect.
  package var transaction: WrittenTransaction?
  /// What became of each edit, in order.
  package var outcomes: [EditOutcome]
}

extension Store {
  /// Saves the edits of a context as one transaction: all of them with their history, or nothing.
  ///
  /// - Throws: ``HistoryError/conflict(_:)`` under the policy `error`, ``HistoryError/sqlite(_:)``
  ///   when SQLite fails, and errors by name for values that do not fit.
  /// - Complexity: one statement an edit, one or two more for the history.
  package func save(_ request: SaveRequest) throws(HistoryError) -> SaveResult {
    try locked { core in
      var outcomes: [EditOutcome] = []
      outcomes.reserveCapacity(request.edits.count)
      let authorship = Authorship(
        author: request.author,
        contextName: request.contextName,
        writer: request.writer.rawValue
      )
      let written = try core.writeTransaction(by: authorship) { number, packer in
        var conflicts: [ObjectID] = []
        for edit in request.edits {
          let outcome = try core.apply(edit, number, request.policy, &packer, &conflicts)
          outcomes.append(outcome)
        }
        guard conflicts.isEmpty else { throw HistoryError.conflict(conflicts) }
      }
      return SaveResult(transaction: written, outcomes: outcomes)
    }
  }

  /// Gives out keys for objects that a context is about to insert.
  ///
  /// - Complexity: no query, or one small write for each block of keys.
  package func makeObjectID(_ entity: String) throws(HistoryError) -> ObjectID {
    try locked { core in
      let number = try core.entity(entity).number
      let key =
        core.hasKey(number)
        ? try core.nextKey(number) : try core.write { try core.nextKey(number) }
      return ObjectID(entity: number, key: key)
    }
  }
}

extension StoreCore {
  /// Writes one edit and packs it, unless the object is gone or the policy leaves it out.
  fileprivate func apply(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ policy: MergePolicy,
    _ packer: inout ChangePacker,
    _ conflicts: inout [ObjectID]
  ) throws -> EditOutcome {
    switch edit.type {
    case .insert: return try insert(edit, number, &packer)
    case .update: return try update(edit, number, policy, &packer, &conflicts)
    case .delete: return try delete(edit, policy, &packer, &conflicts)
    }
  }

  private func insert(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ packer: inout ChangePacker
  ) throws -> EditOutcome {
    let entity = try entity(edit.id.entity)
    let row = try table(edit.id.entity).insert(connection)
    row.statement.bind(edit.id.key, at: 1)
    row.statement.bind(number, at: 2)
    for (index, attribute) in entity.attributes.enumerated() {
      let value = edit.values[index]
      try check(value, of: attribute, in: entity)
      row.statement.bind(value, at: Int32(index) + 3)
    }
    try row.statement.run()
    packer.insert(edit.id.entity, edit.id.key)
    return .written
  }

  private func update(
    _ edit: ObjectEdit,
    _ number: Int64,
    _ policy: MergePolicy,
    _ packer: inout ChangePacker,
    _ conflicts: inout [ObjectID]
  ) throws -> EditOutcome {
    let row = try bindUpdate(edit, number)
    row.statement.bind(edit.version, at: 3)
    try row.statement.run()
    if connection.changes == 1 {
      packer.update(edit.id.entity, edit.id.key, edit.columns)
      return .written
    }
    let isThere = try version(of: edit.id) != nil
    switch policy {
    case .error:
      conflicts.append(edit.id)
      return .leftOut
    case .storeWins: return isThere ? .leftOut : .gone
    case .objectWins:
      guard isThere else { return .gone }
      row.statement.bindNull(at: 3)
      try row.statement.run()
      packer.update(edit.id.entity, edit.id.key, edit.columns)
      return .writtenOver
    }
  }

  private func bindUpdate(_ edit: ObjectEdit, _ number: Int64) throws -> PreparedStatement {
    let entity = try entity(edit.id.entity)
    guard edit.columns >> UInt64(entity.attributes.count) == 0 else {
      throw HistoryError.unknownAttribute(
        entity: entity.name,
        attribute: "#\(63 - edit.columns.leadingZeroBitCount)"
      )
    }
    let row = try table(edit.id.entity).update(edit.columns, connection)
    row.statement.bind(edit.id.key, at: 1)
    row.statement.bind(number, at: 2)
    var position: Int32 = 4
    for index in entity.attributes.indices where edit.columns >> UInt64(index) & 1 == 1 {
      let value = edit.values[Int(position) - 4]
      try check(value, of: entity.attributes[index], in: entity)
      row.statement.bind(value, at: position)
      position += 1
    }
    return row
  }

  private func delete(
    _ edit: ObjectEdit,
    _ policy: MergePolicy,
    _ packer: inout ChangePacker,
    _ conflicts: inout [ObjectID]
  ) throws -> EditOutcome {
    let table = try table(edit.id.entity)
    let tombstone = try table.tombstone(connection)
    tombstone.statement.bind(edit.id.key, at: 1)
    defer { tombstone.statement.reset() }
    guard try tombstone.statement.step() else { return .gone }
    let isUnchanged = tombstone.statement.int(0) == edit.version
    guard isUnchanged || policy == .objectWins else {
      if policy == .error { conflicts.append(edit.id) }
      return .leftOut
    }
    packer.delete(
      edit.id.entity,
      edit.id.key,
      preserved: table.entity.preserved,
      in: tombstone.statement,
      from: 1
    )
    tombstone.statement.reset()
    let row = try table.delete(connection)
    row.statement.bind(edit.id.key, at: 1)
    try row.statement.run()
    return isUnchanged ? .written : .writtenOver
  }

  private func version(of id: ObjectID) throws -> Int64? {
    let row = try table(id.entity).tombstone(connection)
    row.statement.bind(id.key, at: 1)
    defer { row.statement.reset() }
    return try row.statement.step() ? row.statement.int(0) : nil
  }
}

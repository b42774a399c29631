import HistoryTypes
import SQLiteStorage

/// A column that contains references to objects of one entity.
struct ReferenceColumn {
  /// The number of the entity that has the column.
  let entity: Int32
  /// The number that the file gives to the reference's attribute: its index in the stored entity.
  let attribute: Int
  /// The number of the entity to which the references in the column refer.
  let destination: Int32
  let table: String
  let column: String
  let rule: DeleteRule
}

extension StoredModel {
  /// The columns that contain references, in the order of entities and attributes.
  ///
  /// Columns that a newer program added are included.
  var references: [ReferenceColumn] {
    entities.enumerated().flatMap { offset, entity in
      entity.isRemoved ? [] : entity.references(number: Int32(offset) + 1, in: self)
    }
  }
}

extension StoredEntity {
  fileprivate func references(number: Int32, in model: StoredModel) -> [ReferenceColumn] {
    attributes.enumerated().compactMap { index, stored in
      guard let reference = stored.attribute.reference, !stored.isRemoved,
        let destination = model.index(of: reference)
      else { return nil }
      return ReferenceColumn(
        entity: number,
        attribute: index,
        destination: Int32(destination) + 1,
        table: table,
        column: stored.column,
        rule: reference.deleteRule
      )
    }
  }
}

/// For each edited object, a bitmap of the references that its edit changes.
///
/// The bitmap is indexed by attribute number in the file.
typealias ChangedReferences = [ObjectID: UInt64]

/// The effects of delete rules on objects that refer to deleted ones.
struct RuleEffects {
  /// The references of one object that delete rules set to null.
  struct Nullified {
    /// A bitmap of the attributes that became null, by attribute number in the file.
    var columns: UInt64
    /// The version of the row before the write.
    let version: Int64
  }

  /// The objects that were deleted by a cascade.
  fileprivate(set) var deleted: [ObjectID] = []
  /// All objects that the write has deleted.
  fileprivate(set) var gone: Set<ObjectID>
  /// Whether a reference to a deleted object was skipped, because an edit of the same write changes it.
  fileprivate(set) var leavesReferences = false
  /// The objects with references that became null, in the order in which they were found.
  fileprivate(set) var order: [ObjectID] = []
  fileprivate var changes: [ObjectID: Nullified] = [:]

  /// Creates the effects of a write that deletes objects, before any delete rule is applied.
  init(deleted: [ObjectID]) { gone = Set(deleted) }

  /// Adds the effects of delete rules that the same write applied later.
  mutating func formUnion(_ further: RuleEffects) {
    deleted += further.deleted
    gone.formUnion(further.gone)
    leavesReferences = leavesReferences || further.leavesReferences
    order += further.order.filter { changes[$0] == nil }
    changes.merge(further.changes) { $1 }
  }

  /// The objects whose references became null and that still exist.
  var updated: [ObjectID] { order.filter { !gone.contains($0) } }

  /// The number of references that became null.
  var nullifiedReferenceCount: Int {
    updated.reduce(0) { $0 + (changes[$1]?.columns.nonzeroBitCount ?? 0) }
  }

  /// Returns the references of an object that delete rules have set to null.
  ///
  /// `nil` if the rules set none of them to null, or if the object is deleted.
  func nullified(_ id: ObjectID) -> Nullified? { gone.contains(id) ? nil : changes[id] }
}

extension StoreCore {
  /// Applies the delete rules for objects that the current write has deleted.
  ///
  /// References are set to null only after all cascades, so that the tombstone of an object that a
  /// cascade deletes still has the object's references. Each object that a cascade deletes becomes
  /// one delete in `packer`, and each object with references set to null becomes one update.
  /// Objects in `pending` get no update here: the caller combines the update with its own edit of
  /// the object.
  ///
  /// No rule is applied to the references in `changed`, which the same write edits. If `deniesAll` is
  /// `true`, every reference that is not in `changed` is treated as if its rule were
  /// ``DeleteRule/deny``.
  ///
  /// - Throws: ``HistoryError/Code/deleteDenied`` if an object that stays refers to a deleted one by a
  ///   reference with the rule ``DeleteRule/deny``.
  /// - Complexity: for each deleted object, one query for each attribute that refers to its entity,
  ///   plus one statement for each object that refers to it.
  func applyDeleteRules(
    to deleted: [ObjectID],
    _ version: Int64,
    _ packer: inout ChangePacker,
    except pending: Set<ObjectID> = [],
    changed: ChangedReferences = [:],
    deniesAll: Bool = false
  ) throws -> RuleEffects {
    var effects = RuleEffects(deleted: deleted)
    var denied: [(object: ObjectID, by: ObjectID)] = []
    var released: [(reference: ReferenceColumn, row: (id: ObjectID, version: Int64))] = []
    var next = 0
    while next < deleted.count + effects.deleted.count {
      let id = next < deleted.count ? deleted[next] : effects.deleted[next - deleted.count]
      next += 1
      for reference in schema.references where reference.destination == id.entity {
        for row in try rows(with: reference, to: id.key) where !effects.gone.contains(row.id) {
          guard changed[row.id, default: 0] >> UInt64(reference.attribute) & 1 == 0 else {
            effects.leavesReferences = true
            continue
          }
          switch deniesAll ? .deny : reference.rule {
          case .deny: denied.append((id, row.id))
          case .cascade:
            try remove(row.id, &packer)
            effects.gone.insert(row.id)
            effects.deleted.append(row.id)
          case .nullify: released.append((reference, row))
          }
        }
      }
    }
    let kept = denied.filter { !effects.gone.contains($0.by) }
    if let first = kept.first { throw HistoryError.deleteDenied(first.object, by: kept.map(\.by)) }
    for (reference, row) in released where !effects.gone.contains(row.id) {
      try nullify(reference, of: row, version, &effects)
    }
    for id in effects.updated where !pending.contains(id) {
      if let change = effects.nullified(id) { packer.update(id.entity, id.key, change.columns) }
    }
    return effects
  }

  /// Returns the rows whose reference column contains a key.
  func rows(
    with reference: ReferenceColumn,
    to key: Int64
  ) throws -> [(id: ObjectID, version: Int64)] {
    let query = try query(
      "SELECT _key, _version FROM \"\(reference.table)\" WHERE \"\(reference.column)\" = ?1"
    )
    query.statement.bind(key, at: 1)
    defer { query.statement.reset() }
    var rows: [(id: ObjectID, version: Int64)] = []
    while try query.statement.step() {
      let id = ObjectID(entity: reference.entity, key: query.statement.int(0))
      rows.append((id, query.statement.int(1)))
    }
    return rows
  }

  private func nullify(
    _ reference: ReferenceColumn,
    of row: (id: ObjectID, version: Int64),
    _ version: Int64,
    _ effects: inout RuleEffects
  ) throws {
    let update = try query(
      """
      UPDATE "\(reference.table)" SET _version = ?2, "\(reference.column)" = NULL WHERE _key = ?1
      """
    )
    update.statement.bind(row.id.key, at: 1)
    update.statement.bind(version, at: 2)
    try update.statement.run()
    let bit: UInt64 = 1 << UInt64(reference.attribute)
    if effects.changes[row.id] == nil {
      effects.order.append(row.id)
      effects.changes[row.id] = RuleEffects.Nullified(columns: bit, version: row.version)
    } else {
      effects.changes[row.id]?.columns |= bit
    }
  }

  /// Deletes the row of an object if it exists, and adds the delete with its tombstone to `packer`.
  private func remove(_ id: ObjectID, _ packer: inout ChangePacker) throws {
    let table = try anyTable(id.entity)
    let tombstone = try table.tombstone(connection)
    tombstone.statement.bind(id.key, at: 1)
    defer { tombstone.statement.reset() }
    guard try tombstone.statement.step() else { return }
    packer.delete(id.entity, id.key, preserved: table.preserved, in: tombstone.statement, from: 1)
    tombstone.statement.reset()
    let row = try table.delete(connection)
    row.statement.bind(id.key, at: 1)
    try row.statement.run()
  }

  /// Returns the statements of an entity, even if the program's model lacks the entity.
  private func anyTable(_ number: Int32) throws -> EntityStatements {
    let index = Int(number) - 1
    if tables.indices.contains(index) { return tables[index] }
    let unknown = Model(unchecked: [], version: model.version)
    return EntityStatements(
      schema.model.view(of: unknown).entities[index],
      schema.model.entities[index],
      number: number
    )
  }

  /// Runs a closure that deletes objects of an entity, and applies `rules` to references to them.
  func deleteObjects(
    of table: EntityStatements,
    by authorship: Authorship,
    _ rules: BatchDeleteRules,
    _ result: BatchResultType,
    _ body: (inout ChangePacker) throws -> Void
  ) throws -> BatchResult {
    var effects = RuleEffects(deleted: [])
    var outcome = try writeChanges(by: authorship, result) { version, packer in
      // The check runs within the write, because until then a newer program may add a reference.
      guard rules != .skip, schema.references.contains(where: { $0.destination == table.number })
      else { return try body(&packer) }
      packer.begin(keepingObjects: true)
      try body(&packer)
      effects = try applyDeleteRules(
        to: packer.objects,
        version,
        &packer,
        deniesAll: rules == .denyAll
      )
    }
    if result != .objectIDs { outcome.objects = [] }
    return BatchResult(outcome, effects)
  }

  /// Throws if the current write would leave a reference to an object that does not exist.
  ///
  /// - Complexity: no query; if it throws, a scan of the tables with references.
  func checkReferences() throws {
    guard !schema.references.isEmpty, connection.violatesForeignKey else { return }
    throw HistoryError.danglingReference(try danglingReferences(in: schema.model))
  }

  /// Returns at most 100 objects that refer to objects which do not exist.
  ///
  /// - Complexity: a scan of the tables with references.
  func danglingReferences(in model: StoredModel) throws -> [ObjectID] {
    var found: [ObjectID] = []
    try visitDanglingReferences(in: model) { id in
      if !found.contains(id) { found.append(id) }
      return found.count < 100
    }
    return found
  }

  /// Calls a closure with each object that refers to a missing object.
  ///
  /// An object with several such references is visited once for each. The scan stops when the
  /// closure returns `false`.
  ///
  /// - Complexity: a scan of the tables with references.
  func visitDanglingReferences(
    in model: StoredModel,
    _ body: (ObjectID) -> Bool
  ) throws {
    var checked: Set<Int32> = []
    for reference in model.references where checked.insert(reference.entity).inserted {
      let query = try PreparedStatement(
        connection,
        "PRAGMA foreign_key_check(\"\(reference.table)\")"
      )
      while try query.statement.step() {
        let id = ObjectID(entity: reference.entity, key: query.statement.int(1))
        guard body(id) else { return }
      }
    }
  }
}

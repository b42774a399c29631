import HistoryTypes
import SQLiteStorage

/// The net effect of captured changes on one object.
private struct ForeignEffect {
  let entity: Int32
  let key: Int64
  /// The type of the net change; `nil` if the captured changes cancel out.
  var type: ChangeType?
  /// The updated attributes, as a bitmap by the attribute numbers of the file.
  var columns: UInt64 = 0
  /// For a delete, the ID of the row of `history_foreign` with the preserved values.
  var row: Int64 = 0
}

extension StoreCore {
  /// The maximum number of captured changes that become one transaction of history.
  private static let changeCountMax: Int64 = 8192

  /// Whether the file holds captured changes that are not in history yet.
  ///
  /// - Complexity: one query of at most one row.
  func hasForeignChanges() throws -> Bool {
    guard schema.capturesForeignWrites else { return false }
    let probe = try query("SELECT 1 FROM history_foreign LIMIT 1")
    defer { probe.statement.reset() }
    return try probe.statement.step()
  }

  /// Writes the captured changes of other programs into history, within the current write.
  ///
  /// The changes get numbers after the newest transaction, in the order in which they were made.
  /// Consecutive changes by one author become one transaction, or several if there are more than
  /// 8192. The changed rows get higher versions, so that a save that is based on the older rows
  /// detects the conflict.
  ///
  /// - Returns: The newest transaction after the call, and the last one that the call wrote, or
  ///   `nil` if it wrote none.
  /// - Complexity: linear in the captured changes; memory for 8192 of them.
  func takeForeignChanges(
    after head: KnownHead
  ) throws -> (head: KnownHead, written: WrittenTransaction?) {
    var (head, last): (KnownHead, WrittenTransaction?) = (head, nil)
    var after: Int64 = 0
    while let group = try nextGroup(after: after) {
      after = group.last
      guard let written = try take(group, after: head) else { continue }
      last = written
      head = KnownHead(
        number: written.number.rawValue,
        timestamp: written.timestamp.timeIntervalSinceReferenceDate,
        dataVersion: head.dataVersion
      )
    }
    try connection.execute("DELETE FROM history_foreign")
    return (head, last)
  }

  /// Writes captured changes into history before a read, if that is possible.
  ///
  /// If another writer or a full disk prevents it, the changes stay captured, and the read returns
  /// history without them.
  func takeForeignChangesBeforeRead() throws {
    guard canWriteHistory else { return }
    connection.busyTimeoutMs = 0
    defer { connection.busyTimeoutMs = configuration.busyTimeout.clampedMilliseconds }
    do {
      let taken = try write { try takeForeignChanges(after: newest()) }
      guard let written = taken.written else { return }
      positions.head = taken.head
      positions.head?.dataVersion = connection.dataVersion
      signal(written)
    } catch let error as SQLiteError where error.cause == .busy || error.cause == .full {
      return
    }
  }

  /// Changes the file's rule for writes by other programs to the one in this program's configuration.
  ///
  /// Also creates missing triggers, and replaces those that an earlier version of this library
  /// created.
  func adopt(_ wanted: ForeignWrites, instead found: ForeignWrites) throws {
    guard let model = try StoredModel(connection, path: path) else { return }
    let triggers = ForeignSchema(layout: layout, model: model).triggers(wanted)
    let present = try foreignTriggers().map(\.sql).sorted()
    guard wanted != found || present != triggers.map(\.sql).sorted() else { return }
    try write { try setForeignWrites(wanted) }
    try noticeForeignWrites()
    try checkForeignSchema()
  }

  /// Changes the file's rule for writes by other programs, within the current write.
  private func setForeignWrites(_ handling: ForeignWrites) throws {
    if try hasForeignChanges() { _ = try takeForeignChanges(after: newest()) }
    try dropForeignTriggers()
    try createForeignTriggers(handling)
    let put = try query("INSERT OR REPLACE INTO history_metadata VALUES(?1, ?2)")
    put.statement.bind(ForeignSchema.settingName, at: 1)
    put.statement.bind(handling.rawValue, at: 2)
    try put.statement.run()
    let version = try connection.integer("PRAGMA user_version") ?? 0
    try connection.execute("PRAGMA user_version=\(max(version, Schema.foreignFormatVersion))")
  }

  /// Drops the triggers of all entities, so that columns can be dropped.
  func dropForeignTriggers() throws {
    for name in try foreignTriggers().map(\.name) {
      try connection.execute("DROP TRIGGER \"\(name)\"")
    }
  }

  /// Creates the triggers that capture or refuse writes by other programs, and their tables.
  ///
  /// The triggers belong to the entities of the model that the file records. The rule
  /// ``ForeignWrites/unwatched`` needs no triggers. Only ``ForeignWrites/captured`` needs tables.
  func createForeignTriggers(_ handling: ForeignWrites) throws {
    guard let found = try StoredModel(connection, path: path) else { return }
    let schema = ForeignSchema(layout: layout, model: found)
    if handling == .captured {
      let hasTable = try connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'history_foreign'"
      )
      let existing = try connection.integer(
        "SELECT count(*) FROM pragma_table_info('history_foreign') WHERE name GLOB 'value*'"
      )
      try connection.execute(
        schema.tables(existingValueCount: hasTable == 1 ? Int(existing ?? 0) : nil)
      )
      if !found.references.isEmpty { try connection.execute(ForeignSchema.probeTables) }
    }
    for trigger in schema.triggers(handling) { try connection.execute(trigger.sql) }
  }

  /// Returns the file's triggers that capture or refuse writes by other programs.
  func foreignTriggers() throws -> [(name: String, sql: String)] {
    let query = try Statement(
      connection,
      """
      SELECT name, sql FROM sqlite_schema
      WHERE type = 'trigger' AND name GLOB '\(ForeignSchema.prefix)_*' ORDER BY name
      """
    )
    var found: [(name: String, sql: String)] = []
    while try query.step() { found.append((query.text(0) ?? "", query.text(1) ?? "")) }
    return found
  }
}

/// Consecutive changes by one author that triggers captured in the table `history_foreign`.
///
/// They become at most one transaction.
private struct ForeignGroup {
  let author: String?
  /// The ID in `history_foreign` of the last of these captured changes.
  var last: Int64 = 0
  /// The net effects on the changed objects, in the order of each object's first captured change.
  private(set) var effects: [ForeignEffect] = []
  private var indices: [ObjectID: Int] = [:]

  init(author: String?) { self.author = author }

  /// Adds a captured change, combined with the earlier ones of the same object in this group.
  mutating func add(entity: Int32, key: Int64, operation: Int64, columns: UInt64, row: Int64) {
    guard let type = UInt8(exactly: operation).flatMap(ChangeType.init(rawValue:)) else { return }
    let id = ObjectID(entity: entity, key: key)
    let index = indices[id] ?? effects.count
    if index == effects.count {
      indices[id] = index
      effects.append(ForeignEffect(entity: entity, key: key))
      effects[index].begin(type, columns, row)
    } else {
      effects[index].follow(type, columns, row)
    }
  }
}

extension ForeignEffect {
  fileprivate mutating func begin(_ type: ChangeType, _ columns: UInt64, _ row: Int64) {
    self.type = type
    self.columns = columns
    self.row = row
  }

  /// Combines this net effect on an object with the object's next captured change.
  fileprivate mutating func follow(_ next: ChangeType, _ columns: UInt64, _ row: Int64) {
    switch (type, next) {
    case (nil, _): begin(next, columns, row)
    case (.insert, .delete): type = nil
    case (.insert, _): break
    case (.update, .update): self.columns |= columns
    case (.update, .delete), (.delete, .delete): begin(.delete, 0, row)
    case (.update, .insert): self.columns = .max
    // A row that was deleted and inserted again is an update of all its attributes.
    case (.delete, _): begin(.update, .max, row)
    }
  }
}

extension StoreCore {
  /// Reads the next captured changes that have the same author, or returns `nil` at the end.
  private func nextGroup(after id: Int64) throws -> ForeignGroup? {
    let rows = try query(
      """
      SELECT id, entity, key, operation, columns, author FROM history_foreign
      WHERE id > ?1 ORDER BY id LIMIT \(Self.changeCountMax)
      """
    )
    rows.statement.bind(id, at: 1)
    defer { rows.statement.reset() }
    var group: ForeignGroup?
    while try rows.statement.step() {
      let author = rows.statement.text(5)
      if let group, group.author != author { break }
      if group == nil { group = ForeignGroup(author: author) }
      group?.last = rows.statement.int(0)
      group?.add(
        entity: Int32(truncatingIfNeeded: rows.statement.int(1)),
        key: rows.statement.int(2),
        operation: rows.statement.int(3),
        columns: UInt64(bitPattern: rows.statement.int(4)),
        row: rows.statement.int(0)
      )
    }
    return group
  }

  /// Writes the net effects of captured changes as one transaction; returns `nil` if none remain.
  private func take(_ group: ForeignGroup, after head: KnownHead) throws -> WrittenTransaction? {
    let number = head.number + 1
    packed.begin()
    for effect in group.effects {
      let offset = Int(effect.entity) - 1
      guard schema.model.entities.indices.contains(offset) else { continue }
      let entity = schema.model.entities[offset]
      switch effect.type {
      case nil: continue
      case .insert: packed.insert(effect.entity, effect.key)
      case .update:
        // Replacing a row by one with the same values resets the row's version. A context that has
        // read it would then report a conflict that no merge resolves. Count the row as updated.
        let columns = (effect.columns == 0 ? .max : effect.columns) & entity.liveColumns
        if columns == 0 { continue }
        packed.update(effect.entity, effect.key, columns)
      case .delete: try packDelete(effect, entity)
      }
      guard effect.type != .delete else { continue }
      let raise = try query("UPDATE \"\(entity.table)\" SET _version = ?2 WHERE _key = ?1")
      raise.statement.bind(effect.key, at: 1)
      raise.statement.bind(number, at: 2)
      try raise.statement.run()
    }
    guard packed.count > 0 else { return nil }
    configuration.actionObserver?.writes(number)
    return try insert(number, after: head.timestamp, Authorship(author: group.author))
  }

  private func packDelete(_ effect: ForeignEffect, _ entity: StoredEntity) throws {
    let count = entity.preserved.nonzeroBitCount
    guard count > 0 else {
      packed.delete(
        effect.entity,
        effect.key,
        tombstone: UnsafeRawBufferPointer(start: nil, count: 0)
      )
      return
    }
    let columns = ForeignSchema.valueColumns(count).joined(separator: ", ")
    let values = try query("SELECT \(columns) FROM history_foreign WHERE id = ?1")
    values.statement.bind(effect.row, at: 1)
    defer { values.statement.reset() }
    guard try values.statement.step() else { return }
    packed.delete(
      effect.entity,
      effect.key,
      preserved: entity.preserved,
      in: values.statement,
      from: 0
    )
  }
}

extension StoredEntity {
  /// The attributes that no migration removed, as a bitmap by attribute number.
  fileprivate var liveColumns: UInt64 {
    attributes.prefix(64).enumerated().reduce(0) { bits, item in
      item.element.isRemoved ? bits : bits | 1 << UInt64(item.offset)
    }
  }
}

import HistoryTypes
import SQLiteStorage

extension StoreCore {
  /// Applies all differences of a newer model to the file, as one transaction of SQLite.
  func migrate(
    to newer: Model,
    _ members: Set<MemberID>,
    retiring: Bool,
    _ closures: [String: (inout MigratedObject) throws -> Void],
    _ progress: (MigrationProgress) throws -> Void
  ) throws -> MigrationResult? {
    var last: WrittenTransaction?
    // With foreign keys on, copying or dropping a table would count as deleting its rows.
    connection.setEnforcesForeignKeys(false)
    let result: MigrationResult? = try write {
      guard let found = try StoredModel(connection, path: path), found.version < newer.version
      else { return nil }
      // The statements of this connection belong to the model that it has read.
      guard found == schema.model else { throw HistoryError.storeInUse(path: path) }
      let older = try olderMembers(than: newer, except: members)
      guard older.isEmpty || retiring else { throw HistoryError.olderMembers(path: path, older) }
      for member in older { try setState(.retired, of: member.id) }
      if try hasForeignChanges() { _ = try takeForeignChanges(after: newest()) }
      let made = try migrated(found, to: newer)
      var migration = try DataMigration(self, to: made, newer)
      last = try migration.run(closures, progress)
      let handling = try FileHeader.foreignWrites(connection)
      try dropForeignTriggers()
      try dropIndexes(of: found, lackingIn: made)
      try dropTablesAndColumns(from: found, to: made)
      try adoptConstraints(of: made, instead: found)
      try connection.record(made)
      try putMetadata(StoredModel.oldestName, Int64(made.version))
      try createForeignTriggers(handling)
      if let dangling = try danglingReferences(in: made).first {
        throw HistoryError.danglingReference([dangling])
      }
      return MigrationResult(
        oldVersion: found.version,
        newVersion: made.version,
        differences: newer.differences(from: found.live),
        objectCount: migration.objectCount,
        retiredMembers: older
      )
    }
    if let last { signal(last) }
    return result
  }

  private func olderMembers(
    than newer: Model,
    except own: Set<MemberID>
  ) throws -> [OlderMember] {
    guard tracksHistory else { return [] }
    return try members().filter { $0.state == .active && !own.contains($0.id) }
      .map { member in
        let version = member.configuration.modelVersion ?? 1
        return OlderMember(id: member.id, modelVersion: version, seen: member.seen)
      }
      .filter { $0.modelVersion < newer.version }
  }

  /// Adds the tables and columns of a newer model, and returns the model to record.
  private func migrated(_ found: StoredModel, to newer: Model) throws -> StoredModel {
    let made: StoredModel
    do {
      made = try found.migrating(to: newer)
    } catch {
      let conflict = ModelConflict(
        .tooLarge(error),
        fileVersion: found.version,
        programVersion: newer.version,
        differences: newer.differences(from: found.live)
      )
      throw HistoryError.otherModel(path: path, conflict)
    }
    try addTablesAndColumns(from: found, to: made)
    return made
  }

  private func dropTablesAndColumns(from old: StoredModel, to new: StoredModel) throws {
    for (before, after) in zip(old.entities, new.entities) where !before.isRemoved {
      guard !after.isRemoved else {
        try connection.execute("DROP TABLE \"\(after.table)\"")
        continue
      }
      // A table with a removed reference is copied without it.
      for (kept, attribute) in zip(before.attributes, after.attributes)
      where attribute.isRemoved && !kept.isRemoved && attribute.attribute.reference == nil {
        try connection.execute(
          "ALTER TABLE \"\(after.table)\" DROP COLUMN \"\(attribute.column)\""
        )
      }
    }
  }
}

/// The computation of new values during a migration, in batches.
///
/// The changes of objects are written into history as transactions of limited size, so that memory
/// does not grow with the number of objects. ``MigrationAuthor`` names their author.
private struct DataMigration {
  /// The number of objects that are read at a time.
  private static let batchCount: Int64 = 256
  /// The number of changes after which another transaction of history starts.
  private static let changeCountMax: Int64 = 8192

  private let core: StoreCore
  private let authorship: Authorship
  private let writer: MigrationWriter
  private(set) var objectCount = 0

  init(_ core: StoreCore, to made: StoredModel, _ newer: Model) throws {
    self.core = core
    authorship = Authorship(
      author: MigrationAuthor.name(from: core.schema.model.version, to: made.version)
    )
    writer = MigrationWriter(core, made, made.view(of: newer))
  }

  /// Passes each object to the closure of its entity, if there is one, and writes history.
  ///
  /// - Returns: The last transaction of history, or `nil` if the store keeps no history.
  mutating func run(
    _ closures: [String: (inout MigratedObject) throws -> Void],
    _ progress: (MigrationProgress) throws -> Void
  ) throws -> WrittenTransaction? {
    let tables = try closures.keys.map { try core.table($0) }.sorted { $0.number < $1.number }
    let total = try tables.reduce(0) { sum, table in
      sum + Int(try core.connection.integer("SELECT count(*) FROM \"\(table.tableName)\"") ?? 0)
    }
    var last = try begin()
    var written: WrittenTransaction?
    for table in tables {
      guard let closure = closures[table.entity.name] else { continue }
      var after: Int64 = .min
      // A closure may insert objects of the same entity, which are not migrated.
      let greatest =
        try core.connection.integer("SELECT max(_key) FROM \"\(table.tableName)\"") ?? 0
      while let rows = try batch(of: table, after: after, through: greatest) {
        for row in rows {
          try writer.migrate(row, table, closure)
          after = row.key
        }
        objectCount += rows.count
        try progress(MigrationProgress(objectCount: objectCount, total: total))
        guard core.packed.count >= Self.changeCountMax, core.tracksHistory else { continue }
        (last, written) = try end(after: last)
      }
    }
    guard core.tracksHistory else { return nil }
    return try end(after: last).written ?? written
  }

  /// Starts the migration's first transaction of history; returns the newest existing transaction.
  private func begin() throws -> KnownHead {
    let head = try core.previous()
    core.packed.begin()
    writer.version =
      core.tracksHistory ? head.number + 1 : try core.metadata(FileHeader.versionName) - 1
    if !core.tracksHistory { try core.putMetadata(FileHeader.versionName, writer.version) }
    return head
  }

  /// Writes the packed changes as one transaction of history, and starts the next transaction.
  private func end(
    after last: KnownHead
  ) throws -> (head: KnownHead, written: WrittenTransaction?) {
    let written = try core.insert(last.number + 1, after: last.timestamp, authorship)
    core.packed.begin()
    writer.version = written.number.rawValue + 1
    let head = KnownHead(
      number: written.number.rawValue,
      timestamp: written.timestamp.timeIntervalSinceReferenceDate,
      dataVersion: last.dataVersion
    )
    return (head, written)
  }

  private func batch(
    of table: EntityStatements,
    after key: Int64,
    through greatest: Int64
  ) throws -> RowBatch? {
    let query = try core.query(
      """
      SELECT _key, _version\(table.qualifiedList) FROM "\(table.tableName)"
      WHERE _key > ?1 AND _key <= ?2 ORDER BY _key LIMIT \(Self.batchCount)
      """
    )
    query.statement.bind(key, at: 1)
    query.statement.bind(greatest, at: 2)
    defer { query.statement.reset() }
    var rows = RowBatch(entity: table.number, types: table.types)
    while try query.statement.step() { rows.append(query.statement) }
    return rows.count > 0 ? rows : nil
  }
}

/// Writes the values that closures compute into the tables of the newer model.
private final class MigrationWriter {
  /// The number of keys that are reserved at a time.
  private static let keyCount: Int64 = 256

  private let core: StoreCore
  private let model: Model
  private let tables: [EntityStatements]
  private var keys: [Int32: KeyBlock] = [:]
  /// The version of the written rows: the number of their history transaction.
  ///
  /// In a store without history, the version is a negative number that no earlier write used.
  var version: Int64 = 0

  init(_ core: StoreCore, _ made: StoredModel, _ model: Model) {
    self.core = core
    self.model = model
    tables = zip(model.entities, made.entities).enumerated().map {
      EntityStatements($1.0, $1.1, number: Int32($0) + 1)
    }
  }

  /// Passes one object to a closure, and writes the values that the closure sets.
  func migrate(
    _ old: RowBatch.Row,
    _ table: EntityStatements,
    _ closure: (inout MigratedObject) throws -> Void
  ) throws {
    let target = tables[Int(table.number) - 1]
    var object = MigratedObject(
      ObjectID(entity: table.number, key: old.key),
      table.entity,
      old.values[...],
      target.entity.isDeclared ? target.entity : nil,
      inserting: { [self] in try insert($0, $1) }
    )
    try closure(&object)
    guard object.columns != 0 else { return }
    let row = try target.update(object.columns, core.connection)
    row.statement.bind(old.key, at: 1)
    row.statement.bind(version, at: 2)
    row.statement.bindNull(at: 3)
    let set = target.entity.attributes.indices.filter { object.columns >> UInt64($0) & 1 == 1 }
    for (offset, (value, index)) in zip(object.setValues, set).enumerated() {
      try core.check(value, of: target.entity.attributes[index], in: target.entity)
      if value == .null { try target.checkOptional(index, old.key) }
      row.statement.bind(value, at: Int32(offset) + 4)
    }
    try row.statement.run()
    core.packed.update(table.number, old.key, target.numbers(of: object.columns))
  }

  private func insert(_ name: String, _ values: [String: Value]) throws -> ObjectID {
    guard let number = model.number(of: name) else {
      throw HistoryError.unknownEntity(name, in: model)
    }
    let table = tables[Int(number) - 1]
    if let unknown = values.keys.sorted().first(where: { table.entity.index(of: $0) == nil }) {
      throw HistoryError.unknownAttribute(unknown, of: table.entity)
    }
    let key = try nextKey(number)
    let row = try table.insert(core.connection)
    row.statement.bind(key, at: 1)
    row.statement.bind(version, at: 2)
    for (index, attribute) in table.entity.attributes.enumerated() {
      let value = values[attribute.name] ?? attribute.defaultValue
      try core.check(value, of: attribute, in: table.entity)
      if value == .null { try table.checkOptional(index, key) }
      row.statement.bind(value, at: Int32(index) + 3)
    }
    try row.statement.run()
    core.packed.insert(number, key)
    return ObjectID(entity: number, key: key)
  }

  private func nextKey(_ entity: Int32) throws -> Int64 {
    var block = keys[entity] ?? KeyBlock()
    if !block.hasNext {
      let first = try core.reserve(Self.keyCount, of: entity)
      block = KeyBlock(next: first, end: first + Self.keyCount)
    }
    defer {
      block.next += 1
      keys[entity] = block
    }
    return block.next
  }
}

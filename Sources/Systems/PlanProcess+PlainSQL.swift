import HistoryStore
import HistoryTypes
import SQLiteStorage
import Traces

extension PlanProcess {
  /// Makes a write with plain SQL, then reads the store through the library.
  ///
  /// During this read, the library adds the write to history as a transaction.
  func find(
    _ write: PlannedWrite,
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let author = author(write.author)
    try planStore.write(write.changes, by: author, replacing: write.policy == .overwrite)
    try mappingErrors { () throws(HistoryError) in _ = try store.currentToken() }
    let found = try planStore.newTransactions(log)
    if found.isEmpty { log.add(actor.id, .wroteNothing) }
    let data = try planStore.data()
    for transaction in found {
      log.add(actor.id, .committed(PlanStore.reported(transaction, data)))
    }
  }
}

extension PlanStore {
  /// Writes changes with plain SQL, in one SQLite transaction.
  ///
  /// Updates and deletes of missing objects are skipped, and so are inserts of existing objects. In a
  /// model with relations, an object that the write has deleted is not inserted again.
  ///
  /// - Throws: ``SystemFailure``. If a constraint of a model with relations is violated, the failure's
  ///   code names the constraint.
  fileprivate func write(
    _ changes: [PlannedChange],
    by author: String?,
    replacing: Bool
  ) throws(SystemFailure) {
    do throws(SQLiteError) {
      let connection = try Connection(path: environment.path, options)
      let hasRelations = header.model.hasRelations
      if hasRelations { connection.setEnforcesForeignKeys(true) }
      var program = PlainSQL(connection, objects, hasRelations ? header.model : nil)
      try program.begin(author)
      for change in changes {
        try program.apply(change, header.model, replacing: replacing && !hasRelations)
      }
      objects.attempt(program.inserted)
      try program.commit(author)
      for (name, id) in program.inserted { objects.enter(name, id) }
    } catch {
      throw error.constraint.map { SystemFailure($0, error.sentence) }
        ?? SystemFailure(HistoryError(error))
    }
  }

  /// The options of the connection for writes with plain SQL.
  private var options: ConnectionOptions {
    var options = ConnectionOptions()
    options.access = .readWrite
    options.synchronous = header.synchronous == .full ? .full : .normal
    options.vfs = environment.vfs
    if environment.vfs != nil { options.busyTimeoutMs = 0 }
    if let pages = header.checkpointPages { options.checkpointFrames = Int32(pages) }
    return options
  }
}

/// A program without the library, which writes a plan's objects with plain SQL.
private struct PlainSQL: ~Copyable {
  private let connection: Connection
  private let objects: PlanObjects
  /// The references of a model with relations; `nil` for other models.
  private let references: PlanReferences?
  /// The objects that the program has inserted, by their names in the plan.
  private(set) var inserted: [ObjectName: ObjectID] = [:]
  /// The objects that the program has deleted.
  private var deleted: Set<ObjectName> = []

  init(
    _ connection: consuming Connection,
    _ objects: PlanObjects,
    _ related: Model?
  ) {
    self.connection = connection
    self.objects = objects
    references = related.map(PlanReferences.init)
  }

  func begin(_ author: String?) throws(SQLiteError) {
    try connection.execute("BEGIN IMMEDIATE")
    if let author {
      let put = try Statement(connection, "UPDATE history_foreign_author SET author = ?1")
      put.bind(author, at: 1)
      try put.run()
    }
  }

  func commit(_ author: String?) throws(SQLiteError) {
    if author != nil { try connection.execute("UPDATE history_foreign_author SET author = NULL") }
    try connection.execute("COMMIT")
  }

  mutating func apply(
    _ change: PlannedChange,
    _ model: Model,
    replacing: Bool
  ) throws(SQLiteError) {
    let table = "\"\(change.object.entity)\""
    let key = (inserted[change.object] ?? objects.id(change.object))?.key
    let count = try connection.integer("SELECT count(*) FROM \(table) WHERE _key = \(key ?? 0)")
    let values =
      references?.stored(change.values, of: change.object.entity) { inserted[$0] ?? objects.id($0) }
      ?? change.values
    switch (change.type, count == 1 ? key : nil) {
    case (.insert, nil) where references != nil && deleted.contains(change.object): break
    case (.insert, nil):
      try insert(values, table)
      let newest = try connection.integer("SELECT max(_key) FROM \(table)") ?? 0
      let number = (model.entities.firstIndex { $0.name == change.object.entity } ?? 0) + 1
      inserted[change.object] = ObjectID(entity: Int32(number), key: newest)
    case (.update, let key?) where !values.isEmpty:
      try replacing ? replace(key, values, table) : update(key, values, table)
    case (.delete, let key?):
      try connection.execute("DELETE FROM \(table) WHERE _key = \(key)")
      deleted.insert(change.object)
    default: break
    }
  }

  private func insert(_ values: Values, _ table: String) throws(SQLiteError) {
    guard !values.isEmpty else {
      return try connection.execute("INSERT INTO \(table) DEFAULT VALUES")
    }
    let names = values.keys.sorted()
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let places = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    try run("INSERT INTO \(table)(\(list)) VALUES(\(places))", names, values)
  }

  private func update(_ key: Int64, _ values: Values, _ table: String) throws(SQLiteError) {
    let names = values.keys.sorted()
    let sets = names.enumerated().map { "\"\($1)\" = ?\($0 + 1)" }.joined(separator: ", ")
    try run("UPDATE \(table) SET \(sets) WHERE _key = \(key)", names, values)
  }

  /// Replaces a row (`REPLACE`) by a row with the same key and other values.
  private func replace(_ key: Int64, _ values: Values, _ table: String) throws(SQLiteError) {
    let query = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
    query.bind(String(table.dropFirst().dropLast()), at: 1)
    var columns: [String] = []
    while try query.step() { columns.append(query.text(0) ?? "") }
    columns.removeAll { $0 == "_key" || $0 == "_version" }
    let names = values.keys.sorted()
    let list = columns.map { ", \"\($0)\"" }.joined()
    let kept = columns.map { column in
      names.firstIndex(of: column).map { ", ?\($0 + 1)" } ?? ", \"\(column)\""
    }
    let sql = """
      REPLACE INTO \(table)(_key\(list))
      SELECT _key\(kept.joined()) FROM \(table) WHERE _key = \(key)
      """
    try run(sql, names, values)
  }

  private func run(_ sql: String, _ names: [String], _ values: Values) throws(SQLiteError) {
    let statement = try Statement(connection, sql)
    for (index, name) in names.enumerated() {
      Self.bind(values[name] ?? .null, at: Int32(index + 1), statement)
    }
    try statement.run()
  }

  private static func bind(_ value: Value, at place: Int32, _ statement: borrowing Statement) {
    switch value {
    case .null: statement.bindNull(at: place)
    case .int(let value): statement.bind(value, at: place)
    case .double(let value): statement.bind(value, at: place)
    case .string(let value): statement.bind(value, at: place)
    case .data(let value): value.withUnsafeBytes { statement.bind(copying: $0, at: place) }
    case .date(let value): statement.bind(value.timeIntervalSinceReferenceDate, at: place)
    case .bool(let value): statement.bind(value ? 1 : 0 as Int64, at: place)
    case .uuid(let value):
      withUnsafeBytes(of: value.uuid) { statement.bind(copying: $0, at: place) }
    }
  }
}

extension SQLiteError {
  /// The failure code for a violated constraint of a model with relations; `nil` for other errors.
  ///
  /// The codes are those of https://sqlite.org/rescode.html.
  fileprivate var constraint: SystemFailure.Code? {
    switch code {
    case 787: .dangling
    case 1299: .missing
    case 2067: .duplicate
    default: nil
    }
  }
}

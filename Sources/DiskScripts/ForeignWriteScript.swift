import HistoryStore
import HistoryTypes
import ObjectContexts
import SQLiteStorage

/// Scripted checks of a file to which plain SQL and two programs with the library write.
///
/// The history of the file must explain every difference between two states of its objects.
struct ForeignWriteScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private var programs: [Store] = []
  /// The values of each object when history and data were last compared.
  private var objects: [ObjectID: [Value]] = [:]
  /// The position in history at which history and data were last compared.
  private var token: HistoryToken?
  /// The authors of the writes since the last comparison; `nil` for writes without an author.
  private var authors: Set<String?> = []
  /// Whether history may combine several writes to one object into one change.
  ///
  /// The value concerns the writes since the last comparison.
  private var isCoalesced = false

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private static let model = try? Model([
    Entity(
      "Note",
      [
        Attribute("text", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int), Attribute("done", .bool),
      ]
    ), Entity("Tag", [Attribute("name", .string)]), Entity("Mark", []),
  ])

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let model = Self.model else { return faults.append("the script's own model is refused") }
    let path = folder.file("foreign")
    var configuration = configuration()
    configuration.foreignWrites = .captured
    programs.append(try Store(path: path, model: model, configuration: configuration))
    // The file has recorded `.captured`, so the second program need not configure it.
    configuration.foreignWrites = nil
    programs.append(try Store(path: path, model: model, configuration: configuration))
    let plain = try PlainProgram(path)
    for _ in 0..<60 {
      switch seed.draw(10) {
      case 0: try compare()
      case 1, 2, 3: try save()
      case 4: try delete(plain)
      case 5: try overwrite(plain)
      default: execute(plain)
      }
    }
    try insertByTwoAuthors(plain)
    try insert(plain)
    try turnOff(plain, path, configuration, model)
    programs.removeAll()
  }

  // MARK: Writes

  private func text() -> String { seed.draw(4) == 0 ? "NULL" : "'t\(seed.draw(5))'" }

  private func key(_ entity: Int32) -> Int64 {
    let keys = objects.keys.filter { $0.entity == entity }.map(\.key).sorted()
    return keys.isEmpty ? 1 : seed.pick(keys)
  }

  /// Executes one or several SQL statements as one transaction, which may be rolled back.
  private mutating func execute(_ plain: PlainProgram) {
    let author = seed.draw(3) == 0 ? "importer" : nil
    authors.insert(author)
    isCoalesced = true
    var sql = (0...seed.draw(3)).map { _ in statement() }.joined(separator: "; ")
    if let author {
      sql = """
        UPDATE history_foreign_author SET author = '\(author)'; \(sql);
        UPDATE history_foreign_author SET author = NULL
        """
    }
    let recursive = seed.draw(5) == 0 ? "ON" : "OFF"
    let end = seed.draw(6) == 0 ? "ROLLBACK" : "COMMIT"
    plain.execute("PRAGMA recursive_triggers = \(recursive); BEGIN; \(sql); \(end)", faults)
  }

  /// Deletes an object with plain SQL, and compares history with the data before and after that.
  private mutating func delete(_ plain: PlainProgram) throws(HistoryError) {
    try compare()
    authors.insert(nil)
    plain.execute("DELETE FROM Note WHERE _key = \(key(1))", faults)
    try compare()
  }

  /// Saves an update of an object that plain SQL has changed since the context read it.
  private mutating func overwrite(_ plain: PlainProgram) throws(HistoryError) {
    let context = ObjectContext.retaining(seed.pick(programs), author: "app", name: "stale")
    guard let note = try context.object(ObjectID(entity: 1, key: key(1))) else { return }
    try note.set(.int(100), for: "count")
    authors.insert(nil)
    isCoalesced = true
    let sql = "UPDATE Note SET count = ifnull(count, 0) + 1 WHERE _key = \(note.id.key)"
    plain.execute(sql, faults)
    expect(.conflict, of: "a save over a row that plain SQL changed") { () throws(HistoryError) in
      _ = try context.save()
    }
  }

  private func statement() -> String {
    let note = key(1)
    return switch seed.draw(11) {
    case 0: "INSERT INTO Note(text, count) VALUES(\(text()), \(seed.draw(3))), (\(text()), 1)"
    case 1: "INSERT INTO Tag(name) VALUES(\(text()))"
    case 2: "INSERT INTO Mark DEFAULT VALUES"
    case 3: "UPDATE Note SET count = count + 1 WHERE _key % 3 = \(seed.draw(3))"
    case 4: "UPDATE Note SET text = \(text()), done = \(seed.draw(2)) WHERE _key = \(note)"
    case 5: "DELETE FROM Note WHERE _key = \(note)"
    case 6: "DELETE FROM Tag WHERE _key = \(key(2))"
    case 7:
      "REPLACE INTO Note(_key, text, count) SELECT _key, \(text()), count FROM Note"
        + " WHERE _key = \(note)"
    case 8: "INSERT OR IGNORE INTO Note(_key, text) SELECT max(_key), 'ignored' FROM Note"
    case 9:
      "INSERT INTO Note(_key, text) SELECT _key, 'x' FROM Note WHERE _key = \(note)"
        + " ON CONFLICT(_key) DO UPDATE SET text = excluded.text"
    default: "SAVEPOINT part; DELETE FROM Note; ROLLBACK TO part; RELEASE part"
    }
  }

  /// Saves an insert, an update or a delete through the library, or makes a batch insert.
  private mutating func save() throws(HistoryError) {
    let program = seed.pick(programs)
    authors.insert("app")
    guard seed.draw(3) > 0 else {
      let rows: [[String: Value]] = [["text": "batch"], ["count": 7]]
      _ = try program.batchInsert(into: "Note", rows, by: BatchAuthor("app"))
      return
    }
    let context = ObjectContext.retaining(program, author: "app", name: "view")
    let found = try context.object(ObjectID(entity: 1, key: key(1)))
    switch (seed.draw(3), found) {
    case (0, let note?): context.delete(note.id)
    case (1, let note?): try note.set(.int(Int64(seed.draw(9))), for: "count")
    default: _ = try context.insert("Note")
    }
    _ = try context.save()
  }

  // MARK: Comparisons

  /// Checks that the new changes in history explain how the objects differ from the last comparison.
  private mutating func compare() throws(HistoryError) {
    let program = seed.pick(programs)
    var request = HistoryRequest(after: token, transactionCountMax: 3)
    var changes: [ObjectID: [HistoryChange]] = [:]
    var found: Set<String?> = []
    // In a store that writes captured changes into history again and again, this loop would not
    // end.
    for number in 0...500 {
      expect(number < 500, "the pages of history do not end")
      let page = try program.fetch(request)
      for transaction in page.transactions {
        found.insert(transaction.author)
        expect(!transaction.changes.isEmpty, "#\(transaction.number) has no changes")
        for change in transaction.changes { changes[change.objectID, default: []].append(change) }
      }
      token = page.transactions.last?.token ?? token
      guard page.hasMore else { break }
      request = request.next(after: page)
    }
    let now = try values(program)
    for id in Set(now.keys).union(objects.keys).union(changes.keys).sorted(by: Self.isBefore) {
      explain(id, from: objects[id], to: now[id], by: changes[id] ?? [])
    }
    expect(
      found.isSubset(of: authors),
      "history has the authors \(found), but the writes had others"
    )
    expect(
      try program.currentToken().number == token?.number ?? 0,
      "the store's newest token differs from the end of the last page"
    )
    objects = now
    authors = []
    isCoalesced = false
  }

  private static func isBefore(_ first: ObjectID, _ second: ObjectID) -> Bool {
    (first.entity, first.key) < (second.entity, second.key)
  }

  /// Checks that the changes of one object lead from its values at the last comparison to its new ones.
  private func explain(
    _ id: ObjectID,
    from old: [Value]?,
    to new: [Value]?,
    by changes: [HistoryChange]
  ) {
    var isThere = old != nil
    var columns: Set<Int> = []
    var wasInserted = false
    for change in changes {
      switch change.type {
      case .insert:
        expect(!isThere, "history inserts \(id), which already exists")
        (isThere, wasInserted) = (true, true)
      case .update:
        expect(isThere, "history updates \(id), which does not exist")
        columns.formUnion(change.columnNumbers)
      case .delete:
        expect(isThere, "history deletes \(id), which does not exist")
        isThere = false
        guard !isCoalesced, !wasInserted, !columns.contains(0), id.entity == 1,
          let text = old?.first
        else { break }
        let kept = change.tombstone ?? [:]
        expect((kept["text"] ?? .null) == text, "the tombstone of \(id) has \(kept), not \(text)")
      }
    }
    expect(
      isThere == (new != nil),
      "according to history \(id) \(isThere ? "exists" : "does not exist")"
    )
    guard let old, let new, !wasInserted else { return }
    for (index, (before, after)) in zip(old, new).enumerated() where before != after {
      expect(
        columns.contains(index),
        "the value of column \(index) of \(id) changed, but history has no such change"
      )
    }
  }

  private func values(_ program: Store) throws(HistoryError) -> [ObjectID: [Value]] {
    var values: [ObjectID: [Value]] = [:]
    for entity in program.model.entities {
      let context = ObjectContext.retaining(program, author: nil, name: "all")
      for object in try context.objects(entity.name) {
        values[object.id] = try object.values(of: entity.attributes.map(\.name))
      }
    }
    return values
  }

  /// Inserts two objects with plain SQL under two authors: history must have two transactions.
  private mutating func insertByTwoAuthors(_ plain: PlainProgram) throws(HistoryError) {
    try compare()
    plain.execute(
      """
      UPDATE history_foreign_author SET author = 'importer'; INSERT INTO Tag(name) VALUES('first');
      UPDATE history_foreign_author SET author = NULL; INSERT INTO Tag(name) VALUES('second')
      """,
      faults
    )
    let page = try programs[0].fetch(HistoryRequest(after: token))
    let found = page.transactions.map(\.author)
    expect(found == ["importer", nil], "two writes by two authors have the authors \(found)")
    authors = ["importer", nil]
    try compare()
  }

  // MARK: Other rules for plain SQL

  private func insert(_ plain: PlainProgram) throws(HistoryError) {
    plain.execute("INSERT INTO Tag(name) VALUES('last')", faults)
  }

  /// Sets `foreignWrites` to `.refused`, then to `.unwatched`, and writes with plain SQL each time.
  ///
  /// The first write must fail. The second must succeed, but be missing from history. Earlier
  /// writes, which were captured, must be in history.
  private mutating func turnOff(
    _ plain: PlainProgram,
    _ path: String,
    _ configuration: StoreConfiguration,
    _ model: Model
  ) throws(HistoryError) {
    var configuration = configuration
    configuration.foreignWrites = .refused
    let refusing = try Store(path: path, model: model, configuration: configuration)
    let before = try refusing.currentToken()
    expect(before != token, "the captured writes are not in history")
    let error = plain.failure("INSERT INTO Tag(name) VALUES('refused')") ?? ""
    expect(
      error.contains("PersistentHistory"),
      "the error for refused plain SQL does not name the library: \(error)"
    )
    configuration.foreignWrites = .unwatched
    let ignoring = try Store(path: path, model: model, configuration: configuration)
    plain.execute("INSERT INTO Tag(name) VALUES('unwatched')", faults)
    expect(try ignoring.currentToken() == before, "a write that must be ignored is in history")
    expect(
      try insert(into: ignoring) == before.number + 1,
      "the save after an ignored write has the wrong number"
    )
    expect(try ignoring.verify().filter(\.isWrong).isEmpty, "the file is not intact")
  }
}

/// A program that writes to a store's file with plain SQL.
private final class PlainProgram {
  private let connection: Connection

  init(_ path: String) throws(HistoryError) {
    do { connection = try Connection(path: path) } catch { throw HistoryError(error) }
  }

  /// Executes SQL statements, and adds a fault line if they fail.
  func execute(_ sql: String, _ faults: FailedExpectations) {
    if let failure = failure(sql) { faults.append("plain SQL fails: \(failure) in \(sql)") }
  }

  /// Executes SQL statements, and returns SQLite's error message; `nil` if they succeed.
  func failure(_ sql: String) -> String? {
    do throws(SQLiteError) {
      try connection.execute(sql)
      return nil
    } catch {
      connection.rollBack()
      return error.message
    }
  }
}

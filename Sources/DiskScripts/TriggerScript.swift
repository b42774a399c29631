import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization

/// Scripted checks of the triggers by which a file captures or refuses writes with plain SQL.
///
/// The script drops and replaces triggers as other programs and earlier versions of the library do.
struct TriggerScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  /// A model whose first two entities have no references, so that plain SQL may write them.
  private static let model = try? Model([
    Entity("Note", [Attribute("text", .string), Attribute("count", .int)]), Entity("Mark", []),
    Entity("List", [Attribute("name", .string)]),
    Entity("Entry", [Attribute("list", to: "List"), Attribute("rank", .int)]),
  ])

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let model = Self.model else { return faults.append("the script's own model is refused") }
    var files: [ForeignWrites: Store] = [:]
    for rule in ForeignWrites.allCases {
      files[rule] = try open(folder.file(rule.rawValue), rule, model)
      try reopen(folder.file(rule.rawValue), rule, model)
    }
    guard let captured = files[.captured] else { return }
    let path = folder.file(ForeignWrites.captured.rawValue)
    try keepKeys(path, captured)
    try watch(path, captured)
    let isCaptured = seed.draw(2) == 0
    for (rule, drops) in [(ForeignWrites.captured, isCaptured), (.refused, !isCaptured)] {
      guard let file = files[rule] else { continue }
      if drops {
        try dropTriggers(folder.file(rule.rawValue), rule, file)
      } else {
        try replaceTrigger(folder.file(rule.rawValue), rule, file)
      }
    }
    try dropTables(path, captured)
  }

  private func open(
    _ path: String,
    _ rule: ForeignWrites?,
    _ model: Model? = nil
  ) throws(HistoryError) -> Store {
    var configuration = configuration()
    configuration.foreignWrites = rule
    guard let model else { return try Store(path: path, configuration: configuration) }
    return try Store(path: path, model: model, configuration: configuration)
  }

  // MARK: Opening

  /// Opens a file with the `foreignWrites` setting that it has, and then without this setting.
  ///
  /// Neither opening may write to the file.
  private func reopen(
    _ path: String,
    _ rule: ForeignWrites,
    _ model: Model
  ) throws(HistoryError) {
    let raw = try RawFile(path)
    // SQLite changes the number whenever another connection commits.
    let before = try raw.number("PRAGMA data_version")
    for (wanted, model) in [(rule, model), (nil, nil)] {
      let opened = try open(path, wanted, model)
      let after = try raw.number("PRAGMA data_version")
      let given = wanted?.rawValue ?? "none"
      expect(
        after == before,
        "opening a file with the rule \(rule.rawValue) writes to it, with the given rule \(given)"
      )
      expect(
        try opened.currentToken().number == 0,
        "opening a file with the rule \(rule.rawValue) adds a transaction"
      )
    }
  }

  // MARK: Triggers

  /// Returns the SQL of each trigger in a file, by the trigger's name.
  private func triggers(_ file: Store) throws(HistoryError) -> [String: Value] {
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"
    var found: [String: Value] = [:]
    for row in try file.query(sql).rows {
      if case .string(let name)? = row.first { found[name] = row.last }
    }
    return found
  }

  /// Drops triggers; opening the file with `foreignWrites` set to `rule` must create them again.
  private func dropTriggers(
    _ path: String,
    _ rule: ForeignWrites,
    _ file: Store
  ) throws(HistoryError) {
    let whole = try triggers(file)
    expect(!whole.isEmpty, "a file with the rule \(rule.rawValue) has no triggers")
    let keys = whole.keys.filter { $0.contains("_keys_") }.sorted()
    expect(
      keys.isEmpty == (rule == .refused),
      "a file with the rule \(rule.rawValue) has \(keys.count) triggers that check references"
    )
    let others = whole.keys.filter { !keys.contains($0) }.sorted()
    for (name, isNeeded) in [(seed.pick(others), true), (keys.first, false)] {
      guard let name else { continue }
      do { try RawFile(path).run("DROP TRIGGER \(name)") }
      if isNeeded {
        expect(.changedSchema, of: "to open a file without the trigger \(name)") {
          () throws(HistoryError) in _ = try open(path, nil)
        }
        expect(.changedSchema, of: "a write to a file without the trigger \(name)") {
          () throws(HistoryError) in try insert(into: file)
        }
      } else {
        // Files that an earlier version of the library created lack these triggers.
        expect(try triggers(open(path, nil)).count == whole.count - 1, "\(name) was not dropped")
      }
      let found = try triggers(open(path, rule))
      expect(found == whole, "a store that opens its file does not create the trigger \(name)")
    }
    try insert(into: file)
  }

  /// Replaces a trigger with an older one of the same name, as in a file of an earlier version.
  ///
  /// Opening the file with `foreignWrites` set to `rule` must create the current trigger again.
  private func replaceTrigger(
    _ path: String,
    _ rule: ForeignWrites,
    _ file: Store
  ) throws(HistoryError) {
    let whole = try triggers(file)
    let name = seed.pick(whole.keys.sorted())
    let old = "CREATE TRIGGER \(name) AFTER DELETE ON Mark BEGIN SELECT 1; END"
    do { try RawFile(path).run("DROP TRIGGER \(name); \(old)") }
    let kept = try triggers(open(path, nil))
    expect(kept[name] == .string(old), "a store without a rule replaces the trigger \(name)")
    let found = try triggers(open(path, rule))
    expect(found == whole, "a store does not replace the older trigger \(name) of its file")
    // Only the write that replaces the trigger may change the schema.
    let version = try RawFile(path).number("PRAGMA schema_version")
    _ = try open(path, rule)
    expect(
      try RawFile(path).number("PRAGMA schema_version") == version,
      "a store creates the triggers again although they are up to date"
    )
  }

  // MARK: Keys

  /// Sets keys with plain SQL: to the same value, to a new one, and to one that was used before.
  private func keepKeys(_ path: String, _ file: Store) throws(HistoryError) {
    let raw = try RawFile(path)
    let before = try file.currentToken()
    try raw.run("INSERT INTO Note(text, count) VALUES('a', 1), ('b', 2), ('c', 3)")
    var found = try changes(file, after: before)
    expect(found == ["insert 1", "insert 2", "insert 3"], "three inserts are captured as \(found)")
    let name = seed.pick(["_key", "rowid", "oid", "_rowid_"])
    let cases = [
      ("text = 'z', \(name) = \(name) WHERE _key = 2", ["update 2 0"]),
      ("\(name) = _key", []),
      ("count = count + 1, \(name) = _key", (1...3).map { "update \($0) 1" }),
      ("\(name) = 10 WHERE _key = 2", ["delete 2", "insert 10"]),
      ("\(name) = 10, count = 7 WHERE _key = 10", ["update 10 1"]),
    ]
    for (sql, wanted) in cases {
      let token = try file.currentToken()
      do throws(HistoryError) { try raw.run("UPDATE Note SET \(sql)") } catch {
        faults.append("the update SET \(sql) fails: \(error)")
      }
      found = try changes(file, after: token)
      expect(found.sorted() == wanted.sorted(), "SET \(sql) is captured as \(found), not \(wanted)")
    }
    for key in [2, 9] {
      expect(.sqlite, of: "a change of a key to \(key), which was used or reserved") {
        () throws(HistoryError) in try raw.run("UPDATE Note SET \(name) = \(key) WHERE _key = 1")
      }
    }
    let keys = try file.query("SELECT _key FROM Note ORDER BY _key").rows.map(\.first)
    expect(keys == [.int(1), .int(3), .int(10)], "after updates of keys, the keys are \(keys)")
    let context = ObjectContext(store: file, author: "app", name: "view")
    let note = try context.insert("Note")
    try context.save()
    expect(note.id.key > 10, "a new object has the key \(note.id.key), which plain SQL has used")
  }

  /// Returns the changes of `Note` objects after a position, each as a type and the object's key.
  ///
  /// An update also has the indexes of its attributes: `update 2 0` sets the first one of object 2.
  private func changes(
    _ file: Store,
    after token: HistoryToken
  ) throws(HistoryError) -> [String] {
    try file.fetch(HistoryRequest(after: token)).changes.filter { $0.objectID.entity == 1 }
      .map { change in
        let columns = change.columnNumbers.map { " \($0)" }.joined()
        return "\(change.type) \(change.objectID.key)\(change.type == .update ? columns : "")"
      }
  }

  /// Watches a file to which plain SQL writes: the watch must report before a store reads history.
  private func watch(_ path: String, _ file: Store) throws(HistoryError) {
    var configuration = configuration()
    configuration.signalsChanges = false
    configuration.changePollInterval = .milliseconds(1)
    let reader = try Store(path: path, configuration: configuration)
    let before = try reader.currentToken()
    let reports = ReportCount()
    let watch = try reader.watch { _ in reports.add() }
    try RawFile(path).run("INSERT INTO Note(text) VALUES('watched')")
    expect(reports.wait(), "a watch does not report a write with plain SQL")
    watch.cancel()
    let found = try changes(file, after: before)
    expect(found.count == 1, "a reported write with plain SQL is in history as \(found)")
  }

  // MARK: Tables

  /// Drops triggers, a column and a table; the error for opening the file must name them.
  private func dropTables(_ path: String, _ file: Store) throws(HistoryError) {
    do {
      let raw = try RawFile(path)
      for name in try triggers(file).keys.sorted() where name.contains("_foreign_1_") {
        try raw.run("DROP TRIGGER \(name)")
      }
      try raw.run("ALTER TABLE Note DROP COLUMN count; DROP TABLE Mark")
    }
    do throws(HistoryError) {
      _ = try open(path, nil)
      faults.append("a captured file without a table and a column is opened")
    } catch {
      let text = error.description
      expect(error.code == .changedSchema, "a missing table leads to the wrong error: \(error)")
      for part in ["the table Mark", "the column Note.count", "the trigger history_foreign_1_"] {
        expect(text.contains(part), "the error for a changed schema does not name \(part): \(text)")
      }
    }
  }
}

/// The number of reports of a watch.
private final class ReportCount: Sendable {
  private let count = Mutex(0)

  func add() { count.withLock { $0 += 1 } }

  /// Waits for a report; returns `false` after one second.
  func wait() -> Bool {
    for _ in 0..<1000 {
      if count.withLock({ $0 }) > 0 { return true }
      pause(milliseconds: 1)
    }
    return false
  }
}

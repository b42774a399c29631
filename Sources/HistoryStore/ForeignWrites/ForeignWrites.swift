import HistoryTypes
import SQLiteStorage

/// The rule for writes by programs that write to the store's file with plain SQL.
///
/// Such a program may be the `sqlite3` shell, a script, or an older app: any program that opens the
/// file without this library. The file itself contains the rule, as triggers that run in those
/// programs. This library's own connections switch the triggers off, because they write history
/// themselves. See <doc:WritingWithPlainSQL>.
public enum ForeignWrites: String, Sendable, Hashable, CaseIterable {
  /// The writes of other programs are missing from history.
  case unwatched
  /// The commits of other programs become transactions of history, in commit order.
  ///
  /// The next store that reads or writes the file adds these transactions to history, exactly once.
  ///
  /// To write objects of an entity that has references or is referred to, a program must run
  /// `PRAGMA foreign_keys = ON` before its transaction. Otherwise its statements fail, because
  /// SQLite would not check the references when the program commits.
  case captured
  /// Other programs cannot insert, update or delete objects.
  ///
  /// Their statements fail with a message that suggests another way to write.
  case refused
}

/// The triggers that capture or refuse writes by other programs, and the tables of these triggers.
///
/// A captured change is a row of `history_foreign`, in the order of the changes. If a change is
/// rolled back, SQLite rolls back its row as well (https://sqlite.org/lang_createtrigger.html).
struct ForeignSchema {
  /// The name in `history_metadata` under which a file stores its ``ForeignWrites``.
  ///
  /// A file without the name has the rule ``ForeignWrites/unwatched``.
  static let settingName = "foreignWrites"
  /// The prefix of the names of all triggers and tables of the schema.
  static let prefix = "history_foreign"

  /// The value of the column `operation` for an insert that will replace a row (`OR REPLACE`).
  ///
  /// SQLite runs no delete trigger for such a row, unless `recursive_triggers` is on.
  static let replacing: Int64 = 3

  /// The name of a table by which triggers detect whether SQLite enforces foreign keys.
  ///
  /// The table has one row, to which the row of a second table refers. An update of the first row
  /// changes the second one only if SQLite enforces foreign keys.
  static let probe = "history_foreign_probe"

  let layout: HistoryLayout
  let model: StoredModel

  /// The number of columns for the values that a delete preserves.
  private var valueCount: Int { model.entities.map(\.preserved.nonzeroBitCount).max() ?? 0 }

  /// The names of the columns for preserved values, in order.
  static func valueColumns(_ count: Int) -> [String] { (0..<count).map { "value\($0)" } }

  /// SQL that creates the tables of captured changes, or adds the columns that a newer model needs.
  ///
  /// `existingValueCount` is the number of columns for preserved values in the existing table. If
  /// it is `nil`, the SQL creates the tables.
  func tables(existingValueCount: Int?) -> String {
    guard let existingValueCount else {
      let values = Self.valueColumns(valueCount).map { ", \($0)" }.joined()
      return """
        CREATE TABLE history_foreign(id INTEGER PRIMARY KEY, entity INTEGER NOT NULL,
          key INTEGER NOT NULL, operation INTEGER NOT NULL, columns INTEGER NOT NULL DEFAULT 0,
          author TEXT\(values));
        CREATE TABLE history_foreign_author(author TEXT);
        INSERT INTO history_foreign_author VALUES(NULL);
        """
    }
    return Self.valueColumns(valueCount).dropFirst(existingValueCount)
      .map { "ALTER TABLE history_foreign ADD COLUMN \($0);" }.joined()
  }

  /// SQL that creates the tables by which a trigger detects whether SQLite enforces foreign keys.
  static let probeTables = """
    CREATE TABLE IF NOT EXISTS \(probe)(id INTEGER PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS \(probe)_child(
      id INTEGER REFERENCES \(probe)(id) ON UPDATE CASCADE);
    INSERT INTO \(probe) SELECT 0 WHERE NOT EXISTS(SELECT 1 FROM \(probe));
    INSERT INTO \(probe)_child SELECT id FROM \(probe)
      WHERE NOT EXISTS(SELECT 1 FROM \(probe)_child);
    """

  /// Returns the name and the SQL of each trigger that the rule `handling` needs.
  func triggers(_ handling: ForeignWrites) -> [(name: String, sql: String)] {
    recordingTriggers(handling) + (handling == .captured ? referenceTriggers : [])
  }

  /// Returns the triggers that capture or refuse every write.
  func recordingTriggers(_ handling: ForeignWrites) -> [(name: String, sql: String)] {
    entityTriggers.flatMap { made in
      switch handling {
      case .unwatched: [(name: String, sql: String)]()
      case .captured: made.capturing
      case .refused: made.refusing
      }
    }
  }

  /// The triggers that refuse writes that could leave a reference to a missing object.
  ///
  /// Files that an earlier version of this library created lack these triggers.
  private var referenceTriggers: [(name: String, sql: String)] {
    let ends = Set(model.references.flatMap { [Int($0.entity), Int($0.destination)] })
    return entityTriggers.filter { ends.contains($0.number) }.flatMap(\.requiringForeignKeys)
  }

  private var entityTriggers: [EntityTriggers] {
    model.entities.enumerated().filter { !$0.element.isRemoved }.map { offset, entity in
      EntityTriggers(entity, number: offset + 1, layout)
    }
  }
}

/// The triggers of one entity's table.
///
/// No trigger inserts into a table from a query of the same table, because SQLite would first copy
/// the rows to a temporary table.
private struct EntityTriggers {
  private let entity: StoredEntity
  let number: Int
  private let layout: HistoryLayout

  init(_ entity: StoredEntity, number: Int, _ layout: HistoryLayout) {
    self.entity = entity
    self.number = number
    self.layout = layout
  }

  /// The triggers that raise an error for every insert, update and delete.
  var refusing: [(name: String, sql: String)] {
    let sentence = """
      objects of \(entity.name) are written through the library PersistentHistory, so that other \
      processes learn of it; to permit plain SQL, open the store once with foreignWrites = .captured
      """
    return ["INSERT", "UPDATE", "DELETE"].map { event in
      trigger("refused_\(event.lowercased())", "BEFORE \(event)", "SELECT \(raise(sentence));")
    }
  }

  /// The triggers that raise an error for every write of a connection that does not check foreign keys.
  ///
  /// SQLite checks foreign keys only after `PRAGMA foreign_keys = ON`
  /// (https://sqlite.org/foreignkeys.html). A trigger cannot read that setting if
  /// `PRAGMA trusted_schema` is off. It therefore detects whether SQLite performs the action of a
  /// foreign key (`ON UPDATE CASCADE`).
  var requiringForeignKeys: [(name: String, sql: String)] {
    let sentence = """
      \(entity.name) has references or is referred to; run PRAGMA foreign_keys = ON before BEGIN, so \
      that no reference to a missing object is left
      """
    return ["INSERT", "UPDATE", "DELETE"].map { event in
      trigger(
        "keys_\(event.lowercased())",
        "BEFORE \(event)",
        """
        UPDATE \(ForeignSchema.probe) SET id = 1 - id;
        SELECT \(raise(sentence)) WHERE (SELECT id FROM \(ForeignSchema.probe)) IS NOT
          (SELECT id FROM \(ForeignSchema.probe)_child);
        """
      )
    }
  }

  /// The triggers that record every insert, update and delete.
  var capturing: [(name: String, sql: String)] {
    [replacement, insertion, keyChange, newKey, deletion] + (update.map { [$0] } ?? [])
  }

  /// The trigger before an insert, which records that a row with the same key will be replaced.
  ///
  /// If the insert then fails or is ignored, this record has no effect, because no record of an insert
  /// follows it.
  private var replacement: (name: String, sql: String) {
    trigger(
      "replaced",
      "BEFORE INSERT",
      """
      INSERT INTO history_foreign(entity, key, operation, columns, author)
        SELECT \(number), old._key, \(ForeignSchema.replacing), \(differences("old", "NEW")), \
      \(author) FROM \(table) AS old WHERE old._key = NEW._key;
      """
    )
  }

  /// The trigger after an insert, which records the insert, or an update if a row was replaced.
  ///
  /// A new row whose key was used or reserved before moves to a key that was never used. SQLite may
  /// choose such a key: it gives a row without a key the greatest key plus one, which a store may
  /// have reserved for another process.
  private var insertion: (name: String, sql: String) {
    let last = "(SELECT max(id) FROM history_foreign)"
    let isReplaced =
      "entity = \(number) AND key = NEW._key AND operation = \(ForeignSchema.replacing)"
    return trigger(
      "inserted",
      "AFTER INSERT",
      """
      INSERT INTO history_foreign(entity, key, operation, author)
        VALUES(\(number), NEW._key, 0, \(author));
      UPDATE history_foreign SET operation = 1,
        columns = (SELECT columns FROM history_foreign WHERE id = \(last) - 1)
        WHERE id = \(last)
        AND EXISTS(SELECT 1 FROM history_foreign WHERE id = \(last) - 1 AND \(isReplaced));
      UPDATE \(table) SET _key = \(nextKey) WHERE _key = NEW._key AND NEW._key < \(nextKey)
        AND (SELECT operation FROM history_foreign WHERE id = \(last)) = 0
        AND NOT EXISTS(SELECT 1 FROM history_foreign WHERE id = \(last) - 2 AND \(isReplaced));
      \(advance(past: "NEW._key"))
      """
    )
  }

  /// The trigger before a change of a key, which refuses a key that was used or reserved before.
  private var keyChange: (name: String, sql: String) {
    let sentence = """
      keys are never used again; update \(entity.name) without _key, or delete the row and insert \
      another one
      """
    return trigger(
      "rekeying",
      "BEFORE UPDATE OF \(Self.keyNames)",
      "SELECT \(raise(sentence)) WHERE NEW._key IS NOT OLD._key AND NEW._key < \(nextKey);"
    )
  }

  /// The trigger after an update of a row's key; it records a delete and an insert.
  ///
  /// If the newest record is the insert of this row, no process has seen the row under its old key.
  /// The trigger then removes that record, and records no delete. This happens, for example, when
  /// the insert trigger moves a new row to an unused key.
  private var newKey: (name: String, sql: String) {
    trigger(
      "rekeyed",
      "AFTER UPDATE OF \(Self.keyNames)",
      """
      DELETE FROM history_foreign WHERE OLD._key IS NOT NEW._key
        AND id = (SELECT max(id) FROM history_foreign)
        AND entity = \(number) AND key = OLD._key AND operation = 0;
      \(recordedDelete(where: " WHERE OLD._key IS NOT NEW._key AND changes() = 0"))
      INSERT INTO history_foreign(entity, key, operation, author)
        SELECT \(number), NEW._key, 0, \(author) WHERE OLD._key IS NOT NEW._key;
      \(advance(past: "NEW._key", where: " AND OLD._key IS NOT NEW._key"))
      """
    )
  }

  /// The trigger after an update, which records the changed columns.
  ///
  /// `nil` if the entity has no attributes.
  private var update: (name: String, sql: String)? {
    guard entity.attributes.contains(where: { !$0.isRemoved }) else { return nil }
    return trigger(
      "updated",
      "AFTER UPDATE",
      """
      INSERT INTO history_foreign(entity, key, operation, columns, author)
        SELECT \(number), NEW._key, 1, columns, \(author)
        FROM (SELECT \(differences("OLD", "NEW")) AS columns)
        WHERE columns <> 0 AND OLD._key IS NEW._key;
      """
    )
  }

  private var deletion: (name: String, sql: String) {
    trigger("deleted", "AFTER DELETE", recordedDelete(where: ""))
  }

  private func recordedDelete(where condition: String) -> String {
    let kept = entity.attributes.indices.filter { entity.preserved >> UInt64($0) & 1 == 1 }
    let columns = ForeignSchema.valueColumns(kept.count).map { ", \($0)" }.joined()
    let values = kept.map { ", OLD.\"\(entity.attributes[$0].column)\"" }.joined()
    return """
      INSERT INTO history_foreign(entity, key, operation, author\(columns))
        SELECT \(number), OLD._key, 2, \(author)\(values)\(condition);
      """
  }

  // MARK: Parts of SQL

  /// The column names by which a statement can set the key of a row.
  ///
  /// See https://sqlite.org/lang_createtable.html#rowid.
  ///
  /// A trigger on updates of these names does not run for updates of other columns.
  private static let keyNames = "_key, rowid, oid, _rowid_"

  private var table: String { "\"\(entity.table)\"" }

  private var author: String { "(SELECT author FROM history_foreign_author)" }

  /// SQL for the entity's next unused key: the lowest one above all used and reserved keys.
  private var nextKey: String {
    switch layout {
    case .packed: "(SELECT next FROM history_key WHERE entity = \(number))"
    case .coreData: "(SELECT Z_MAX + 1 FROM Z_PRIMARYKEY WHERE Z_ENT = \(number))"
    }
  }

  private func advance(past key: String, where condition: String = "") -> String {
    switch layout {
    case .packed:
      "UPDATE history_key SET next = max(next, \(key) + 1) WHERE entity = \(number)\(condition);"
    case .coreData:
      "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, \(key)) WHERE Z_ENT = \(number)\(condition);"
    }
  }

  /// Returns SQL for the bitmap of the attributes whose values differ in two rows.
  private func differences(_ first: String, _ second: String) -> String {
    let bits = entity.attributes.enumerated().filter { !$0.element.isRemoved }.map { index, one in
      let column = "\"\(one.column)\""
      return "(\(first).\(column) IS NOT \(second).\(column)) << \(index)"
    }
    return bits.isEmpty ? "0" : bits.map { "(\($0))" }.joined(separator: " | ")
  }

  private func raise(_ sentence: String) -> String {
    "RAISE(ABORT, '\(sentence)')"
  }

  private func trigger(
    _ kind: String,
    _ event: String,
    _ body: String
  ) -> (name: String, sql: String) {
    let name = "\(ForeignSchema.prefix)_\(number)_\(kind)"
    return (name, "CREATE TRIGGER \(name) \(event) ON \(table) BEGIN\n\(body)\nEND")
  }
}

extension StoreCore {
  /// Throws if the file lacks a table or column of its model, or a trigger of its write rule.
  ///
  /// Checks only files that capture or refuse writes by other programs. In a file with the rule
  /// ``ForeignWrites/unwatched``, SQLite itself reports a missing table or column when a statement
  /// needs it. Ignores the triggers that require foreign keys, because files of earlier versions of
  /// this library lack them.
  ///
  /// - Throws: ``HistoryError/Code/changedSchema``, with the names of everything that is missing.
  /// - Complexity: linear in the schema.
  func checkForeignSchema() throws {
    let handling = try FileHeader.foreignWrites(connection)
    guard handling != .unwatched, reading == nil,
      let found = try StoredModel(connection, path: path)
    else { return }
    try checkForeignSchema(handling, of: found)
  }

  /// Throws if the file lacks a table or column of `found`, or a trigger of the rule `handling`.
  ///
  /// Ignores the triggers that require foreign keys. If the rule is ``ForeignWrites/unwatched``,
  /// checks nothing at all.
  func checkForeignSchema(_ handling: ForeignWrites, of found: StoredModel) throws {
    guard handling != .unwatched else { return }
    let present = Dictionary(
      try foreignTriggers().map { ($0.name, $0.sql) },
      uniquingKeysWith: { first, _ in first }
    )
    var missing = try missingTables(of: found)
    for trigger in ForeignSchema(layout: layout, model: found).recordingTriggers(handling)
    where present[trigger.name] == nil {
      missing.append("the trigger \(trigger.name)")
    }
    guard missing.isEmpty else { throw HistoryError.changedSchema(path: path, missing) }
  }

  private func missingTables(of found: StoredModel) throws -> [String] {
    var missing: [String] = []
    for entity in found.entities where !entity.isRemoved {
      let query = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
      query.bind(entity.table, at: 1)
      var columns: Set<String> = []
      while try query.step() { columns.insert(query.text(0) ?? "") }
      guard !columns.isEmpty else {
        missing.append("the table \(entity.table)")
        continue
      }
      for attribute in entity.attributes where !attribute.isRemoved {
        guard !columns.contains(attribute.column) else { continue }
        missing.append("the column \(entity.table).\(attribute.column)")
      }
    }
    return missing
  }
}

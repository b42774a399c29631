import HistoryStore
import HistoryTypes
import ObjectContexts

/// Checks of models that make an attribute optional or required, so that its table is copied.
extension UpgradeScript {
  /// The SQL with which another program adds a view, an index, a table and triggers.
  private static let otherSchema = """
    CREATE VIEW named AS SELECT name, count FROM Item;
    CREATE INDEX other_count ON Item(count, name);
    CREATE TABLE log(name);
    CREATE TRIGGER other_log AFTER UPDATE OF name ON Item BEGIN INSERT INTO log VALUES(NEW.name);
    END;
    CREATE TRIGGER other_clear AFTER DELETE ON log BEGIN
      UPDATE Item SET count = NULL WHERE name = OLD.name; END
    """

  private func nullModel(
    _ version: Int,
    isOptional: Bool,
    _ added: [Attribute] = []
  ) throws(HistoryError) -> Model {
    let item = [
      Attribute("name", .string, isOptional: isOptional), Attribute("count", .int),
      Attribute("owner", to: "Owner", deleteRule: .cascade),
    ]
    return try model(
      version,
      [
        Entity("Owner", [Attribute("label", .string)]),
        Entity("Item", item + added, indexes: [["name"]], uniquenessConstraints: [["count"]]),
        Entity("Note", [Attribute("item", to: "Item", deleteRule: .nullify)]),
      ]
    )
  }

  /// Upgrades a file to a model that makes a required attribute of `Item` optional.
  ///
  /// The store then replaces the table of `Item` with a copy. A view, an index and triggers that
  /// another program has added must outlast this.
  func changeNullRule(_ path: String) throws(HistoryError) {
    let old = try open(path, try nullModel(1, isOptional: false))
    let owners = try insert([["label": "keeps"], ["label": "goes"]], into: "Owner", of: old)
    let items = try insert(
      (0..<(4 + seed.draw(4))).map { number in
        let name = Value.string("n\(seed.draw(3))")
        return ["name": name, "count": .int(Int64(number)), "owner": .int(owners[number % 2])]
      },
      into: "Item",
      of: old
    )
    let note = try insert([["item": .int(items[1])]], into: "Note", of: old)[0]
    try RawFile(path).run(Self.otherSchema)
    let before = try rows(old, "Item")
    let context = context(old)
    let read = try context.object(ObjectID(entity: 2, key: items[0]))
    _ = try read?["count"]
    let token = try old.currentToken()
    let new = try open(path, try nullModel(2, isOptional: true))
    try expectMigration(of: new, after: token, "an upgrade that makes an attribute optional")
    expect(try rows(new, "Item") == before, "copying a table changes its rows")
    try read?.set(.int(1000), for: "count")
    _ = try context.save()
    try expectOthers(path, new, count: items.count)
    try writeCopied(new, owners, items, note)
    try expectIntact(new, "a file with a copied table")
  }

  /// Checks that the copied table of `Item` has its constraints and foreign keys.
  ///
  /// Names may be null, counts are unique, a delete of an owner cascades to its items, and a delete
  /// of an item sets a note's reference to null.
  private func writeCopied(
    _ new: Store,
    _ owners: [Int64],
    _ items: [Int64],
    _ note: Int64
  ) throws(HistoryError) {
    let empty = try insert([["count": 500]], into: "Item", of: new)[0]
    expect(
      try rows(new, "Item")[empty] == [.null, 500, .null],
      "a name without a value is not null"
    )
    expectError(.duplicate, of: "a second object with a count", naming: ["Item", "count"]) {
      () throws(HistoryError) in
      try insert([["count": 500]], into: "Item", of: new)
    }
    try delete(ObjectID(entity: 1, key: owners[1]), in: new)
    let left = try rows(new, "Item").keys.sorted()
    let kept = items.indices.filter { $0 % 2 == 0 }.map { items[$0] } + [empty]
    expect(left == kept.sorted(), "a cascade in a copied table leaves \(left), not \(kept)")
    expect(try rows(new, "Note") == [note: [.null]], "a reference to a copied table is not cleared")
  }

  /// Checks the view, the index, the triggers and the foreign keys of a copied table.
  private func expectOthers(
    _ path: String,
    _ program: Store,
    count: Int
  ) throws(HistoryError) {
    let raw = try RawFile(path)
    expect(try raw.number("SELECT count(*) FROM named") == Int64(count), "a view lacks rows")
    try raw.run("UPDATE Item SET name = name")
    expect(try raw.number("SELECT count(*) FROM log") == Int64(count), "a trigger is lost")
    let keys = try lines(
      program,
      """
      SELECT m.name || '.' || f."from" || ' ' || f."table" FROM sqlite_master m,
        pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY 1
      """
    )
    expect(keys == ["Item.owner Owner", "Note.item Item"], "the foreign keys are \(keys)")
    let names = try lines(program, "SELECT name FROM pragma_index_list('Item') ORDER BY 1")
    expect(
      names.count == 4 && names.contains("other_count"),
      "a copied table has the indexes \(names)"
    )
    let required = try raw.number(
      "SELECT count(*) FROM pragma_table_info('Item') WHERE \"notnull\" AND name <> '_version'"
    )
    expect(required == 0, "\(required ?? -1) columns of a copied table are required")
  }

  /// Migrates to a model that requires `name`, and adds the required attribute `size`.
  ///
  /// The migration must fail unless its closure sets both values where an object lacks them.
  func requireNames(_ path: String) throws(HistoryError) {
    let program = try Store(path: path, configuration: configuration())
    let empty = try rows(program, "Item").first { $0.value[0] == .null }?.key
    let size = Attribute("size", .int, isOptional: false)
    let newer = try nullModel(3, isOptional: false, [size])
    expect(.migrationNeeded, of: "to open a file with a model that requires a value") {
      () throws(HistoryError) in
      _ = try open(path, newer)
    }
    let before = try (rows(program, "Item"), history(program))
    let naming = seed.draw(2) == 0
    let error = expectError(
      .missingValue,
      of: "a migration without a required value",
      naming: ["Item", naming ? "size" : "name"]
    ) { () throws(HistoryError) in try migrate(path, newer, naming: naming, sizing: !naming) }
    let keys = error?.objects.map(\.key) ?? []
    let isListed = keys.count == 1 && keys.allSatisfy { naming || $0 == empty }
    expect(isListed, "the error for a missing value lists the objects \(keys)")
    let after = try (rows(program, "Item"), history(program))
    expect(after == before, "a failed migration changes the file")
    try migrate(path, newer, naming: true, sizing: true)
    var wanted = before.0.mapValues { $0[0] == .null ? ["unnamed"] + $0[1...] : $0 }
    for key in wanted.keys { wanted[key]?.append(.int(key * 2)) }
    let migrated = try open(path, newer)
    expect(try rows(migrated, "Item") == wanted, "a migration sets other values than its closure")
    expectError(.sqlite, of: "a null in a required column", naming: ["NOT NULL"]) {
      () throws(HistoryError) in
      try RawFile(path).run("INSERT INTO Item(size) VALUES(1)")
    }
  }

  /// Migrates to a model with required names and sizes, and computes names, sizes or both.
  private func migrate(
    _ path: String,
    _ newer: Model,
    naming: Bool,
    sizing: Bool
  ) throws(HistoryError) {
    try Store.migrate(
      path: path,
      to: newer,
      configuration: configuration(),
      computing: [
        "Item": { item in
          if sizing { try item.set(.int(item.id.key * 2), for: "size") }
          if naming, item["name"] == .null { try item.set("unnamed", for: "name") }
        }
      ]
    )
  }
}

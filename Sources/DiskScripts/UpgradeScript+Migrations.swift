import HistoryStore
import HistoryTypes
import ObjectContexts

/// Checks of migrations: removed parts of models, faulty closures, and too many attributes.
extension UpgradeScript {
  private static let name = Attribute("name", .string, preservesValueInHistoryOnDeletion: true)
  private static let older = [
    Entity("Owner", [Attribute("label", .string)]),
    Entity(
      "Item",
      [
        Attribute("extra", .int), name,
        Attribute("old", .string, preservesValueInHistoryOnDeletion: true),
      ],
      indexes: [["extra"], ["name"]]
    ), Entity("Link", [Attribute("owner", to: "Owner"), name]),
  ]
  private static let newer = [
    Entity("Item", [name, Attribute("label", .string)], indexes: [["name"]]),
    Entity("Link", [name]), Entity("Tag", []),
  ]

  /// Removes entities, references, attributes and an index from a file that plain SQL writes to.
  func migrateForeign(_ rule: ForeignWrites, _ path: String) throws(HistoryError) {
    var configuration = configuration()
    configuration.foreignWrites = rule
    let older = try model(1, Self.older)
    let old = try Store(path: path, model: older, configuration: configuration)
    let owner = try insert([["label": "owner"]], into: "Owner", of: old)[0]
    let items = (0..<(2 + seed.draw(4))).map { number in
      ["name": Value.string("n\(number)"), "extra": .int(Int64(number))]
    }
    var keys = try insert(items, into: "Item", of: old)
    let link = try insert([["name": "link", "owner": .int(owner)]], into: "Link", of: old)[0]
    let token = try old.currentToken()
    let plain = "INSERT INTO Item(name) VALUES('plain')"
    if rule == .captured { try RawFile(path).run(plain) }
    if rule == .refused { expectRefused(plain, path, "before a migration") }
    let newer = try model(2, Self.newer)
    let result = try Store.migrate(
      path: path,
      to: newer,
      computing: ["Item": { item in try item.set(item["name"] ?? "none", for: "label") }]
    )
    let new = try open(path, newer)
    if rule == .captured { keys += Set(try rows(new, "Item").keys).subtracting(keys) }
    let names =
      items.map { $0["name"] ?? .null } + (rule == .captured ? [Value.string("plain")] : [])
    let wanted = Dictionary(uniqueKeysWithValues: zip(keys, names.map { [$0, $0] }))
    let (found, links) = (try rows(new, "Item"), try rows(new, "Link"))
    expect(found == wanted, "a migration gives the rows \(found), not \(wanted)")
    expect(links == [link: ["link"]], "a table that loses its reference has the rows \(links)")
    expect(
      result?.objectCount == names.count,
      "a migration computes the wrong number of objects: \(result?.objectCount ?? 0)"
    )
    try expectRemoved(new)
    let since = try history(new, after: token)
    let inserts = rule == .captured ? ["- insert 2/\(keys.last ?? 0)"] : []
    let updates = keys.map { "2 update 2/\($0) label" }
    expect(since == inserts + updates, "a migration is in history as \(since)")
    try writePlain(rule, path, new)
    try expectIntact(new, "a migrated file")
  }

  /// Checks that the schema lacks the removed entity, references, attributes and index.
  private func expectRemoved(_ program: Store) throws(HistoryError) {
    let columns = try lines(
      program,
      """
      SELECT m.name || '.' || t.name FROM sqlite_master m, pragma_table_info(m.name) t
      WHERE m.name IN ('Owner', 'Item', 'Link', 'Tag') AND t.name NOT GLOB '_*' ORDER BY 1
      """
    )
    let wanted = ["Item.label", "Item.name", "Link.name"]
    expect(columns == wanted, "migrated tables have the columns \(columns), not \(wanted)")
    let keys = try lines(
      program,
      """
      SELECT m.name || ' ' || f."table" FROM sqlite_master m, pragma_foreign_key_list(m.name) f
      WHERE m.name IN ('Item', 'Link', 'Tag')
      """
    )
    expect(keys.isEmpty, "after a migration, these tables have references: \(keys)")
    let indexes = try lines(
      program,
      "SELECT x.name FROM pragma_index_list('Item') l, pragma_index_info(l.name) x ORDER BY 1"
    )
    expect(indexes == ["name"], "a migrated table has indexes over \(indexes)")
  }

  /// Writes to a migrated file with plain SQL: history must get the writes, or they must fail.
  private func writePlain(
    _ rule: ForeignWrites,
    _ path: String,
    _ program: Store
  ) throws(HistoryError) {
    guard rule == .captured else {
      expectRefused("INSERT INTO Item(name) VALUES('later')", path, "after a migration")
      return expectRefused("INSERT INTO Tag DEFAULT VALUES", path, "into a new table")
    }
    let (token, tag) = (try program.currentToken(), program.model.number(of: "Tag") ?? 0)
    // The migration has removed the reference of Link, so plain SQL needs no foreign keys.
    try RawFile(path).run(
      """
      INSERT INTO Tag DEFAULT VALUES; INSERT INTO Link(name) VALUES('free');
      UPDATE Item SET label = 'later' WHERE name = 'plain';
      DELETE FROM Item WHERE name = 'plain'; UPDATE Item SET label = 'l' WHERE name = 'n0'
      """
    )
    let tags = try rows(program, "Tag").keys.sorted()
    let found = try history(program, after: token)
    let types = found.map { line in
      line.split(separator: " ").filter { !$0.contains("/") }.joined(separator: " ")
    }
    let wanted = ["- insert", "- insert", "- delete name=\"plain\"", "- update label"]
    expect(
      types == wanted,
      "after a migration, plain SQL is in history as \(found), which without IDs must be \(wanted)"
    )
    let key = tags.first ?? 0
    expect(found.first == "- insert \(tag)/\(key)", "a new table's row is in history as \(found)")
  }

  private func expectRefused(_ sql: String, _ path: String, _ when: String) {
    expectError(.sqlite, of: "plain SQL \(when)", naming: ["PersistentHistory"]) {
      () throws(HistoryError) in
      try RawFile(path).run(sql)
    }
  }

  private typealias Closure = @Sendable (inout MigratedObject) throws -> Void

  /// Closures that make a migration fail, with the code of the error and words of its message.
  private static let errors: [(HistoryError.Code, [String], Closure)] = [
    (.unknownAttribute, ["title", "Item"], { try $0.set("x", for: "title") }),
    (.unknownAttribute, ["title", "Part"], { try $0.insert("Part", ["title": "x", "size": 1]) }),
    (.unknownEntity, ["Piece"], { try $0.insert("Piece") }),
    (.unfitValue, ["name"], { try $0.set(1, for: "name") }),
    (.missingValue, ["size"], { try $0.insert("Part") }),
    (.danglingReference, [], { try $0.set(5, for: "parent") }),
  ]

  private func migrate(
    _ path: String,
    _ newer: Model,
    _ closure: @escaping Closure
  ) throws(HistoryError) {
    try Store.migrate(
      path: path,
      to: newer,
      configuration: configuration(),
      computing: ["Item": closure]
    )
  }

  /// Runs migrations with faulty closures, which must not change the file; then one that succeeds.
  func refuseMigrations(_ path: String) throws(HistoryError) {
    let name = Attribute("name", .string)
    let old = try open(path, try model(1, [Entity("Item", [name, Attribute("count", .int)])]))
    let keys = try insert([["name": "1"], ["name": "2", "count": 2]], into: "Item", of: old)
    let newer = try model(
      2,
      [
        Entity("Item", [name, Attribute("parent", to: "Part")]),
        Entity("Part", [name, Attribute("size", .int, isOptional: false)]),
      ]
    )
    let before = try (rows(old, "Item"), history(old), old.currentToken())
    let errors = Self.errors
    let first = seed.draw(errors.count)
    for (code, words, closure) in [errors[first], errors[(first + 1) % errors.count]] {
      expectError(code, of: "a migration with a faulty closure", naming: words) {
        () throws(HistoryError) in try migrate(path, newer, closure)
      }
      let after = try (rows(old, "Item"), history(old), old.currentToken())
      expect(after == before, "a migration that fails with \(code) changes the file")
    }
    try migrate(path, newer) { item in
      let part = try item.insert("Part", ["name": item["name"] ?? .null, "size": 3])
      try item.set(.int(part.key), for: "parent")
    }
    let new = try open(path, newer)
    let (items, parts) = (try rows(new, "Item"), try rows(new, "Part"))
    for (key, name) in zip(keys, [Value.string("1"), "2"]) {
      guard case .int(let parent)? = items[key]?[1] else {
        faults.append("a migrated object refers to \(items[key] ?? [])")
        continue
      }
      expect(parts[parent] == [name, 3], "a migration inserts \(parts[parent] ?? []) for \(name)")
    }
    expect(parts.count == keys.count, "a migration inserts \(parts.count) objects")
  }

  /// Adds more attributes than an entity can have over all of its versions.
  func exceedAttributes(_ path: String) throws(HistoryError) {
    func entity(_ names: [String]) -> [Entity] {
      [Entity("Item", names.map { Attribute($0, .int) })]
    }
    let count = Model.attributeCountMax - 3
    let first = (0..<count).map { "a\($0)" }
    _ = try open(path, try model(1, entity(first)))
    let kept = Array(first.dropFirst(1 + seed.draw(2))) + ["b1", "b2", "b3"]
    try Store.migrate(path: path, to: try model(2, entity(kept)), configuration: configuration())
    let before = try open(path, try model(2, entity(kept))).currentToken()
    let newer = try model(3, entity(kept + ["c"]))
    for migrates in [false, true] {
      let error = expectError(
        .migrationNeeded,
        of: "a 65th attribute",
        naming: ["Item", "65", path, "version 3"]
      ) { () throws(HistoryError) in
        guard migrates else {
          _ = try open(path, newer)
          return
        }
        try Store.migrate(path: path, to: newer, configuration: configuration())
      }
      let versions = error?.modelVersions
      let isRight = versions?.file == 2 && versions?.program == 3
      expect(isRight, "the error for a 65th attribute has the versions \(versions ?? (0, 0))")
    }
    let after = try open(path, try model(2, entity(kept))).currentToken()
    expect(after == before, "a refused migration changes history")
  }
}

import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of files whose model a newer program changes, with or without a migration.
///
/// The checks compare rows, history, and the constraints and indexes of the file with the models.
struct UpgradeScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    // Opening and migrating files takes long: each run leaves out one group of checks.
    let skipped = seed.draw(4)
    if skipped != 0 {
      try addConstraints(folder.file("indexes"))
      try createFormats(folder)
    }
    if skipped != 1 {
      try changeNullRule(folder.file("nulls"))
      try widen(folder.file("widened"))
    }
    if skipped != 2 {
      try upgradeUntracked(folder.file("untracked"))
      try upgradeTwice(folder.file("two"))
      try replace(folder.file("replaced"))
    }
    if skipped != 3 {
      try declareVersions(folder.file("members"))
      try convertMigrated(folder)
    }
    try migrateForeign(seed.pick([.captured, .refused]), folder.file("foreign"))
    switch seed.draw(3) {
    case 0: try refuseMigrations(folder.file("errors"))
    case 1: try exceedAttributes(folder.file("wide"))
    default: if skipped != 1 { try requireNames(folder.file("nulls")) }
    }
  }

  // MARK: Stores and models

  /// Creates a model; a ``ModelError`` ends the script.
  func model(_ version: Int, _ entities: [Entity]) throws(HistoryError) -> Model {
    do {
      return try Model(entities, version: version)
    } catch {
      throw HistoryError(error)
    }
  }

  func open(_ path: String, _ model: Model) throws(HistoryError) -> Store {
    try Store(path: path, model: model, configuration: configuration())
  }

  func context(_ program: Store, _ policy: MergePolicy = .error) -> ObjectContext {
    ObjectContext(store: program, author: "app", name: "view", mergePolicy: policy)
  }

  /// Inserts one object for each dictionary of values in one save, and returns the new keys.
  @discardableResult
  func insert(
    _ rows: [[String: Value]],
    into entity: String,
    of program: Store
  ) throws(HistoryError) -> [Int64] {
    let context = ObjectContext.retaining(program, author: "app", name: "view")
    var keys: [Int64] = []
    for row in rows { keys.append(try context.insert(entity, row).id.key) }
    try context.save()
    return keys
  }

  /// Sets values of one object, and saves.
  func set(
    _ values: [String: Value],
    of id: ObjectID,
    in program: Store
  ) throws(HistoryError) {
    let context = context(program)
    let object = try context.object(id)
    expect(object != nil, "\(id) is missing")
    for (name, value) in values { try object?.set(value, for: name) }
    try context.save()
  }

  func delete(_ id: ObjectID, in program: Store) throws(HistoryError) {
    let context = context(program)
    context.delete(id)
    expect(try context.save() != nil, "\(id) is not deleted")
  }

  /// Returns the values of an entity's objects by key, in the order of the program's attributes.
  func rows(_ program: Store, _ name: String) throws(HistoryError) -> [Int64: [Value]] {
    let names = program.model.entities.first { $0.name == name && $0.isDeclared }?.attributes
      .map(\.name)
    var rows: [Int64: [Value]] = [:]
    for object in try context(program).objects(name) {
      rows[object.id.key] = try object.values(of: names ?? [])
    }
    return rows
  }

  /// Returns the first column of a query as lines of text.
  func lines(_ program: Store, _ sql: String) throws(HistoryError) -> [String] {
    try program.query(sql).rows.map { row in
      if case .string(let text)? = row.first { text } else { row.first?.description ?? "" }
    }
  }

  /// Returns the changes after a token, each with the model version of its transaction.
  func history(
    _ program: Store,
    after token: HistoryToken?
  ) throws(HistoryError) -> [String] {
    try program.fetch(HistoryRequest(after: token)).transactions.flatMap { transaction in
      transaction.changes.map { change in
        let version = transaction.modelVersion.map(String.init) ?? "-"
        let properties = change.updatedProperties.map { " \($0)" }.joined()
        let kept = (change.tombstone ?? [:]).sorted { $0.key < $1.key }
          .map { " \($0.key)=\($0.value)" }.joined()
        return "\(version) \(change.type) \(change.objectID.entity)/\(change.objectID.key)"
          + properties + kept
      }
    }
  }

  /// Checks that the only transaction after a token is the change to the model's version.
  func expectMigration(
    of program: Store,
    after token: HistoryToken,
    _ what: String
  ) throws(HistoryError) {
    let page = try program.fetch(HistoryRequest(after: token))
    let versions = page.transactions.map(\.modelVersion)
    expect(
      versions == [program.model.version] && page.changes.isEmpty,
      "\(what) is in history as \(versions) with \(page.changes.count) changes"
    )
  }

  /// Checks that a request fails with an error of the given code, whose message contains all words.
  ///
  /// - Returns: The error; `nil` if the request succeeds.
  @discardableResult
  func expectError(
    _ code: HistoryError.Code,
    of what: String,
    naming words: [String],
    _ body: () throws(HistoryError) -> Void
  ) -> HistoryError? {
    do throws(HistoryError) {
      try body()
      faults.append("\(what) is accepted")
      return nil
    } catch {
      expect(error.code == code, "\(what): \(error)")
      let lacking = words.filter { !error.message.contains($0) }
      expect(lacking.isEmpty, "the error for \(what) does not name \(lacking): \(error)")
      return error
    }
  }

  func expectIntact(_ program: Store, _ what: String) throws(HistoryError) {
    let wrong = try program.verify().filter(\.isWrong)
    expect(wrong.isEmpty, "\(what) is not intact: \(wrong)")
    expect(try program.integrityProblem() == nil, "SQLite finds an error in \(what)")
  }
}

// MARK: Indexes and uniqueness

extension UpgradeScript {
  private static let indexed = [
    Attribute("name", .string), Attribute("count", .int), Attribute("code", .int),
  ]

  private static let older = Entity(
    "Item",
    indexed,
    indexes: [["count"], ["name"]],
    uniquenessConstraints: [["code"]]
  )

  private static let newer = Entity(
    "Item",
    indexed + [Attribute("tag", .string)],
    indexes: [[.ascending("name", collation: .caseInsensitive), .descending("count")], ["name"]],
    uniquenessConstraints: [["name"], ["count", "code"], ["tag"]]
  )

  /// The indexes of the table `Item`, one line each, as SQLite describes them.
  private func indexes(_ program: Store) throws(HistoryError) -> Set<String> {
    Set(
      try lines(
        program,
        """
        SELECT CASE l."unique" WHEN 1 THEN 'unique ' ELSE '' END || group_concat(
          x.name || CASE x."desc" WHEN 1 THEN ' desc' ELSE '' END
          || CASE x.coll WHEN 'BINARY' THEN '' ELSE ' ' || x.coll END, ', ')
        FROM pragma_index_list('Item') l, pragma_index_xinfo(l.name) x
        WHERE x.key AND x.cid >= 0 GROUP BY l.name
        """
      )
    )
  }

  /// Upgrades a file to a model with other indexes and constraints, while the older program runs.
  func addConstraints(_ path: String) throws(HistoryError) {
    let old = try open(path, try model(1, [Self.older]))
    let newer = try model(2, [Self.newer])
    let twins = try fill(old)
    let other = try refuseDuplicates(twins, old, newer, path)
    try set(["name": other], of: ObjectID(entity: 1, key: twins[seed.draw(2)]), in: old)
    let (before, token) = (try rows(old, "Item"), try old.currentToken())
    let new = try open(path, newer)
    try expectMigration(of: new, after: token, "an upgrade that adds constraints")
    expect(try rows(old, "Item") == before, "an upgrade that adds constraints changes rows")
    let found = try indexes(new)
    let wanted: Set<String> = [
      "name NOCASE, count desc", "name", "unique name", "unique count, code", "unique tag",
    ]
    expect(
      found == wanted,
      "after the upgrade, the table has the indexes \(found), not \(wanted)"
    )
    try meetConstraints(old, new)
    try expectIntact(new, "a file with added constraints")
  }

  /// Inserts objects, of which two have the same name, and returns the keys of these two.
  private func fill(_ program: Store) throws(HistoryError) -> [Int64] {
    var items: [[String: Value]] = [["name": "first", "code": 1], ["code": 2], ["code": 3]]
    for number in 4..<(8 + seed.draw(4)) {
      items.append(["name": .string("n\(number)"), "code": .int(Int64(number)), "count": 7])
    }
    let places = [seed.draw(3), 3 + seed.draw(items.count - 3)]
    for place in places { items[place]["name"] = "same" }
    // The first and the last name in order occur once.
    items += [["name": "a", "code": 100], ["name": "z", "code": 101]]
    let keys = try insert(items, into: "Item", of: program)
    return places.map { keys[$0] }
  }

  /// Checks that a file with two equal names cannot be opened with a model that makes names unique.
  ///
  /// - Returns: Null or an unused name, at random, as the new name of one of the two objects.
  private func refuseDuplicates(
    _ twins: [Int64],
    _ old: Store,
    _ newer: Model,
    _ path: String
  ) throws(HistoryError) -> Value {
    let before = try (rows(old, "Item"), indexes(old), history(old))
    let error = expectError(
      .duplicate,
      of: "a constraint that the file violates",
      naming: ["Item", "name"]
    ) { () throws(HistoryError) in _ = try open(path, newer) }
    let objects = error?.objects ?? []
    let wanted = twins.sorted().map { ObjectID(entity: 1, key: $0) }
    expect(objects.sorted() == wanted, "\(objects) are reported as duplicates, not \(twins)")
    let after = try (rows(old, "Item"), indexes(old), history(old))
    expect(after == before, "a failed upgrade changes the file")
    return seed.draw(2) == 0 ? .null : "other"
  }

  /// Saves duplicates through both programs; each save must fail or overwrite the duplicate.
  private func meetConstraints(_ old: Store, _ new: Store) throws(HistoryError) {
    for program in [old, new] {
      expectError(.duplicate, of: "a second object with a name", naming: ["Item", "name"]) {
        () throws(HistoryError) in
        try insert([["name": "same"]], into: "Item", of: program)
      }
    }
    try insert([["tag": "t", "code": 1], ["code": 2]], into: "Item", of: new)
    expectError(.duplicate, of: "a second object with a tag", naming: ["Item", "tag"]) {
      () throws(HistoryError) in
      try insert([["tag": "t"]], into: "Item", of: new)
    }
    let before = try rows(old, "Item")
    let twin = before.first { $0.value[0] == "same" }
    let context = context(old, .objectWins)
    _ = try context.insert("Item", ["name": "same", "count": 70])
    try context.save()
    var wanted = before
    if let twin { wanted[twin.key] = ["same", 70, twin.value[2]] }
    let found = try rows(old, "Item")
    expect(found == wanted, "an older program writes over a duplicate as \(found), not \(wanted)")
  }
}

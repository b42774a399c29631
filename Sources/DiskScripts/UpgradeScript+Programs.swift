import Dispatch
import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization

/// Checks of upgrades while older programs run, of two upgrades at once, and of members' versions.
extension UpgradeScript {
  // MARK: Wider types

  /// Widens types of attributes in tombstones; an older program reads only the values that fit.
  func widen(_ path: String) throws(HistoryError) {
    func entity(_ types: [AttributeType], _ added: [Attribute]) -> Entity {
      let kept = zip(["count", "flag", "level"], types).map {
        Attribute($0, $1, preservesValueInHistoryOnDeletion: true)
      }
      let name = Attribute("name", .string, preservesValueInHistoryOnDeletion: true)
      return Entity("Item", [name] + kept + added)
    }
    let old = try open(path, try model(1, [entity([.int, .bool, .bool], [])]))
    let given: [String: Value] = ["name": "old", "count": 3, "flag": true, "level": true]
    let first = try insert([given, given], into: "Item", of: old)
    let extra = Attribute("extra", .int, preservesValueInHistoryOnDeletion: true, defaultValue: 9)
    let new = try open(path, try model(2, [entity([.double, .double, .int], [extra])]))
    let parts: [String: Value] = ["name": "new", "count": 2.5, "flag": 0.5, "level": 7]
    let whole: [String: Value] = ["name": "whole", "count": 4.0, "flag": 1.0, "level": 1]
    let second = try insert([parts, whole, parts], into: "Item", of: new)
    let deletes = [
      (new, first[0]), (new, second[0]), (new, second[1]), (old, first[1]), (old, second[2]),
    ]
    let token = try new.currentToken()
    for (program, key) in deletes { try delete(ObjectID(entity: 1, key: key), in: program) }
    let oldest: [String: Value] = ["name": "old", "count": 3.0, "flag": 1.0, "level": 1]
    let wanted = [oldest, parts, whole, oldest, parts].map { values in
      values.merging(["extra": 9]) { first, _ in first }
    }
    let found = try new.fetch(HistoryRequest(after: token)).changes.map { $0.tombstone ?? [:] }
    expect(
      found == wanted,
      "the program with wider types reads the tombstones \(found), not \(wanted)"
    )
    try readNarrow(old, after: token, wanted)
    try expectIntact(new, "a file with wider types")
  }

  /// Checks the tombstones that an older program with narrower types reads.
  ///
  /// A value with a fraction must be missing, because it fits neither an integer nor a Boolean.
  private func readNarrow(
    _ old: Store,
    after token: HistoryToken,
    _ wanted: [[String: Value]]
  ) throws(HistoryError) {
    let narrow = try old.fetch(HistoryRequest(after: token)).changes.map { $0.tombstone }
    expect(narrow.count == wanted.count, "an older program reads \(narrow.count) deletes")
    for (values, wide) in zip(narrow, wanted) {
      expect(
        values?["name"] == wide["name"],
        "an older program reads the wrong name: \(values ?? [:])"
      )
      let hasFraction = wide["count"] == 2.5
      let count: Value? = hasFraction ? .none : wide["count"] == 3.0 ? 3 : 4
      expect(values?["count"] == count, "an older program reads the wrong count: \(values ?? [:])")
      let flag: Value? = hasFraction ? .none : true
      expect(values?["flag"] == flag, "an older program reads the wrong flag: \(values ?? [:])")
      expect(values?["level"] == true, "an older program reads the wrong level: \(values ?? [:])")
    }
  }

  // MARK: Programs

  private static func stage(_ number: Int) -> [Entity] {
    var item = [Attribute("name", .string)]
    if number > 1 { item.insert(Attribute("rank", .int, defaultValue: 5), at: 0) }
    if number > 2 { item.append(Attribute("note", .string)) }
    return [Entity("Item", item, indexes: number > 1 ? [["rank"]] : [])]
  }

  private static func retyped(_ added: [Attribute]) -> [Entity] {
    [Entity("Item", [Attribute("name", .string), Attribute("rank", .string)] + added)]
  }

  /// Upgrades and migrates a store without history, and then turns history on with another upgrade.
  func upgradeUntracked(_ path: String) throws(HistoryError) {
    var untracked = configuration()
    untracked.tracksHistory = false
    let first = try model(1, Self.stage(1))
    let old = try Store(path: path, model: first, configuration: untracked)
    let names = (0..<(2 + seed.draw(3))).map { Value.string("n\($0)") }
    let keys = try insert(names.map { ["name": $0] }, into: "Item", of: old)
    let second = try model(2, Self.stage(2))
    let new = try Store(path: path, model: second, configuration: untracked)
    var wanted = Dictionary(uniqueKeysWithValues: zip(keys, names.map { [5, $0] }))
    expect(try rows(new, "Item") == wanted, "an upgrade without history gives other rows")
    let plain = Dictionary(uniqueKeysWithValues: zip(keys, names.map { [$0] }))
    expect(try rows(old, "Item") == plain, "an older program without history reads other rows")
    try set(["rank": 6], of: ObjectID(entity: 1, key: keys[0]), in: new)
    wanted[keys[0]]?[0] = 6
    let result = try Store.migrate(
      path: path,
      to: try model(3, Self.retyped([])),
      configuration: untracked,
      computing: [
        "Item": { item in try item.set(.string("\(item["rank"] ?? .null)"), for: "rank") }
      ]
    )
    let count = result?.objectCount ?? 0
    expect(count == keys.count, "a migration without history computes \(count) objects")
    let tracked = try open(path, try model(4, Self.retyped([Attribute("note", .string)])))
    let texts = wanted.mapValues { [$0[1], .string("\($0[0])"), .null] }
    expect(try rows(tracked, "Item") == texts, "a migration without history gives other rows")
    let versions = try tracked.fetch(HistoryRequest(after: nil)).transactions.map(\.modelVersion)
    expect(versions == [4], "after upgrades without history, history has the versions \(versions)")
    try expectIntact(tracked, "a file that is upgraded without history")
  }

  /// Upgrades a file in two programs, one after the other, and then in two programs at once.
  func upgradeTwice(_ path: String) throws(HistoryError) {
    var programs = [try open(path, try model(1, Self.stage(1)))]
    try insert([["name": "1"]], into: "Item", of: programs[0])
    programs.append(try open(path, try model(2, Self.stage(2))))
    try insert([["name": "2"]], into: "Item", of: programs[1])
    let newest = try model(3, Self.stage(3))
    programs += try openAtOnce(path, newest)
    expect(
      programs.count == 4,
      "\(4 - programs.count) of two programs cannot upgrade a file at once"
    )
    for (number, program) in programs.enumerated() {
      try insert([["name": .string("later \(number)")]], into: "Item", of: program)
    }
    for program in programs {
      let versions = try program.fetch(HistoryRequest(after: nil)).transactions
        .compactMap(\.modelVersion)
      expect(versions == [2, 3], "upgrades by several programs are in history as \(versions)")
      let names = try rows(program, "Item").sorted { $0.key < $1.key }.map { row in
        row.value[program.model.version == 1 ? 0 : 1]
      }
      let wanted = ["1", "2"] + programs.indices.map { Value.string("later \($0)") }
      expect(Set(names) == Set(wanted), "a program reads the names \(names)")
    }
    try expectIntact(programs[0], "a file that several programs upgrade")
  }

  /// Opens a file with a newer model in two threads at once, and returns the opened stores.
  ///
  /// Another connection holds the write lock for 5 ms, so that both threads wait for this lock.
  private func openAtOnce(_ path: String, _ newest: Model) throws(HistoryError) -> [Store] {
    let made = Mutex<[Store]>([])
    let group = DispatchGroup()
    do {
      let raw = try RawFile(path)
      try raw.run("BEGIN IMMEDIATE")
      let configuration = configuration()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          let opened = try? Store(path: path, model: newest, configuration: configuration)
          made.withLock { list in if let opened { list.append(opened) } }
        }
      }
      // Both programs read the older model, and wait for the lock.
      pause(milliseconds: 5)
      try raw.run("COMMIT")
    }
    group.wait()
    return made.withLock { $0 }
  }

  /// Changes the model in an open store's file, and then restores SQLite's schema version.
  ///
  /// The open store does not notice the change, as if its file were replaced. After the script has
  /// called `discardCache()`, the store's deletes must preserve only those values in history that
  /// the new model preserves.
  func replace(_ path: String) throws(HistoryError) {
    func entity(_ isPreserved: Bool) -> [Entity] {
      [
        Entity(
          "Item",
          [
            Attribute("name", .string, preservesValueInHistoryOnDeletion: isPreserved),
            Attribute("tag", .string, preservesValueInHistoryOnDeletion: true),
          ]
        )
      ]
    }
    // With the layout `coreData`, only a migration can start to preserve an attribute that precedes
    // another preserved attribute.
    let (first, second) = layout == .packed ? (false, true) : (true, false)
    let old = try open(path, try model(1, entity(first)))
    let keys = try insert([["name": "1"], ["name": "2"], ["name": "3"]], into: "Item", of: old)
    try delete(ObjectID(entity: 1, key: keys[0]), in: old)
    let version = try RawFile(path).number("PRAGMA schema_version") ?? 0
    let new = try open(path, try model(2, entity(second)))
    // SQLite itself does not notice a replaced file while the schema version is the same.
    try RawFile(path).run("PRAGMA schema_version = \(version)")
    try old.discardCache()
    for (program, key) in zip([old, new], keys.dropFirst()) {
      try delete(ObjectID(entity: 1, key: key), in: program)
    }
    let changes = try new.fetch(HistoryRequest(after: nil)).changes.filter { $0.type == .delete }
    let names = changes.map { $0.tombstone?["name"] ?? .null }
    let wanted: [Value] = first ? ["1", .null, .null] : [.null, "2", "3"]
    expect(
      names == wanted,
      "deletes before and after the replacement preserve \(names), not \(wanted)"
    )
  }

  // MARK: Members

  /// Checks the model versions that members declare, and those in the error of a refused migration.
  func declareVersions(_ path: String) throws(HistoryError) {
    func entities(_ names: [String]) -> [Entity] {
      [Entity("Item", names.map { Attribute($0, .string) })]
    }
    let first = try open(path, try model(1, entities(["a", "b"])))
    let second = try open(path, try model(2 + seed.draw(5), entities(["a", "b", "c"])))
    let version = second.model.version
    // The registrations keep the members' locks.
    let joined = [
      try first.join("first"), try second.join("second"),
      try second.join("reader", kind: .consumer),
    ]
    let declared = try second.members().map { "\($0.id) \($0.configuration.modelVersion ?? 0)" }
    let wanted = ["first 0", "reader \(version)", "second \(version)"]
    expect(declared == wanted, "members declare the model versions \(declared), not \(wanted)")
    let newer = try model(version + 1, entities(["a", "c"]))
    func migrate(_ own: Set<MemberID>) throws(HistoryError) -> MigrationResult? {
      try Store.migrate(path: path, to: newer, configuration: configuration(), members: own)
    }
    let error = expectError(
      .olderMembers,
      of: "a migration with older members",
      naming: ["first", "with version 1", "reader", "with version \(version)"]
    ) { () throws(HistoryError) in _ = try migrate(["second"]) }
    let older = (error?.olderMembers ?? []).map { "\($0.id) \($0.modelVersion)" }
    expect(older == ["first 1", "reader \(version)"], "the error names the older members \(older)")
    let result = try withExtendedLifetime(joined) { () throws(HistoryError) in
      try migrate(["first", "second", "reader"])
    }
    let versions = [result?.oldVersion, result?.newVersion]
    expect(versions == [version, version + 1], "a migration reports the versions \(versions)")
    expect(
      result?.differences == [.removedAttribute(entity: "Item", attribute: "b")]
        && result?.retiredMembers == [],
      "a migration reports \(result.map { "\($0)" } ?? "no result")"
    )
  }
}

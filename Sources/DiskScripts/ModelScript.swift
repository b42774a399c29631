import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of a file that programs with three model versions share, and that is then migrated.
struct ModelScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private var programs: [Store] = []
  /// The expected values of each object by key, in the order of ``ModelScriptVersions/fields``.
  private var objects: [Int64: [Value]] = [:]
  /// The position in history up to which all changes have been checked.
  private var token: HistoryToken?

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private var newest: Int { programs.map(\.model.version).max() ?? 1 }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let versions = ModelScriptVersions() else {
      return faults.append("the script's own models are refused")
    }
    encode(versions)
    let path = folder.file("models")
    try open(versions.all[0], path)
    for number in 0..<40 {
      // Newer programs start at these steps, while the older ones keep running.
      if number == 10 || number == 25 { try upgrade(to: versions.all[newest], versions, path) }
      try step(versions, path)
      for program in programs { try compare(program) }
    }
    try refuse(versions, path)
    try migrate(to: versions, path)
  }

  private mutating func open(_ model: Model, _ path: String) throws(HistoryError) {
    programs.append(try Store(path: path, model: model, configuration: configuration()))
  }

  /// Opens the file with the next version, which must add one transaction and change no object.
  private mutating func upgrade(
    to model: Model,
    _ versions: ModelScriptVersions,
    _ path: String
  ) throws(HistoryError) {
    let old = programs[0]
    let before = try old.currentToken()
    try open(model, path)
    let page = try programs[programs.count - 1].fetch(HistoryRequest(after: before))
    let made = page.transactions.map { $0.isModelMigration ? $0.modelVersion : nil }
    expect(
      made == [model.version],
      "the change to version \(model.version) is in history as \(made)"
    )
    expect(page.changes.isEmpty, "a change of the model changes objects")
    let skew = try old.modelSkew()
    expect(
      skew?.fileVersion == model.version,
      "a skew gives the file's version as \(skew?.fileVersion ?? 0)"
    )
    expect(
      skew?.programVersion == 1,
      "a skew gives the program's version as \(skew?.programVersion ?? 0)"
    )
    let differences = model.differences(from: versions.all[0])
    let found = Set(skew?.differences ?? [])
    expect(
      found == Set(differences),
      "the differences of the models are \(found), not \(differences)"
    )
    expect(
      differences.allSatisfy(\.isLightweight),
      "one of these differences is said to need a migration: \(differences)"
    )
    expect(
      "\(skew.map { "\($0)" } ?? "")".contains("\(model.version)"),
      "the description of a model skew does not name the file's version"
    )
    let newest = programs[programs.count - 1]
    expect(
      try newest.modelSkew() == nil,
      "a skew is reported for the program with the newest model"
    )
    try insertDefaults(newest)
    try noticeSkew(old, model.version)
    token = try old.currentToken()
  }

  /// Inserts a note without values: the stored values must be the defaults of the newest model.
  private func insertDefaults(_ program: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(program, author: "app", name: "view")
    let note = try context.insert("Note")
    try context.save()
    guard let entity = program.model.entities.first(where: { $0.name == "Note" }) else { return }
    let other = ObjectContext.retaining(program, author: nil, name: "other")
    let found = try other.object(note.id)
    for attribute in entity.attributes {
      let value = try found?[attribute.name]
      let isDefault = value == attribute.defaultValue
      expect(
        isDefault,
        "a new note has \(value ?? .null) as \(attribute.name), which is not the default"
      )
    }
  }

  /// Runs two passes of a tracker with the oldest model; only the first must report the newer
  /// model.
  private func noticeSkew(_ old: Store, _ version: Int) throws(HistoryError) {
    var configuration = TrackerConfiguration(currentAuthor: "old", strategy: .none)
    configuration.logger = MessageLog()
    let member = MemberID("old \(version)")
    let core = TrackerCore(member, store: old, contexts: [], configuration: configuration)
    try core.launched()
    expect(
      core.pass().modelSkew?.fileVersion == version,
      "the first pass does not report the newer model"
    )
    expect(core.pass().modelSkew == nil, "a second pass reports the newer model again")
    try core.retire()
    expect(try old.forget(member), "\(member) is not in the registry")
  }

  // MARK: Random writes

  private mutating func step(_ versions: ModelScriptVersions, _ path: String) throws(HistoryError) {
    let number = seed.draw(newest) + 1
    let some = programs.filter { $0.model.version == number }
    guard let program = some.isEmpty ? programs.first : seed.pick(some) else { return }
    switch seed.draw(12) {
    case 0 where programs.count < 6: try open(versions.all[seed.draw(newest)], path)
    case 0...4: try insert(program)
    case 5...9: try update(program)
    default: try delete(program)
    }
  }

  /// Returns random values for some of the attributes in a program's model, by field index.
  private func values(_ program: Store) -> [Int: Value] {
    var values: [Int: Value] = [:]
    for (index, field) in ModelScriptVersions.fields.enumerated()
    where field.names[program.model.version - 1] != nil && seed.draw(2) == 0 {
      values[index] = field.value(seed.draw(10), in: program.model.version)
    }
    return values
  }

  private func named(_ values: [Int: Value], _ version: Int) -> [String: Value] {
    var named: [String: Value] = [:]
    for (index, value) in values {
      if let name = ModelScriptVersions.fields[index].names[version - 1] { named[name] = value }
    }
    return named
  }

  private mutating func insert(_ program: Store) throws(HistoryError) {
    let values = values(program)
    let named = named(values, program.model.version)
    let key: Int64
    if seed.draw(2) == 0 {
      let context = ObjectContext.retaining(program, author: "app", name: "view")
      key = try context.insert("Item", named).id.key
      try context.save()
    } else {
      let author = BatchAuthor("app")
      let made = try program.batchInsert(into: "Item", [named], by: author, result: .objectIDs)
      key = made.objectIDs.first?.key ?? 0
    }
    objects[key] = ModelScriptVersions.fields.enumerated().map { index, field in
      field.stored(values[index] ?? field.initial)
    }
    try expectChange(.insert, key, columns: nil)
  }

  private mutating func update(_ program: Store) throws(HistoryError) {
    let values = values(program)
    guard let key = key(), !values.isEmpty else { return }
    let named = named(values, program.model.version)
    let entity = program.model.entities[0]
    if seed.draw(2) == 0 {
      var rest = [ObjectID(entity: program.model.number(of: "Item") ?? 1, key: key)][...]
      try program.batchUpdate("Item", setting: named.keys.sorted(), by: BatchAuthor("app")) { row in
        for (name, value) in named { entity.index(of: name).map { row.set(value, at: $0) } }
        return rest.popFirst()
      }
    } else {
      let context = ObjectContext.retaining(program, author: "app", name: "view")
      let id = ObjectID(entity: program.model.number(of: "Item") ?? 1, key: key)
      guard let object = try context.object(id) else {
        return faults.append("Item/\(key) is missing for version \(program.model.version)")
      }
      for name in named.keys.sorted() { try object.set(named[name] ?? .null, for: name) }
      guard try context.save() != nil else { return }
    }
    for (index, value) in values {
      objects[key]?[index] = ModelScriptVersions.fields[index].stored(value)
    }
    let columns = values.keys.compactMap { ModelScriptVersions.fields[$0].names[newest - 1] }
    try expectChange(.update, key, columns: columns)
  }

  private mutating func delete(_ program: Store) throws(HistoryError) {
    guard let key = key(), let old = objects.removeValue(forKey: key) else { return }
    var rest = [ObjectID(entity: program.model.number(of: "Item") ?? 1, key: key)][...]
    try program.batchDelete("Item", by: BatchAuthor("app")) { rest.popFirst() }
    let change = try expectChange(.delete, key, columns: nil)
    var kept: [String: Value] = [:]
    for (index, field) in ModelScriptVersions.fields.enumerated()
    where field.isPreserved && old[index] != .null {
      if let name = field.names[newest - 1] { kept[name] = old[index] }
    }
    expect(
      change?.tombstone ?? [:] == kept,
      "a tombstone has \(change?.tombstone ?? [:]), not \(kept)"
    )
  }

  private func key() -> Int64? {
    let keys = objects.keys.sorted()
    return keys.isEmpty ? nil : seed.pick(keys)
  }

  /// Checks that history contains exactly one change since the previous check, with this type and key.
  ///
  /// A program with the newest model version reads history for this check.
  @discardableResult
  private mutating func expectChange(
    _ type: ChangeType,
    _ key: Int64,
    columns: [String]?
  ) throws(HistoryError) -> HistoryChange? {
    guard let reader = programs.last(where: { $0.model.version == newest }) else { return nil }
    let page = try reader.fetch(HistoryRequest(after: token))
    token = page.transactions.last?.token ?? token
    expect(page.changes.count == 1, "history has \(page.changes.count) changes after one write")
    guard let change = page.changes.last else { return nil }
    expect(
      change.type == type && change.objectID.key == key,
      "history has \(change) after \(type) \(key)"
    )
    expect(
      change.entityName == "Item",
      "the change is of the entity \(change.entityName ?? "unknown"), not Item"
    )
    if let columns {
      let changed = change.updatedProperties.sorted()
      expect(
        Set(changed).isSubset(of: columns),
        "the changed columns \(changed) are not all reported: \(columns)"
      )
    }
    return change
  }

  /// Checks the objects that a program reads against the expected objects.
  private func compare(_ program: Store) throws(HistoryError) {
    let version = program.model.version
    let found = try ObjectContext.retaining(program, author: nil, name: "all").objects("Item")
    let keys = found.map(\.id.key).sorted()
    expect(keys == objects.keys.sorted(), "version \(version) reads the objects \(keys)")
    for object in found {
      for (index, field) in ModelScriptVersions.fields.enumerated() {
        guard let name = field.names[version - 1] else { continue }
        let wanted = field.read(objects[object.id.key]?[index] ?? .null, in: version)
        let value = try object[name]
        expect(
          value == wanted,
          "version \(version) reads \(name) of \(object.id.key) as \(value ?? .null), not \(wanted)"
        )
      }
    }
  }

  // MARK: Refusals and the migration

  /// Opens the file with models that the store must refuse.
  private func refuse(_ versions: ModelScriptVersions, _ path: String) throws(HistoryError) {
    let models: [(Model, HistoryError.Code)] = [
      (versions.other, .otherModel), (versions.migrated, .migrationNeeded),
    ]
    for (model, code) in models {
      expect(code, of: "to open the file with version \(model.version) and other attributes") {
        () throws(HistoryError) in
        _ = try Store(path: path, model: model, configuration: configuration())
      }
    }
  }

  /// Tries a migration three times.
  ///
  /// First a member with an older model prevents it, then its closure throws, and then it succeeds.
  private mutating func migrate(
    to versions: ModelScriptVersions,
    _ path: String
  ) throws(HistoryError) {
    let old = programs[0]
    let widget = try old.join("widget", author: "widget")
    func migrate(retiring: Bool, stopsAt: Int = .max) throws(HistoryError) -> MigrationResult? {
      try Store.migrate(
        path: path,
        to: versions.migrated,
        configuration: configuration(),
        retiresOlderMembers: retiring,
        computing: [
          "Item": { item in
            guard case .double(let count)? = item["count"] else { return }
            try item.set(.string("\(count)"), for: "count")
            try item.insert("Word", ["text": .string("\(item.id.key)")])
          }
        ],
        progress: { if $0.objectCount >= stopsAt { throw MigrationStop() } }
      )
    }
    let before = try old.currentToken()
    expect(.olderMembers, of: "a migration while an older member is registered") {
      () throws(HistoryError) in
      _ = try migrate(retiring: false)
    }
    if !objects.isEmpty {
      expect(.stopped, of: "a migration whose closure throws") { () throws(HistoryError) in
        _ = try migrate(retiring: true, stopsAt: 1)
      }
    }
    expect(try old.currentToken() == before, "a failed migration changes history")
    for program in programs { try compare(program) }
    let result = try migrate(retiring: true)
    expect(result?.retiredMembers.map(\.id) == ["widget"], "a migration retires the wrong members")
    expect(
      result?.objectCount == objects.count,
      "\(result?.objectCount ?? 0) objects are migrated, not \(objects.count)"
    )
    expect(try migrate(retiring: false) == nil, "the file is migrated twice")
    for program in programs {
      expect(.modelOutgrown, of: "a write of version \(program.model.version)") {
        () throws(HistoryError) in _ = try insert(into: program)
      }
    }
    expect(.modelOutgrown, of: "a fetch of a retired member") { () throws(HistoryError) in
      _ = try old.fetch(HistoryRequest(after: nil), by: widget)
    }
    expect(.newerModel, of: "to open a migrated file") { () throws(HistoryError) in
      _ = try Store(path: path, model: versions.all[2], configuration: configuration())
    }
    let new = try Store(path: path, model: versions.migrated, configuration: configuration())
    let context = ObjectContext.retaining(new, author: nil, name: "all")
    let counted = objects.filter { $0.value[ModelScriptVersions.count] != .null }
    for object in try context.objects("Item") {
      var wanted = Value.null
      if case .double(let count)? = counted[object.id.key]?[ModelScriptVersions.count] {
        wanted = .string("\(count)")
      }
      expect(try object["count"] == wanted, "the count of \(object.id.key) is not \(wanted)")
    }
    var words: [String] = []
    for word in try context.objects("Word") {
      if let text = try word["text"] { words.append(text.description) }
    }
    expect(
      words.count == counted.count,
      "a migration has inserted \(words.count) words, not \(counted.count)"
    )
    expect(try new.verify().filter(\.isWrong).isEmpty, "a migrated file is not intact")
    let (page, since) = (try new.fetch(HistoryRequest(after: before)), counted.count)
    expect(
      page.transactions.allSatisfy(\.isModelMigration),
      "a transaction of a migration is not marked as such"
    )
    expect(
      page.changes.count == 2 * since,
      "a migration of \(since) counts has \(page.changes.count) changes, not \(2 * since)"
    )
    programs.removeAll()
  }

  /// Encodes and decodes the models; then creates invalid models, and checks each error.
  private func encode(_ versions: ModelScriptVersions) {
    for model in versions.all + [versions.other, versions.migrated, store.model] {
      let bytes = try? JSONEncoder().encode(model)
      let same = bytes.flatMap { try? JSONDecoder().decode(Model.self, from: $0) }
      expect(same == model, "version \(model.version) is decoded as another model")
    }
    for (error, entities, version) in ModelScriptVersions.refused {
      do {
        _ = try Model(entities, version: version)
        faults.append("a model is accepted that must be refused with: \(error)")
      } catch let found {
        expect("\(found)" == "\(error)", "a model is refused with the wrong error: \(found)")
      }
    }
  }
}

/// The error with which a closure stops a migration.
private struct MigrationStop: Error {}

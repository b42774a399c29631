import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A save whose conflicts a closure resolves` {
  let folder: TemporaryFolder
  let theirs: ObjectContext
  let mine: ObjectContext
  /// Two objects that both contexts have read: `a 1 old` and `b 2 old`.
  let first: ObjectID
  let second: ObjectID

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path("store")
    let tag = Entity(
      "Tag",
      [Attribute("name", .string), Attribute("count", .int), Attribute("note", .string)],
      uniquenessConstraints: [["name"]]
    )
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let contexts = try ["widget", "app"].map { author in
      ObjectContext(
        store: try Store(
          path: path,
          model: Model([tag]),
          configuration: configuration
        ),
        author: author
      )
    }
    (theirs, mine) = (contexts[0], contexts[1])
    first = try theirs.insert("Tag", ["name": "a", "count": 1, "note": "old"]).id
    second = try theirs.insert("Tag", ["name": "b", "count": 2, "note": "old"]).id
    try theirs.save()
    try mine.loadAll()
  }

  /// Changes an object in the other context, and saves it.
  private func change(_ id: ObjectID, _ attribute: String, to value: Value) throws {
    try #require(try theirs.object(id)).set(value, for: attribute)
    try theirs.save()
  }

  /// All objects as text, in key order; the context that saved shows the same.
  private func stored() throws -> [String] {
    let contexts = [ObjectContext(store: theirs.store), mine]
    let texts = try contexts.map { context in
      try context.objects("Tag").map { tag in
        try ["name", "count", "note"].map { "\(try tag[$0] ?? .null)" }.joined(separator: " ")
      }
    }
    #expect(texts[0] == texts[1])
    return texts[0]
  }

  private func lastChanges() throws -> [String] {
    try #require(try theirs.store.history().last).changes.map {
      "\($0.type) \($0.objectID.key) \($0.updatedProperties)"
    }
  }

  @Test func `The closure merges the values of a changed object`() throws {
    try change(first, "count", to: 11)
    let tag = try #require(try mine.object(first))
    try tag.set(4, for: "count")
    try tag.set("mine", for: "note")
    try mine.insert("Tag", ["name": "c"])
    var conflicts: [SaveConflict] = []
    try mine.save { conflict in
      conflicts.append(conflict)
      guard case .int(let mine) = conflict.edited?["count"],
        case .int(let read) = conflict.original?["count"],
        case .int(let theirs) = conflict.stored["count"]
      else { return .keepStored }
      return .write(["count": .int(theirs + mine - read)])
    }
    let conflict = try #require(conflicts.first)
    #expect(conflicts.count == 1 && conflict.id == first && conflict.entity == "Tag")
    #expect(conflict.duplicate == nil && conflict.uniqueAttributes.isEmpty)
    #expect(conflict.setAttributes == ["count", "note"])
    #expect(conflict.edited == ["name": "a", "count": 4, "note": "mine"])
    #expect(conflict.stored == ["name": "a", "count": 11, "note": "old"])
    #expect(try stored() == [#""a" 14 "old""#, #""b" 2 "old""#, #""c" null null"#])
    #expect(try lastChanges().contains(#"update 1 ["count"]"#) && lastChanges().count == 2)
    try tag.set(15, for: "count")
    try mine.save { _ in
      Issue.record("The row has not changed since the save.")
      return .keepStored
    }
    #expect(try stored().first == #""a" 15 "old""#)
  }

  @Test func `A closure that uses its own context ends the program and says why`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let fixture = try Self()
      try fixture.change(fixture.first, "count", to: 7)
      try #require(try fixture.mine.object(fixture.first)).set(4, for: "count")
      try fixture.mine.save { _ in
        _ = fixture.mine.hasChanges
        return .keepStored
      }
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains("A closure that a context calls uses the same context."))
  }

  @Test(
    arguments: [
      (.keepStored, #""a" 7 "old""#, nil), (.write([:]), #""a" 7 "old""#, nil),
      (.keepEdited, #""a" 7 "mine""#, #"update 1 ["note"]"#),
      (.write(["name": "z", "count": 9]), #""z" 9 "old""#, #"update 1 ["name", "count"]"#),
    ] as [(ConflictResolution, String, String?)]
  )
  func `A changed object has the values of the resolution`(
    _ resolution: ConflictResolution,
    _ row: String,
    _ written: String?
  ) throws {
    try change(first, "count", to: 7)
    try #require(try mine.object(first)).set("mine", for: "note")
    let transaction = try mine.save { _ in resolution }
    #expect(try stored().first == row)
    #expect(try transaction == nil ? written == nil : lastChanges() == [written])
    #expect(!mine.hasChanges)
  }

  @Test(
    arguments: [
      (.keepStored, #""a" 7 "old""#, nil), (.write([:]), #""a" 7 "old""#, nil),
      (.keepEdited, #""b" 2 "old""#, "delete 1 []"),
      (.write(["note": "kept"]), #""a" 7 "kept""#, #"update 1 ["note"]"#),
    ] as [(ConflictResolution, String, String?)]
  )
  func `A delete of a changed object follows the resolution`(
    _ resolution: ConflictResolution,
    _ row: String,
    _ written: String?
  ) throws {
    try change(first, "count", to: 7)
    mine.delete(first)
    let transaction = try mine.save { conflict in
      #expect(conflict.edited == nil && conflict.original?["count"] == 1)
      #expect(conflict.stored["count"] == 7 && conflict.setAttributes.isEmpty)
      return resolution
    }
    #expect(try stored().first == row)
    #expect(try transaction == nil ? written == nil : lastChanges() == [written])
    #expect(!mine.hasChanges)
  }

  @Test func `An object that another writer deleted stays deleted, without a call`() throws {
    theirs.delete(first)
    try theirs.save()
    try #require(try mine.object(first)).set("mine", for: "note")
    let transaction = try mine.save { _ in
      Issue.record("There is no row to compare with.")
      return .keepEdited
    }
    #expect(try transaction == nil && stored() == [#""b" 2 "old""#])
  }

  @Test(
    arguments: [
      (.keepStored, #""a" 1 "old""#, nil), (.write([:]), #""a" 1 "old""#, nil),
      (.keepEdited, #""a" 1 "mine""#, #"update 1 ["name", "note"]"#),
      (.write(["count": 5]), #""a" 5 "old""#, #"update 1 ["count"]"#),
    ] as [(ConflictResolution, String, String?)]
  )
  func `The duplicate of an inserted object gets the values of the resolution and stays`(
    _ resolution: ConflictResolution,
    _ row: String,
    _ written: String?
  ) throws {
    let tag = try mine.insert("Tag", ["name": "a", "note": "mine"])
    let transaction = try mine.save { conflict in
      #expect(conflict.id == tag.id && conflict.duplicate == first)
      #expect(conflict.uniqueAttributes == ["name"] && conflict.original == nil)
      #expect(conflict.edited == ["name": "a", "count": nil, "note": "mine"])
      #expect(conflict.stored == ["name": "a", "count": 1, "note": "old"])
      return resolution
    }
    #expect(try stored() == [row, #""b" 2 "old""#] && tag["name"] == "a")
    #expect(try transaction == nil ? written == nil : lastChanges() == [written])
  }

  @Test(
    arguments: [
      (.keepStored, [#""a" 1 "old""#, #""b" 2 "mine""#], [#"update 2 ["note"]"#]),
      (.write([:]), [#""a" 1 "old""#, #""b" 2 "old""#], []),
      (.keepEdited, [#""a" 2 "mine""#], ["delete 1 []", #"update 2 ["name", "note"]"#]),
      (.write(["name": "a"]), [#""a" 2 "old""#], ["delete 1 []", #"update 2 ["name"]"#]),
      (.write(["name": "a2"]), [#""a" 1 "old""#, #""a2" 2 "old""#], [#"update 2 ["name"]"#]),
    ] as [(ConflictResolution, [String], [String])]
  )
  func `The duplicate of an updated object is deleted unless the resolution avoids it`(
    _ resolution: ConflictResolution,
    _ rows: [String],
    _ written: [String]
  ) throws {
    let tag = try #require(try mine.object(second))
    try tag.set("a", for: "name")
    try tag.set("mine", for: "note")
    let transaction = try mine.save { conflict in
      #expect(conflict.id == second && conflict.duplicate == first)
      #expect(conflict.original?["name"] == "b" && conflict.stored["count"] == 1)
      return resolution
    }
    #expect(try stored() == rows && !mine.hasChanges)
    #expect(try transaction == nil ? written.isEmpty : lastChanges().sorted() == written)
  }

  @Test func `A changed object that is also a duplicate is resolved in two calls`() throws {
    try change(second, "count", to: 20)
    let tag = try #require(try mine.object(second))
    try tag.set("a", for: "name")
    try tag.set("mine", for: "note")
    var calls: [ObjectID?] = []
    try mine.save { conflict in
      calls.append(conflict.duplicate)
      return conflict.duplicate == nil ? .keepEdited : .write(["name": "c", "note": "both"])
    }
    #expect(calls == [nil, first])
    #expect(try stored() == [#""a" 1 "old""#, #""c" 20 "both""#])
    #expect(try lastChanges() == [#"update 2 ["name", "note"]"#])
  }

  @Test func `An error of the closure and impossible values undo the save`() throws {
    struct Undecided: Error {}
    try change(first, "count", to: 7)
    try #require(try mine.object(first)).set("mine", for: "note")
    try mine.insert("Tag", ["name": "c"])
    let before = try theirs.store.history().count
    var error = #expect(throws: HistoryError.self) { try mine.save { _ in throw Undecided() } }
    #expect(error?.code == .stopped)
    error = #expect(throws: HistoryError.self) {
      try mine.save { _ in throw HistoryError.conflict([first]) }
    }
    #expect(error?.code == .conflict)
    error = #expect(throws: HistoryError.self) { try mine.save { _ in .write(["nmae": "x"]) } }
    #expect(error?.code == .unknownAttribute)
    error = #expect(throws: HistoryError.self) { try mine.save { _ in .write(["count": "x"]) } }
    #expect(error?.code == .unfitValue)
    error = #expect(throws: HistoryError.self) { try mine.save { _ in .write(["name": "c"]) } }
    #expect(error?.code == .duplicate)
    mine.delete(first)
    error = #expect(throws: HistoryError.self) { try mine.save { _ in .write(["name": "b"]) } }
    #expect(error?.code == .duplicate)
    #expect(try mine.hasChanges && theirs.store.history().count == before)
  }

  @Test func `A resolution cannot replace an object that the same save edits`() throws {
    try #require(try mine.object(first)).set("mine", for: "note")
    try mine.insert("Tag", ["name": "a"])
    #expect(throws: HistoryError.self) { try mine.save { _ in .keepEdited } }
    mine.rollback()
    try change(first, "name", to: "z")
    try #require(try mine.object(second)).set("z", for: "name")
    try mine.insert("Tag", ["name": "c"])
    let error = #expect(throws: HistoryError.self) { try mine.save { _ in .write(["name": "c"]) } }
    #expect(error?.code == .duplicate)
  }
}

import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A save that meets a duplicate` {
  let folder: TemporaryFolder
  let other: ObjectContext
  /// An object of the store with the name `a`, the place 1 and the note `old`.
  let first: ObjectID

  init() throws {
    folder = try TemporaryFolder()
    other = ObjectContext(store: try Self.open(folder), author: "widget", name: "view")
    let object = try other.insert("Tag", ["name": "a", "place": 1, "note": "old"])
    try other.save()
    first = object.id
  }

  /// Names are unique, and so are places of one list.
  private static func open(_ folder: borrowing TemporaryFolder) throws -> Store {
    let tag = Entity(
      "Tag",
      [
        Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("list", .int, defaultValue: 1), Attribute("place", .int),
        Attribute("note", .string),
      ],
      uniquenessConstraints: [["name"], ["list", "place"]]
    )
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    return try Store(
      path: folder.path("store"),
      model: Model([tag]),
      configuration: configuration
    )
  }

  private func context(_ policy: MergePolicy) throws -> ObjectContext {
    ObjectContext(
      store: try Self.open(folder),
      author: "app",
      name: "view",
      mergePolicy: policy,
      retainsRegisteredObjects: true
    )
  }

  /// All objects of the store as text, in key order.
  private func stored() throws -> [String] {
    try ObjectContext(store: other.store).objects("Tag").map { tag in
      try ["name", "place", "note"].map { "\(try tag[$0] ?? .null)" }.joined(separator: " ")
    }
  }

  /// The changes of the newest transaction.
  private func lastChanges() throws -> [String] {
    try #require(try other.store.history().last).changes.map {
      "\($0.type) \($0.objectID.key) \($0.updatedProperties)"
    }
  }

  @Test func `The policy error names both objects, keeps the edits and writes no row`() throws {
    let mine = try context(.error)
    try mine.insert("Tag", ["name": "b"])
    let tag = try mine.insert("Tag", ["name": "a"])
    let expected = HistoryError.duplicate([tag.id, first], entity: "Tag", attributes: ["name"])
    let error = #expect(throws: expected) { try mine.save() }
    #expect(error?.code == .duplicate && error?.objects == [tag.id, first])
    #expect(
      error?.description
        == "Tag/\(tag.id.key) and Tag/1 would have the same name, which must be unique; "
        + "nothing was written. Change or delete one of the objects with "
        + "equal values, or choose a merge policy."
    )
    #expect(try mine.hasChanges && stored() == [#""a" 1 "old""#])
    try tag.set("c", for: "name")
    #expect(try mine.save()?.count == 2)
  }

  @Test func `A constraint over two attributes compares both, and leaves out null`() throws {
    let mine = try context(.error)
    try mine.insert("Tag", ["name": "b", "list": 2, "place": 1])
    for _ in 0..<2 { try mine.insert("Tag", ["place": nil]) }
    try mine.save()
    let tag = try mine.insert("Tag", ["name": "c", "place": 1])
    let error = HistoryError.duplicate(
      [tag.id, first],
      entity: "Tag",
      attributes: ["list", "place"]
    )
    #expect(throws: error) { try mine.save() }
  }

  @Test(arguments: [MergePolicy.storeWins, .rollback])
  func `Where the store wins, its object replaces the inserted one`(_ policy: MergePolicy) throws {
    let mine = try context(policy)
    let tag = try mine.insert("Tag", ["name": "a", "note": "new"])
    #expect(try mine.save() == nil)
    #expect(try stored() == [#""a" 1 "old""#])
    #expect(try !mine.hasChanges && tag["note"] == "old")
    #expect(try mine.registeredObjects("Tag").map(\.id) == [first])
    try mine.insert("Tag", ["name": "a"])
    try mine.insert("Tag", ["name": "b"])
    #expect(try mine.save()?.count == 1)
    #expect(try stored().count == 2)
  }

  @Test func `Where the object wins, the store's object gets the values that were set`() throws {
    let mine = try context(.objectWins)
    let tag = try mine.insert("Tag", ["name": "a", "note": "new"])
    let (transaction, edits) = try mine.saveReporting()
    #expect(edits.map(\.outcome) == [.replaced(by: first)] && transaction?.count == 1)
    #expect(try stored() == [#""a" 1 "new""#])
    #expect(try lastChanges() == [#"update 1 ["name", "note"]"#])
    #expect(try tag["place"] == 1 && mine.object(first)?["place"] == 1)
    let whole = try context(.overwrite)
    try whole.insert("Tag", ["name": "a"])
    try whole.save()
    #expect(try stored() == [#""a" null null"#])
  }

  @Test func `A handle of an inserted object reads and edits the object that replaced it`() throws {
    let mine = try context(.objectWins)
    let tag = try mine.insert("Tag", ["name": "a"])
    try mine.save()
    #expect(try tag["note"] == "old" && mine.object(tag.id)?.id == first && tag.id != first)
    mine.releaseAll()
    #expect(try tag["note"] == "old")
    try tag.set("new", for: "note")
    try mine.save()
    #expect(try stored() == [#""a" 1 "new""#])
    #expect(try lastChanges() == [#"update 1 ["note"]"#])
    try other.refresh(first)
    try #require(try other.object(first)).set("theirs", for: "note")
    try other.save()
    try mine.refresh(tag.id)
    #expect(try tag["note"] == "theirs")
    #expect(mine.release(tag.id) && !mine.release(tag.id))
    tag.delete()
    #expect(try tag["name"] == nil && mine.save()?.count == 1)
    #expect(try stored().isEmpty && mine.object(tag.id) == nil)
    #expect(throws: HistoryError.unknownObject(first)) { try tag.set("x", for: "note") }
  }

  @Test func `A handle of a replaced object is referred to and linked like the store's object`()
    throws
  {
    let model = try Model([
      Entity("Tag", [Attribute("name", .string)], uniquenessConstraints: [["name"]]),
      Entity(
        "Task",
        [Attribute("tag", to: "Tag", orderedBy: "place"), Attribute("place", .double)]
      ),
      Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag")),
    ])
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let store = try Store(
      path: folder.path("linked"),
      model: model,
      configuration: configuration
    )
    let contexts = (0..<2).map { _ in ObjectContext(store: store, mergePolicy: .storeWins) }
    let tags = try contexts.map { try $0.insert("Tag", ["name": "a"]) }
    for context in contexts { try context.save() }
    let (context, tag) = (contexts[1], tags[1])
    let task = try context.insert("Task")
    try task.setDestination(tag, of: "tag")
    try task.link(to: tag, by: "Tagging")
    try tag.append(try context.insert("Task"), referringBy: "tag")
    try context.save()
    #expect(try task.destination(of: "tag")?.id == tags[0].id)
    #expect(try tag.objects("Task", referringBy: "tag").count == 2)
    #expect(try tag.objects(linkedBy: "Tagging") == [task])
    try tag.link(to: task, by: "Tagging")
    try task.setObjects([tag], linkedBy: "Tagging")
    try tag.setObjects([task], linkedBy: "Tagging")
    #expect(!context.hasChanges)
    try tag.unlink(from: task, by: "Tagging")
    #expect(try context.save()?.count == 1)
    context.reset()
    #expect(try tag["name"] == nil && context.object(tag.id) == nil)
  }

  @Test func `An inserted object that wins over several replaces one and deletes the rest`() throws
  {
    try other.insert("Tag", ["name": "b", "place": 2])
    try other.save()
    let mine = try context(.objectWins)
    _ = try mine.objects("Tag")
    try mine.insert("Tag", ["name": "a", "place": 2])
    try mine.save()
    #expect(try stored() == [#""a" 2 "old""#])
    #expect(try lastChanges().sorted() == ["delete 2 []", #"update 1 ["name", "place"]"#])
    #expect(try mine.registeredObjects("Tag").map(\.id) == [first])
    let tombstone = try other.store.history().last?.changes.compactMap(\.tombstone).first
    #expect(tombstone?["name"] == "b")
  }

  @Test func `An update that meets a duplicate ends by the merge policy`() throws {
    let second = try other.insert("Tag", ["name": "b", "place": 2]).id
    try other.save()
    for policy in [MergePolicy.error, .rollback, .storeWins] {
      let mine = try context(policy)
      let tag = try #require(try mine.object(second))
      try tag.set("a", for: "name")
      try tag.set(.string("\(policy)"), for: "note")
      if policy == .error {
        let error = HistoryError.duplicate([second, first], entity: "Tag", attributes: ["name"])
        #expect(throws: error) { try mine.save() }
      } else {
        try mine.save()
        #expect(try tag["name"] == "b" && !mine.hasChanges)
      }
    }
    #expect(try stored() == [#""a" 1 "old""#, #""b" 2 "storeWins""#])
    #expect(try lastChanges() == [#"update 2 ["note"]"#])
    let mine = try context(.objectWins)
    _ = try mine.objects("Tag")
    try mine.object(second)?.set("a", for: "name")
    try mine.save()
    #expect(try stored() == [#""a" 2 "storeWins""#])
    #expect(try lastChanges().sorted() == ["delete 1 []", #"update 2 ["name"]"#])
    #expect(try mine.object(first) == nil && mine.registeredObjects("Tag").map(\.id) == [second])
  }

  @Test func `A deleted or renamed object of the same save is no duplicate`() throws {
    let mine = try context(.error)
    let tag = try #require(try mine.object(first))
    let new = try mine.insert("Tag", ["name": "a", "place": 1])
    tag.delete()
    try mine.save()
    #expect(try stored() == [#""a" 1 null"#])
    let newer = try mine.insert("Tag", ["name": "a"])
    try new.set("z", for: "name")
    try mine.save()
    #expect(try stored() == [#""z" 1 null"#, #""a" null null"#] && newer["name"] == "a")
  }

  @Test(arguments: MergePolicy.allCases)
  func `Two edited objects that are duplicates are an error`(_ policy: MergePolicy) throws {
    let mine = try context(policy)
    let tags = try (0..<2).map { _ in try mine.insert("Tag", ["name": "x"]) }
    let error = HistoryError.duplicate(
      [tags[1].id, tags[0].id],
      entity: "Tag",
      attributes: ["name"]
    )
    #expect(throws: error) { try mine.save() }
    #expect(try stored().count == 1)
    mine.rollback()
    guard policy == .objectWins || policy == .overwrite else { return }
    for _ in 0..<2 { try mine.insert("Tag", ["name": "a"]) }
    #expect(throws: HistoryError.self) { try mine.save() }
    #expect(try stored() == [#""a" 1 "old""#])
  }

  @Test func `Two processes that insert the same name converge on one object`() throws {
    let contexts = try (0..<2).map { _ in try context(.objectWins) }
    for (place, context) in contexts.enumerated() {
      try context.loadAll()
      try context.insert("Tag", ["name": "new", "note": .string("\(place)")])
    }
    for context in contexts { try context.save() }
    for context in contexts { try context.merge(try other.store.history()) }
    for context in contexts {
      let tags = try context.objects("Tag", where: .compare("name", .equal, "new"))
      #expect(try tags.count == 1 && tags[0]["note"] == "1")
      #expect(try context.registeredObjects("Tag").count == 2)
    }
  }
}

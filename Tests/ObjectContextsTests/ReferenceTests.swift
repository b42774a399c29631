import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `References between objects` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let entities = [
    Entity("List", [Attribute("name", .string, preservesValueInHistoryOnDeletion: true)]),
    Entity(
      "Item",
      [
        Attribute("title", .string), Attribute("list", to: "List"),
        Attribute("parent", to: "Item", deleteRule: .cascade),
      ]
    ),
    Entity(
      "Note",
      [
        Attribute("text", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("item", to: "Item", deleteRule: .cascade),
      ]
    ), Entity("Share", [Attribute("list", to: "List", deleteRule: .deny)]),
  ]

  private func context(
    _ author: String = "app",
    _ policy: MergePolicy = .error,
    newer: [Entity] = []
  ) throws -> ObjectContext {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let model = try Model(Self.entities + newer, version: 1 + newer.count)
    let store = try Store(
      path: folder.path("test.store"),
      model: model,
      configuration: configuration
    )
    return ObjectContext(store: store, author: author, name: "view", mergePolicy: policy)
  }

  /// A list with two items, of which the second is below the first, each with a note.
  private func family(
    _ context: ObjectContext
  ) throws -> (list: StoredObject, items: [StoredObject], notes: [StoredObject]) {
    let list = try context.insert("List", ["name": "home"])
    var (items, notes): ([StoredObject], [StoredObject]) = ([], [])
    for title in ["a", "b"] {
      let item = try context.insert("Item", ["title": .string(title)])
      try item.setDestination(list, of: "list")
      try item.setDestination(items.last, of: "parent")
      items.append(item)
      let note = try context.insert("Note", ["text": .string("on \(title)")])
      try note.setDestination(item, of: "item")
      notes.append(note)
    }
    try context.save()
    return (list, items, notes)
  }

  @Test func `A reference leads to its object, and back to the objects that refer to it`() throws {
    let app = try context()
    let (list, items, _) = try family(app)
    #expect(try items[0].destination(of: "list") == list)
    #expect(try items[0].destination(of: "parent") == nil)
    #expect(try items[1].destination(of: "parent") == items[0])
    #expect(try list.objects("Item", referringBy: "list") == items)
    let orders = [ObjectOrder("title", isAscending: false)]
    #expect(
      try list.objects("Item", referringBy: "list", sortedBy: orders) == items.reversed()
    )
    try items[0].setDestination(nil, of: "list")
    #expect(try list.objects("Item", referringBy: "list") == [items[1]])
    let other = try context("widget")
    let seen = try #require(try other.object(items[1].id))
    #expect(try seen.destination(of: "list")?["name"] == "home")
  }

  @Test func `Deleting an object makes references to it null, in the same transaction`() throws {
    let app = try context()
    let (list, items, _) = try family(app)
    list.delete()
    let saved = try #require(try app.save())
    #expect(saved.count == 3)
    #expect(try newest(app) == ["delete List/1", "update Item/1 list", "update Item/2 list"])
    #expect(try items.map { try $0["list"] } == [.null, .null])
    #expect(try items.map { try $0["title"] } == ["a", "b"])
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `A cascade deletes the objects below with their tombstones`() throws {
    let app = try context()
    let (list, items, notes) = try family(app)
    items[0].delete()
    try app.save()
    #expect(
      try newest(app) == ["delete Item/1", "delete Item/2", "delete Note/1", "delete Note/2"]
    )
    let changes = try #require(try app.store.history().last).changes
    #expect(changes.compactMap { $0.tombstone?["text"] } == ["on a", "on b"])
    for object in items + notes { #expect(try app.object(object.id) == nil) }
    #expect(try items[1]["title"] == nil && notes[1]["text"] == nil)
    #expect(try list.objects("Item", referringBy: "list").isEmpty)
  }

  @Test func `A reference that the same save changes has no delete rule`() throws {
    let app = try context()
    let (list, items, notes) = try family(app)
    let share = try app.insert("Share")
    try share.setDestination(list, of: "list")
    let other = try app.insert("List", ["name": "work"])
    try app.save()
    try items[1].setDestination(nil, of: "parent")
    items[0].delete()
    try share.setDestination(other, of: "list")
    list.delete()
    try app.save()
    #expect(
      try newest(app).sorted() == [
        "delete Item/1", "delete List/1", "delete Note/1", "update Item/2 list,parent",
        "update Share/1 list",
      ]
    )
    #expect(try items[1]["title"] == "b" && notes[1].destination(of: "item") == items[1])
    #expect(try share.destination(of: "list") == other && items[1]["list"] == .null)
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
    // Setting the reference to the deleted object again changes nothing.
    let third = try app.insert("Item", ["title": "c"])
    try third.setDestination(items[1], of: "parent")
    try app.save()
    try third.setDestination(items[1], of: "parent")
    items[1].delete()
    try app.save()
    #expect(try newest(app).contains("delete Item/3"))
  }

  @Test func `A save can be refused if others refer to a deleted object, whatever the rule is`()
    throws
  {
    let app = try context()
    let (_, items, notes) = try family(app)
    items[0].delete()
    let error = #expect(throws: HistoryError.self) { try app.saveDenyingReferences() }
    #expect(error?.code == .deleteDenied)
    #expect(Set(error?.objects ?? []) == [notes[0].id, items[1].id])
    notes[0].delete()
    try items[1].setDestination(nil, of: "parent")
    try app.saveDenyingReferences()
    #expect(try newest(app) == ["delete Item/1", "delete Note/1", "update Item/2 parent"])
  }

  @Test func `An older program applies the delete rules of newer ones' entities`() throws {
    let app = try context()
    let (list, items, _) = try family(app)
    let entities = ["Comment", "Flag"].map { name in
      Entity(name, [Attribute("list", to: "List", deleteRule: .cascade)])
    }
    for (place, entity) in entities.enumerated() {
      let newer = try context("widget", newer: Array(entities[...place]))
      let object = try newer.insert(entity.name)
      try object.setDestination(newer.object(list.id), of: "list")
      try newer.save()
      // The older program notices each newer model when it writes.
      try items[0].set(.string("seen \(place)"), for: "title")
      try app.save()
    }
    list.delete()
    try app.save()
    #expect(try items[0]["list"] == .null && app.registeredObjects("List").isEmpty)
    let reader = try context("other", newer: entities)
    #expect(
      try newest(reader).sorted() == [
        "delete Comment/1", "delete Flag/1", "delete List/1", "update Item/1 list",
        "update Item/2 list",
      ]
    )
    #expect(try reader.count("Comment") + reader.count("Flag") == 0)
  }

  @Test func `A closure that writes all values writes no reference to a deleted object`() throws {
    let app = try context()
    let (list, items, _) = try family(app)
    let mine = try context("widget")
    try mine.loadAll()
    let other = try app.insert("List", ["name": "work"])
    try items[1].setDestination(other, of: "list")
    try app.save()
    try #require(try mine.object(items[1].id)).set("new", for: "title")
    try #require(try mine.object(list.id)).delete()
    try mine.save { conflict in
      #expect(conflict.edited?["list"] == Value.null && conflict.setAttributes == ["title"])
      return conflict.edited.map { .write($0) } ?? .keepStored
    }
    let stored = try #require(try context().object(items[1].id))
    #expect(try stored["title"] == "new" && stored["list"] == .null)
  }

  @Test func `A reference that the merge policy keeps has its delete rule`() throws {
    let app = try context()
    let (_, items, _) = try family(app)
    let mine = try context("widget", .storeWins)
    try mine.loadAll()
    let third = try app.insert("Item", ["title": "c"])
    try items[1].setDestination(third, of: "parent")
    try app.save()
    try #require(try mine.object(items[1].id)).setDestination(nil, of: "parent")
    try #require(try mine.object(third.id)).delete()
    try mine.save()
    #expect(try newest(app) == ["delete Item/3", "delete Item/2", "delete Note/2"])
    #expect(try mine.object(items[1].id) == nil && mine.object(items[0].id) != nil)
    #expect(try mine.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `Objects that refer to each other in a circle are deleted once`() throws {
    let app = try context()
    let (_, items, _) = try family(app)
    try items[0].setDestination(items[1], of: "parent")
    try app.save()
    items[1].delete()
    try app.save()
    #expect(try newest(app).filter { $0.contains("Item") } == ["delete Item/2", "delete Item/1"])
  }

  @Test func `A delete that is denied names the objects, and changes nothing`() throws {
    let app = try context()
    let (list, items, _) = try family(app)
    let share = try app.insert("Share")
    try share.setDestination(list, of: "list")
    try app.save()
    list.delete()
    let error = #expect(throws: HistoryError.self) { try app.save() }
    #expect(error?.code == .deleteDenied && error?.objects == [share.id])
    #expect(
      error?.description
        == "The object e1/p1 cannot be deleted: 1 object refers to it with the delete rule \"deny\" "
        + "(e4/p1). Delete these objects as well, or set their references to other objects."
    )
    #expect(try app.store.history().count == 2)
    app.rollback()
    #expect(try items[0].destination(of: "list") == list)
    // With the object that denies it, it can be deleted.
    list.delete()
    share.delete()
    try app.save()
    #expect(try newest(app).prefix(2) == ["delete List/1", "delete Share/1"])
  }

  @Test func `The error about missing objects names an object once, whatever it refers to`() throws
  {
    let (app, widget) = (try context(), try context("widget"))
    let (list, items, _) = try family(app)
    let (gone, parent) = (Value(referringTo: list.id), Value(referringTo: items[0].id))
    let other = try widget.insert("Item", ["list": gone, "parent": parent])
    list.delete()
    items[0].delete()
    try app.save()
    let error = #expect(throws: HistoryError.self) { try widget.save() }
    #expect(error?.code == .danglingReference && error?.objects == [other.id])
  }

  @Test func `A reference to an object that another process has deleted is not saved`() throws {
    let (app, widget) = (try context(), try context("widget"))
    let (list, items, _) = try family(app)
    let other = try widget.insert("Item", ["list": Value(referringTo: list.id)])
    list.delete()
    try app.save()
    let error = #expect(throws: HistoryError.self) { try widget.save() }
    #expect(error?.code == .danglingReference && error?.objects == [other.id])
    #expect(try app.store.history().count == 2)
    try other.set(.null, for: "list")
    try widget.save()
    #expect(try newest(widget) == ["insert Item/\(other.id.key)"])
    #expect(try items[0]["list"] == .null)
  }

  @Test func `Edits in the save that deletes what they refer to are one change for each object`()
    throws
  {
    let app = try context()
    let (list, items, _) = try family(app)
    let other = try app.insert("List", ["name": "work"])
    let late = try app.insert("Item", ["title": "late", "list": Value(referringTo: list.id)])
    try items[0].set("renamed", for: "title")
    try items[1].setDestination(other, of: "list")
    list.delete()
    try app.save()
    #expect(
      try newest(app) == [
        "delete List/1", "insert List/\(other.id.key)", "insert Item/\(late.id.key)",
        "update Item/1 title,list", "update Item/2 list",
      ]
    )
    #expect(try items[0]["title"] == "renamed" && items[0]["list"] == .null)
    #expect(try late["list"] == .null)
    #expect(try items[1].destination(of: "list") == other)
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `An edited or inserted object below a deleted one is deleted with it`() throws {
    let app = try context()
    let (_, items, notes) = try family(app)
    try notes[0].set("changed", for: "text")
    let late = try app.insert("Note", ["item": Value(referringTo: items[0].id)])
    items[0].delete()
    try app.save()
    #expect(
      try newest(app) == ["delete Item/1", "delete Item/2", "delete Note/1", "delete Note/2"]
    )
    #expect(try late["item"] == nil && notes[0]["text"] == nil && !app.hasChanges)
  }

  @Test func `Inserted objects below an inserted one that a rule leaves out are left out with it`()
    throws
  {
    let app = try context()
    let (_, items, _) = try family(app)
    // The first one comes first in the save, and is two references away from the deleted object.
    let first = try app.insert("Item", ["title": "first"])
    let second = try app.insert("Item", ["parent": Value(referringTo: items[0].id)])
    try first.set(Value(referringTo: second.id), for: "parent")
    let note = try app.insert("Note", ["item": Value(referringTo: first.id)])
    let other = try app.insert("Note", ["text": "stays"])
    items[0].delete()
    try app.save()
    #expect(
      try newest(app) == [
        "delete Item/1", "delete Item/2", "delete Note/1", "delete Note/2",
        "insert Note/\(other.id.key)",
      ]
    )
    #expect(try first["title"] == nil && second["title"] == nil && note["text"] == nil)
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test(arguments: [false, true])
  func `A new object with a denying reference to a deleted one has the same error with other edits`(
    _ movesAnother: Bool
  ) throws {
    let app = try context()
    let (list, items, _) = try family(app)
    let share = try app.insert("Share", ["list": Value(referringTo: list.id)])
    if movesAnother { try items[0].set(.null, for: "list") }
    list.delete()
    let error = #expect(throws: HistoryError.self) { try app.save() }
    #expect(error?.code == .danglingReference && error?.objects == [share.id])
    #expect(app.hasChanges)
  }

  @Test(arguments: [MergePolicy.storeWins, .objectWins, .overwrite, .rollback])
  func `A merge policy decides about an edit whose reference a rule makes null`(
    _ policy: MergePolicy
  ) throws {
    let (app, widget) = (try context("app", policy), try context("widget"))
    let (list, items, _) = try family(app)
    try #require(try widget.object(items[0].id)).set("theirs", for: "title")
    try widget.save()
    try items[0].set("ours", for: "title")
    list.delete()
    try app.save()
    let isOurs = policy == .objectWins || policy == .overwrite
    #expect(try items[0]["title"] == (isOurs ? "ours" : "theirs"))
    #expect(try items[0]["list"] == .null)
    #expect(try newest(app).filter { $0.contains("Item/1") }.count == 1)
  }

  @Test func `A rule does not hide what another process has changed`() throws {
    let (app, widget) = (try context(), try context("widget"))
    let (list, items, _) = try family(app)
    let start = try app.store.currentToken()
    try #require(try widget.object(items[0].id)).set("theirs", for: "title")
    try widget.save()
    list.delete()
    try app.save()
    #expect(try items[0]["title"] == "theirs" && items[0]["list"] == .null)
    try app.merge(try app.store.fetch(HistoryRequest(after: start)).transactions)
    #expect(try items[0]["title"] == "theirs" && items[0]["list"] == .null)
  }

  @Test func `Another process merges the effects of the rules`() throws {
    let (app, widget) = (try context(), try context("widget"))
    let (list, items, notes) = try family(app)
    let start = try widget.loadAll()
    list.delete()
    items[1].delete()
    try app.save()
    try widget.merge(try widget.store.fetch(HistoryRequest(after: start)).transactions)
    let left = try #require(try widget.object(items[0].id))
    #expect(try left["list"] == .null)
    #expect(try widget.registeredObjects("Item").map(\.id) == [items[0].id])
    #expect(try widget.registeredObjects("Note").map(\.id) == [notes[0].id])
    #expect(try widget.registeredObjects("List").isEmpty)
  }

  @Test func `A batch delete applies the rules, by predicate and by key`() throws {
    let app = try context()
    let (list, items, _) = try family(app)
    let result = try app.store.batchDelete("List", by: BatchAuthor("batch"))
    #expect(result.count == 3 && result.objectIDs.isEmpty)
    #expect(result.deletedByRuleCount == 0 && result.nullifiedReferenceCount == 2)
    #expect(try newest(app) == ["delete List/1", "update Item/1 list", "update Item/2 list"])
    var rest = [items[0].id][...]
    let byKey = try app.store.batchDelete(
      "Item",
      by: BatchAuthor("batch"),
      result: .objectIDs
    ) { rest.popFirst() }
    #expect(byKey.count == 4 && byKey.objectIDs.count == 4)
    #expect(byKey.deletedByRuleCount == 3 && byKey.nullifiedReferenceCount == 0)
    #expect(
      try newest(app) == ["delete Item/1", "delete Item/2", "delete Note/1", "delete Note/2"]
    )
    #expect(try app.store.rows(list.id.entity + 1).keys.isEmpty)
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `A batch delete can refuse any reference, or leave references to the commit`() throws {
    let app = try context()
    let (list, items, notes) = try family(app)
    let before = try app.store.history().count
    let batch = BatchAuthor("batch")
    let denied = #expect(throws: HistoryError.self) {
      try app.store.batchDelete("List", by: batch, rules: .denyAll)
    }
    #expect(denied?.code == .deleteDenied && denied?.objects == items.map(\.id))
    var rest = [items[0].id][...]
    let byKey = #expect(throws: HistoryError.self) {
      try app.store.batchDelete("Item", by: batch, rules: .denyAll) { rest.popFirst() }
    }
    #expect(byKey?.code == .deleteDenied && byKey?.objects == [items[1].id, notes[0].id])
    let dangling = #expect(throws: HistoryError.self) {
      try app.store.batchDelete("List", by: batch, rules: .skip)
    }
    #expect(dangling?.code == .danglingReference && dangling?.objects == items.map(\.id))
    var both = items.map(\.id)[...]
    let leftNotes = #expect(throws: HistoryError.self) {
      try app.store.batchDelete("Item", by: batch, rules: .skip) { both.popFirst() }
    }
    #expect(leftNotes?.code == .danglingReference && leftNotes?.objects == notes.map(\.id))
    #expect(try app.store.history().count == before)
    #expect(try app.store.rows(list.id.entity).keys == [list.id.key])
  }

  @Test func `Without references from outside, a batch delete succeeds with any rules`() throws {
    let app = try context()
    _ = try family(app)
    let requests: [(entity: String, rules: BatchDeleteRules, count: Int)] = [
      ("Note", .skip, 2), ("Item", .denyAll, 2), ("List", .skip, 1),
    ]
    for (entity, rules, count) in requests {
      let result = try app.store.batchDelete(entity, by: BatchAuthor("batch"), rules: rules)
      #expect(result.count == count, "\(entity)")
      #expect(result.deletedByRuleCount == 0 && result.nullifiedReferenceCount == 0)
      #expect(try newest(app) == (1...count).map { "delete \(entity)/\($0)" })
    }
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `A wrong reference is an error that says what is known`() throws {
    let app = try context()
    let (list, items, notes) = try family(app)
    for body in [
      { _ = try items[0].destination(of: "title") }, { _ = try items[0].destination(of: "lst") },
      { try items[0].setDestination(list, of: "title") },
      { _ = try notes[0].objects("Item", referringBy: "list") },
    ] {
      let error = #expect(throws: HistoryError.self) { try body() }
      #expect(error?.code == .unknownAttribute, "\(error.map(\.description) ?? "")")
    }
    #expect(throws: HistoryError.self) { try items[0].setDestination(notes[0], of: "list") }
    #expect(throws: HistoryError.self) { try list.objects("Itm", referringBy: "list") }
  }
}

/// The changes of the newest transaction, as `delete List/1` and `update Item/1 title,list`.
func newest(_ context: ObjectContext) throws -> [String] {
  try #require(try context.store.history().last).changes.map { change in
    let names =
      change.type == .update ? " \(change.updatedProperties.joined(separator: ","))" : ""
    return "\(change.type) \(change.entityName ?? "?")/\(change.objectID.key)\(names)"
  }
}

import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `References and unique attributes` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A context of a store in which lists have unique names and items unique titles.
  private func context(_ policy: MergePolicy) throws -> ObjectContext {
    let model = try Model([
      Entity("List", [Attribute("name", .string)], uniquenessConstraints: [["name"]]),
      Entity(
        "Item",
        [Attribute("title", .string), Attribute("list", to: "List")],
        uniquenessConstraints: [["title"]]
      ),
    ])
    return ObjectContext(store: try store(model), author: "app", mergePolicy: policy)
  }

  private func store(_ model: Model) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    return try Store(path: folder.path("test.store"), model: model, configuration: configuration)
  }

  @Test func `An object that gives way to a duplicate is released by its references`() throws {
    let app = try context(.objectWins)
    let (home, work) = (
      try app.insert("List", ["name": "home"]), try app.insert("List", ["name": "work"])
    )
    let item = try app.insert("Item", ["title": "a", "list": Value(referringTo: home.id)])
    let gone = try app.insert("List", ["name": "gone"])
    let other = try app.insert("Item", ["title": "b", "list": Value(referringTo: gone.id)])
    try app.save()
    // A delete with a reference to it, and an update that takes the name of another list.
    gone.delete()
    try work.set("home", for: "name")
    try app.save()
    #expect(try app.objects("List").map(\.id) == [work.id])
    #expect(try item["list"] == .null && other["list"] == .null)
    #expect(try item["title"] == "a" && other["title"] == "b")
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test(arguments: [
    (MergePolicy.objectWins, ["delete List/1", "delete Item/2", "update Item/1 title,list"], "b"),
    (.overwrite, ["delete List/1", "delete Item/2", "update Item/1 title,list"], "b"),
    (.storeWins, ["delete List/1", "update Item/1 list"], "a"),
    (.rollback, ["delete List/1", "update Item/1 list"], "a"),
  ])
  func `An edit that meets a duplicate keeps what a rule did to its object`(
    _ policy: MergePolicy,
    _ changes: [String],
    _ title: String
  ) throws {
    let app = try context(policy)
    let list = try app.insert("List", ["name": "home"])
    let item = try app.insert("Item", ["title": "a", "list": Value(referringTo: list.id)])
    let other = try app.insert("Item", ["title": "b"])
    try app.save()
    list.delete()
    try item.set("b", for: "title")
    try app.save()
    #expect(try newest(app) == changes)
    #expect(try item["list"] == .null && item["title"]?.string == title)
    #expect(try app.object(other.id) == nil || policy == .storeWins || policy == .rollback)
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `A rule and a duplicate of one save make one change of an object`() throws {
    let app = try context(.objectWins)
    let list = try app.insert("List", ["name": "home"])
    let item = try app.insert("Item", ["title": "a", "list": Value(referringTo: list.id)])
    try app.save()
    list.delete()
    try app.insert("Item", ["title": "a"])
    try app.save()
    #expect(try newest(app) == ["delete List/1", "update Item/1 title,list"])
    #expect(try app.objects("Item").map(\.id) == [item.id] && item["list"] == .null)
  }

  @Test func `An edited object that a duplicate's rule changes has one change`() throws {
    let app = try context(.objectWins)
    let (home, work) = (
      try app.insert("List", ["name": "home"]), try app.insert("List", ["name": "work"])
    )
    let item = try app.insert("Item", ["title": "a", "list": Value(referringTo: home.id)])
    try app.save()
    // The list `home` gives way to `work`, and both objects refer to it.
    try item.set("b", for: "title")
    try work.set("home", for: "name")
    let other = try app.insert("Item", ["title": "c", "list": Value(referringTo: home.id)])
    try app.save()
    let changes = [
      "update Item/1 title,list", "insert Item/2", "delete List/1", "update List/2 name",
    ]
    let found = try newest(app)
    #expect(Set(found) == Set(changes) && found.count == changes.count)
    #expect(try item["list"] == .null && other["list"] == .null)
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test(arguments: [MergePolicy.objectWins, .overwrite, .storeWins, .rollback])
  func `References to an inserted object follow to its duplicate`(_ policy: MergePolicy) throws {
    let app = try context(policy)
    let list = try app.insert("List", ["name": "home"])
    let old = try app.insert("Item", ["title": "old"])
    try app.save()
    let second = try app.insert("List", ["name": "home"])
    let item = try app.insert("Item", ["title": "a", "list": Value(referringTo: second.id)])
    try old.setDestination(second, of: "list")
    try app.save()
    #expect(try app.objects("List").map(\.id) == [list.id])
    #expect(try item.destination(of: "list") == list && old.destination(of: "list") == list)
    #expect(Set(try newest(app)).isSuperset(of: ["insert Item/2", "update Item/1 list"]))
    #expect(try app.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `An edit that makes room for another is no duplicate of it`() throws {
    let app = try context(.objectWins)
    let (home, work) = (
      try app.insert("List", ["name": "home"]), try app.insert("List", ["name": "work"])
    )
    try app.save()
    // The list `work` gives way, and leaves its old name to the inserted list.
    try home.set("work", for: "name")
    let third = try app.insert("List", ["name": "home"])
    try app.save()
    #expect(try app.objects("List").map(\.id) == [home.id, third.id])
    #expect(try app.object(work.id) == nil && home["name"] == "work" && third["name"] == "home")
  }

  @Test func `An object that overwrites the store's row is a duplicate in all its attributes`()
    throws
  {
    let app = try context(.overwrite)
    let other = ObjectContext(store: app.store, author: "widget", mergePolicy: .objectWins)
    let list = try app.insert("Item", ["title": "a"])
    try app.save()
    try #require(try other.object(list.id)).set("b", for: "title")
    let second = try other.insert("Item", ["title": "a"])
    try other.save()
    // The context still has the title `a`, which it writes with its own edit.
    try list.setDestination(try app.insert("List", ["name": "home"]), of: "list")
    try app.save()
    #expect(try app.objects("Item").map(\.id) == [list.id] && list["title"] == "a")
    #expect(try newest(app).contains("delete Item/\(second.id.key)"))
  }

  @Test
  func `A reference that another context made null stays so although its old object is deleted`()
    throws
  {
    let app = try context(.storeWins)
    let other = ObjectContext(store: app.store, author: "widget", mergePolicy: .objectWins)
    let (home, work) = (
      try app.insert("List", ["name": "home"]), try app.insert("List", ["name": "work"])
    )
    let item = try app.insert("Item", ["title": "a", "list": Value(referringTo: home.id)])
    try app.save()
    try #require(try other.object(item.id)).setDestination(nil, of: "list")
    try other.save()
    home.delete()
    try item.setDestination(work, of: "list")
    try app.save()
    #expect(try item["list"] == .null)
  }

  @Test func `A tombstone has the references from before the save`() throws {
    let model = try Model([
      Entity("List", [Attribute("name", .string)]), Entity("Tag", [Attribute("name", .string)]),
      Entity(
        "Item",
        [
          Attribute("tag", to: "Tag", preservesValueInHistoryOnDeletion: true),
          Attribute("list", to: "List", deleteRule: .cascade),
        ]
      ),
    ])
    let store = try store(model)
    let app = ObjectContext(store: store, author: "app")
    let (list, tag) = (try app.insert("List"), try app.insert("Tag"))
    try app.insert(
      "Item",
      ["tag": Value(referringTo: tag.id), "list": Value(referringTo: list.id)]
    )
    try app.save()
    // The rule of the tag comes first, and the one of the list deletes the item.
    tag.delete()
    list.delete()
    try app.save()
    let changes = try #require(try store.history().last).changes
    let item = try #require(changes.first { $0.entityName == "Item" })
    #expect(item.type == .delete && item.tombstone == ["tag": .int(tag.id.key)])
  }
}

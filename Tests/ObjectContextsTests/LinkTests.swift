import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `Links of many objects with many others` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context(
    _ author: String = "app",
    _ policy: MergePolicy = .error
  ) throws
    -> ObjectContext
  {
    let entities = [
      Entity("Task", [Attribute("title", .string)]), Entity("Tag", [Attribute("name", .string)]),
      Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag")),
      Entity("Likeness", linking: ("tag", to: "Tag"), with: ("likeTag", to: "Tag")),
      Entity("Note", [Attribute("task", to: "Task")]),
    ]
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let path = folder.path("store")
    let store = try Store(path: path, model: Model(entities), configuration: configuration)
    return ObjectContext(store: store, author: author, name: "view", mergePolicy: policy)
  }

  /// Inserts and saves one task, and tags with some names.
  private func saved(
    _ context: ObjectContext,
    _ names: [String]
  ) throws -> (task: StoredObject, tags: [StoredObject]) {
    let task = try context.insert("Task", ["title": "milk"])
    let tags = try names.map { try context.insert("Tag", ["name": .string($0)]) }
    try context.save()
    return (task, tags)
  }

  private func names(
    _ task: StoredObject,
    sortedBy orders: [ObjectOrder] = ["name"]
  ) throws -> [String] {
    try task.objects(linkedBy: "Tagging", sortedBy: orders).compactMap { try $0["name"]?.string }
  }

  /// The changes of the newest transaction, without keys.
  private func newest(_ context: ObjectContext) throws -> [String] {
    try #require(try context.store.history().last).changes
      .map { "\($0.type) \($0.entityName ?? "?")" }.sorted()
  }

  @Test func `Both ends have the links, before the save and after it, in every context`() throws {
    let context = try context()
    let (task, tags) = try saved(context, ["b", "a", "c"])
    for tag in tags.dropLast() { try task.link(to: tag, by: "Tagging") }
    #expect(try names(task) == ["a", "b"])
    #expect(try names(task, sortedBy: [.descending("name")]) == ["b", "a"])
    #expect(try names(task, sortedBy: []) == ["b", "a"])
    #expect(try tags[0].objects(linkedBy: "Tagging") == [task])
    #expect(try tags[2].objects(linkedBy: "Tagging") == [])
    try context.save()
    #expect(try newest(context) == ["insert Tagging", "insert Tagging"])
    let other = try self.context("widget")
    let same = try #require(try other.object(task.id))
    #expect(try names(same) == ["a", "b"])
  }

  @Test func `A second link of the same objects is the first one`() throws {
    let context = try context()
    let (task, tags) = try saved(context, ["a"])
    let link = try task.link(to: tags[0], by: "Tagging")
    #expect(try tags[0].link(to: task, by: "Tagging") == link)
    try context.save()
    #expect(try task.link(to: tags[0], by: "Tagging") == link)
    #expect(!context.hasChanges)
  }

  @Test func `Only missing and surplus links are written`() throws {
    let context = try context()
    let (task, tags) = try saved(context, ["a", "b", "c"])
    try task.setObjects(tags[..<2], linkedBy: "Tagging")
    try context.save()
    try task.setObjects([tags[1], tags[2]], linkedBy: "Tagging")
    #expect(try names(task) == ["b", "c"])
    try context.save()
    #expect(try newest(context) == ["delete Tagging", "insert Tagging"])
    try task.unlink(from: tags[0], by: "Tagging")
    #expect(!context.hasChanges)
    try tags[2].unlink(from: task, by: "Tagging")
    try context.save()
    #expect(try names(task) == ["b"])
    #expect(try newest(context) == ["delete Tagging"])
    try task.setObjects([], linkedBy: "Tagging")
    try context.save()
    #expect(try names(task) == [])
  }

  @Test func `A delete of either end deletes its links, and is in the same transaction`() throws {
    let context = try context()
    let (task, tags) = try saved(context, ["a", "b"])
    try task.setObjects(tags, linkedBy: "Tagging")
    try context.save()
    tags[0].delete()
    #expect(try names(task) == ["b"])
    try context.save()
    #expect(try newest(context) == ["delete Tag", "delete Tagging"])
    task.delete()
    try context.save()
    #expect(try newest(context) == ["delete Tagging", "delete Task"])
    #expect(try tags[1].objects(linkedBy: "Tagging") == [])
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins])
  func `Two processes that link the same objects have one link`(policy: MergePolicy) throws {
    let context = try context("app", policy)
    let (task, tags) = try saved(context, ["a"])
    let other = try self.context("widget")
    try #require(try other.object(task.id)).link(
      to: #require(try other.object(tags[0].id)),
      by: "Tagging"
    )
    try task.link(to: tags[0], by: "Tagging")
    try other.save()
    if policy == .error {
      let error = #expect(throws: HistoryError.self) { try context.save() }
      #expect(error?.code == .duplicate)
      context.rollback()
    } else {
      try context.save()
    }
    let fresh = try self.context("other")
    #expect(try fresh.count("Tagging") == 1)
    #expect(try names(#require(try fresh.object(task.id))) == ["a"])
  }

  @Test func `A link between objects of one entity has two directions`() throws {
    let context = try context()
    let (_, tags) = try saved(context, ["a", "b"])
    try tags[0].link(to: tags[1], by: "Likeness")
    #expect(try tags[0].objects(linkedBy: "Likeness") == [tags[1]])
    #expect(try tags[1].objects(linkedBy: "Likeness") == [])
    #expect(try tags[1].objects(linkedBy: "Likeness", as: "likeTag") == [tags[0]])
    try tags[1].unlink(from: tags[0], by: "Likeness", as: "likeTag")
    #expect(try tags[0].objects(linkedBy: "Likeness") == [])
  }

  @Test func `Many ends are read with one query for the links and one for the ends`() throws {
    let context = try context()
    let (task, tags) = try saved(context, (0..<100).map { "\($0)" })
    try task.setObjects(tags, linkedBy: "Tagging")
    try context.save()
    let other = try self.context("widget")
    let same = try #require(try other.object(task.id))
    var found: [StoredObject] = []
    let work = try other.store.work { found = try same.objects(linkedBy: "Tagging") }
    #expect(found.map(\.id) == tags.map(\.id))
    #expect(work.queryCount == 2)
    let again = try other.store.work { found = try same.objects(linkedBy: "Tagging") }
    #expect(again.queryCount == 1)
  }

  @Test func `An object that a link cannot have is refused, and nothing is written`() throws {
    let context = try context()
    let (task, tags) = try saved(context, ["a", "b"])
    let cases: [(HistoryError.Code, () throws -> Void)] = [
      (.unknownEntity, { try task.link(to: tags[0], by: "Tagged") }),
      (.unknownAttribute, { try task.link(to: tags[0], by: "Note") }),
      (.unknownAttribute, { _ = try task.objects(linkedBy: "Likeness") }),
      (.unknownAttribute, { _ = try task.objects(linkedBy: "Tagging", as: "tag") }),
      (.unknownAttribute, { _ = try task.objects(linkedBy: "Tagging", sortedBy: ["nmae"]) }),
      (.unfitValue, { try task.link(to: task, by: "Tagging") }),
      (.unfitValue, { try task.setObjects([tags[0], task], linkedBy: "Tagging") }),
    ]
    for (code, body) in cases {
      let error = #expect(throws: HistoryError.self) { try body() }
      #expect(error?.code == code)
    }
    tags[0].delete()
    let error = #expect(throws: HistoryError.self) { try task.link(to: tags[0], by: "Tagging") }
    #expect(error?.code == .unknownObject)
    let message = HistoryError.noLinkEntity("Note", of: "Task", attribute: nil).description
    #expect(message.hasPrefix("The objects of \"Note\" do not link objects of \"Task\"."))
    context.rollback()
    #expect(try context.count("Tagging") == 0)
  }
}

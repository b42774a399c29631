import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `Ordered links of many objects with many others` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A model in which the tags of a task are ordered, and the tasks of a label as well.
  private static func model() throws -> Model {
    try Model([
      Entity("Task", [Attribute("title", .string)]), Entity("Tag", [Attribute("name", .string)]),
      Entity(
        "Tagging",
        linking: ("task", to: "Task"),
        with: ("tag", to: "Tag"),
        orderedBy: "position"
      ),
      Entity(
        "Labeling",
        linking: ("task", to: "Task"),
        with: ("tag", to: "Tag"),
        orderedBy: "position",
        inverseOrderedBy: "taskPosition"
      ),
      Entity(
        "Likeness",
        linking: ("tag", to: "Tag"),
        with: ("likeTag", to: "Tag"),
        orderedBy: "position",
        inverseOrderedBy: "likePosition"
      ),
    ])
  }

  private func context(
    _ author: String = "app",
    _ policy: MergePolicy = .error,
    model: Model? = nil
  ) throws -> ObjectContext {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let path = folder.path("store")
    let store = try Store(path: path, model: model ?? Self.model(), configuration: configuration)
    return ObjectContext(store: store, author: author, name: "view", mergePolicy: policy)
  }

  private func tags(_ context: ObjectContext, _ names: String) throws -> [StoredObject] {
    try names.map { try context.insert("Tag", ["name": .string("\($0)")]) }
  }

  /// Inserts and saves a task and one tag for each letter, in their order, which is not the key order.
  private func saved(
    _ context: ObjectContext,
    _ names: String
  ) throws -> (task: StoredObject, tags: [StoredObject]) {
    let task = try context.insert("Task", ["title": "milk"])
    let tags = try tags(context, String(names.reversed()))
    for tag in tags.reversed() { try task.link(to: tag, by: "Tagging") }
    try context.save()
    return (task, tags.reversed())
  }

  private func names(_ object: StoredObject?, _ entity: String = "Tagging") throws -> String {
    try (object?.objects(linkedBy: entity) ?? []).map { try $0["name"]?.string ?? "?" }.joined()
  }

  private func positions(_ task: StoredObject) throws -> [Double?] {
    try task.objects("Tagging", referringBy: "task").map { try $0["position"]?.double }
  }

  /// The changes of the newest transaction, sorted, as `update Tagging ["position"]`.
  private func newest(_ context: ObjectContext) throws -> [String] {
    try #require(try context.store.history().last).changes.map { change in
      let names = change.type == .update ? " \(change.updatedProperties)" : ""
      return "\(change.type) \(change.entityName ?? "?")\(names)"
    }.sorted()
  }

  @Test func `Linked objects are in their order before the save, after it, and in every context`()
    throws
  {
    let context = try context()
    let (task, _) = try saved(context, "ab")
    let new = try tags(context, "cde")
    try task.link(to: new[0], at: 0, by: "Tagging")
    try task.link(to: new[1], at: 2, by: "Tagging")
    try task.link(to: new[2], at: 4, by: "Tagging")
    #expect(try names(task) == "cadbe" && positions(task) == [-1, 0, 0.5, 1, 2])
    try context.save()
    #expect(try newest(context).count { $0 == "insert Tagging" } == 3)
    #expect(try names(try self.context("widget").object(task.id)) == "cadbe")
    let byName = try task.objects(linkedBy: "Tagging", sortedBy: [.descending("name")])
    #expect(try byName.compactMap { try $0["name"]?.string } == ["e", "d", "c", "b", "a"])
    #expect(try new[0].objects(linkedBy: "Tagging") == [task])
  }

  @Test func `A move is one update of one attribute of one link`() throws {
    let context = try context()
    let (task, tags) = try saved(context, "abcd")
    try task.link(to: tags[3], at: 1, by: "Tagging")
    #expect(try names(task) == "adbc")
    try context.save()
    #expect(try newest(context) == ["update Tagging [\"position\"]"])
    try task.link(to: tags[0], at: 3, by: "Tagging")
    #expect(try names(task) == "dbca")
    #expect(try context.save()?.count == 1)
    try task.link(to: tags[0], at: 3, by: "Tagging")
    try task.link(to: tags[1], by: "Tagging")
    #expect(!context.hasChanges)
  }

  @Test func `Links that two contexts insert at one place are in the same order in both`() throws {
    let app = try context()
    let task = try saved(app, "ab").task
    let new = try tags(app, "xy")
    try app.save()
    let widget = try context("widget")
    let same = try #require(try widget.object(task.id))
    let x = try task.link(to: new[0], at: 1, by: "Tagging")
    let other = try #require(try widget.object(new[1].id))
    let y = try same.link(to: other, at: 1, by: "Tagging")
    try app.save()
    try widget.save()
    for context in [app, widget] { try context.merge(try app.store.history()) }
    let expected = x.id < y.id ? "axyb" : "ayxb"
    #expect(try names(task) == expected && names(same) == expected)
    #expect(try positions(task) == [0, 0.5, 0.5, 1])
  }

  @Test func `Two contexts that link the same objects at different places have one link`() throws {
    let app = try context("app", .objectWins)
    let task = try saved(app, "ab").task
    let new = try tags(app, "x")[0]
    try app.save()
    let widget = try context("widget", .objectWins)
    let same = try #require(try widget.object(task.id))
    try task.link(to: new, at: 0, by: "Tagging")
    try same.link(to: try #require(try widget.object(new.id)), at: 2, by: "Tagging")
    try app.save()
    try widget.save()
    for context in [app, widget] { try context.merge(try app.store.history()) }
    #expect(try names(task) == "abx" && names(same) == "abx")
  }

  @Test func `A deleted link or object leaves the order of the others`() throws {
    let context = try context()
    let (task, tags) = try saved(context, "abcd")
    try task.unlink(from: tags[1], by: "Tagging")
    #expect(try names(task) == "acd")
    try context.save()
    #expect(try newest(context) == ["delete Tagging"])
    tags[0].delete()
    let new = try self.tags(context, "x")[0]
    try task.link(to: new, at: 1, by: "Tagging")
    #expect(try names(task) == "cxd")
    try context.save()
    try task.link(to: tags[1], by: "Tagging")
    #expect(try names(task) == "cxdb")
  }

  @Test func `Each side has an order of its own`() throws {
    let context = try context()
    let tasks = try ["t", "u", "v"].map { try context.insert("Task", ["title": .string($0)]) }
    let tags = try tags(context, "ab")
    for task in tasks { try task.link(to: tags[0], by: "Labeling") }
    try tags[0].link(to: tasks[2], at: 0, by: "Labeling")
    try tasks[2].link(to: tags[1], at: 0, by: "Labeling")
    try context.save()
    let other = try self.context("widget")
    let tag = try #require(try other.object(tags[0].id))
    let found = try tag.objects(linkedBy: "Labeling").compactMap { try $0["title"]?.string }
    #expect(found == ["v", "t", "u"])
    #expect(try names(try other.object(tasks[2].id), "Labeling") == "ba")
    try tag.setObjects(try tag.objects(linkedBy: "Labeling").reversed(), linkedBy: "Labeling")
    #expect(try tag.objects(linkedBy: "Labeling").map(\.id) == [1, 0, 2].map { tasks[$0].id })
    #expect(try names(try other.object(tasks[2].id), "Labeling") == "ba")
  }

  @Test func `Objects of one entity are ordered in both directions`() throws {
    let context = try context()
    let tags = try tags(context, "abcd")
    for tag in tags[1...] { try tags[0].link(to: tag, by: "Likeness") }
    try tags[0].link(to: tags[3], at: 0, by: "Likeness")
    #expect(try names(tags[0], "Likeness") == "dbc")
    try tags[1].link(to: tags[3], by: "Likeness")
    try tags[3].link(to: tags[1], at: 0, by: "Likeness", as: "likeTag")
    try tags[3].link(to: tags[3], by: "Likeness")
    try context.save()
    let other = try #require(try self.context("widget").object(tags[3].id))
    let inverse = try other.objects(linkedBy: "Likeness", as: "likeTag")
    #expect(try inverse.compactMap { try $0["name"]?.string } == ["b", "a", "d"])
    #expect(try other.objects(linkedBy: "Likeness") == [other])
  }

  @Test func `Setting all links changes as few of them as possible`() throws {
    let context = try context()
    let (task, tags) = try saved(context, "abcdef")
    let new = try self.tags(context, "xyz")
    try context.save()
    try context.setLevelsOfUndo(9)
    let wanted = [new[0], new[1], tags[5], tags[0], new[2], tags[1], tags[0], tags[3], tags[4]]
    try task.setObjects(wanted, linkedBy: "Tagging")
    #expect(try names(task) == "xyfazbde")
    #expect(try context.undo() && names(task) == "abcdef" && !context.hasChanges)
    #expect(try context.redo() && names(task) == "xyfazbde")
    try context.save()
    #expect(
      try newest(context) == ["delete Tagging"]
        + Array(repeating: "insert Tagging", count: 3) + ["update Tagging [\"position\"]"]
    )
    try task.setObjects([], linkedBy: "Tagging")
    #expect(try names(task) == "")
  }

  @Test func `A link behind the greatest double gets a place, and an undo reverts all of it`()
    throws
  {
    let context = try context()
    let (task, tags) = try saved(context, "ab")
    for link in try task.objects("Tagging", referringBy: "task") {
      let isFirst = try link.destination(of: "tag") == tags[0]
      try link.set(.double(isFirst ? 1e300 : .greatestFiniteMagnitude), for: "position")
    }
    let new = try self.tags(context, "c")[0]
    try context.save()
    try context.setLevelsOfUndo(9)
    try task.link(to: new, by: "Tagging")
    #expect(try names(task) == "abc")
    #expect(try context.undo() && names(task) == "ab" && !context.hasChanges)
  }

  @Test func `An object that cannot be placed is an error, and nothing changes`() throws {
    let context = try context()
    let (task, tags) = try saved(context, "ab")
    let new = try self.tags(context, "c")[0]
    try context.save()
    let failures: [(HistoryError, () throws -> Void)] = [
      (.indexOutOfRange(3, count: 2), { try task.link(to: new, at: 3, by: "Tagging") }),
      (.indexOutOfRange(2, count: 1), { try task.link(to: tags[0], at: 2, by: "Tagging") }),
      (.indexOutOfRange(-1, count: 2), { try task.link(to: new, at: -1, by: "Tagging") }),
      (
        .unorderedReference(entity: "Tagging", attribute: "tag"),
        { try new.link(to: task, at: 0, by: "Tagging") }
      ),
      (
        .unfitDestination(entity: "Tagging", attribute: "tag", wanted: "Tag", found: "Task"),
        { try task.link(to: task, at: 0, by: "Tagging") }
      ),
    ]
    for (expected, attempt) in failures {
      #expect(throws: expected) { try attempt() }
      #expect(!context.hasChanges)
    }
    new.delete()
    #expect(throws: HistoryError.unknownObject(new.id)) {
      try task.link(to: new, at: 0, by: "Tagging")
    }
    #expect(try names(task) == "ab")
  }

  @Test func `A deleted object is not linked again, although its link is not deleted yet`() throws {
    let context = try context()
    let (task, tags) = try saved(context, "abc")
    tags[1].delete()
    let attempts: [() throws -> Void] = [
      { try task.link(to: tags[1], by: "Tagging") },
      { try task.link(to: tags[1], at: 0, by: "Tagging") },
      { try task.setObjects([tags[2], tags[1]], linkedBy: "Tagging") },
    ]
    for attempt in attempts {
      #expect(throws: HistoryError.unknownObject(tags[1].id)) { try attempt() }
      #expect(try names(task) == "ac")
    }
    task.delete()
    #expect(throws: HistoryError.unknownObject(task.id)) {
      try task.setObjects([], linkedBy: "Tagging")
    }
    context.rollback()
    #expect(try names(task) == "abc")
  }

  @Test func `Setting all links takes as many queries for many as for few`() throws {
    let context = try context()
    let works = try ["abc", "abcdefghijkl"].map { names in
      let (task, tags) = try saved(context, names)
      return try context.store.work { try task.setObjects(tags.reversed(), linkedBy: "Tagging") }
    }
    #expect(works[0].queryCount == works[1].queryCount && works[0].queryCount > 0)
  }

  @Test func `An order is added to the links of an older file`() throws {
    let entities = [
      Entity("Task", [Attribute("title", .string)]), Entity("Tag", [Attribute("name", .string)]),
    ]
    let older = Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag"))
    let app = try context(model: try Model(entities + [older]))
    let task = try saved(app, "ba").task
    #expect(try names(task) == "ab")
    let newer = Entity(
      "Tagging",
      linking: ("task", to: "Task"),
      with: ("tag", to: "Tag"),
      orderedBy: "position"
    )
    let widget = try context("widget", model: try Model(entities + [newer], version: 2))
    let same = try #require(try widget.object(task.id))
    try same.link(to: try tags(widget, "c")[0], at: 1, by: "Tagging")
    try widget.save()
    // The links without positions are in key order.
    #expect(try names(same) == "bca")
    #expect(try widget.store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `The end of an order is found by its index`() throws {
    let context = try context()
    let task = try saved(context, "abc").task
    let plan = try context.explain(
      "Tagging",
      where: .compare("task", .equal, Value(referringTo: task.id)),
      sortedBy: [.descending("position")],
      limit: 1
    )
    #expect(plan.contains("USING INDEX history_index_3_0_2 "), "\(plan)")
  }
}

import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `Ordered objects that refer to one object` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A model with tasks in lists; the tasks of a list are ordered by `order`, if it is given.
  private static func model(orderedBy order: String? = "position") throws -> Model {
    try Model([
      Entity("List", [Attribute("name", .string)]),
      Entity(
        "Task",
        [
          Attribute("title", .string), Attribute("list", to: "List", orderedBy: order),
          Attribute("position", .double),
        ]
      ), Entity("Note", [Attribute("list", to: "List")]),
    ])
  }

  private func context(
    _ author: String = "app",
    _ model: Model? = nil,
    file: String = "test.store"
  ) throws -> ObjectContext {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let store = try Store(
      path: folder.path(file),
      model: model ?? Self.model(),
      configuration: configuration
    )
    return ObjectContext(store: store, author: author, name: "view")
  }

  /// Inserts and saves a list with one task for each letter.
  private func saved(
    _ context: ObjectContext,
    _ titles: String
  ) throws -> (list: StoredObject, tasks: [StoredObject]) {
    let list = try context.insert("List", ["name": "home"])
    let tasks = try titles.map { try task(context, "\($0)") }
    for task in tasks { try list.append(task, referringBy: "list") }
    try context.save()
    return (list, tasks)
  }

  private func task(_ context: ObjectContext, _ title: String) throws -> StoredObject {
    try context.insert("Task", ["title": .string(title)])
  }

  private func titles(_ list: StoredObject?) throws -> String {
    let tasks = try list?.objects("Task", referringBy: "list") ?? []
    return try tasks.map { try $0["title"]?.string ?? "?" }.joined()
  }

  private func positions(_ list: StoredObject) throws -> [Double?] {
    try list.objects("Task", referringBy: "list").map { try $0["position"]?.double }
  }

  /// The changes of the newest transaction, sorted, as `update Task/1 position`.
  private func newest(_ context: ObjectContext) throws -> [String] {
    try #require(try context.store.history().last).changes.map { change in
      let names = change.type == .update ? " \(change.updatedProperties)" : ""
      return "\(change.type) \(change.entityName ?? "?")/\(change.objectID.key)\(names)"
    }.sorted()
  }

  @Test func `Objects are in their order before the save, after it, and in every context`() throws {
    let context = try context()
    let (list, _) = try saved(context, "ab")
    try list.insert(try task(context, "c"), at: 0, referringBy: "list")
    try list.insert(try task(context, "d"), at: 2, referringBy: "list")
    try list.insert(try task(context, "e"), at: 4, referringBy: "list")
    #expect(try titles(list) == "cadbe")
    #expect(try positions(list) == [-1, 0, 0.5, 1, 2])
    try context.save()
    #expect(try titles(try self.context("widget").object(list.id)) == "cadbe")
    let byTitle = try list.objects("Task", referringBy: "list", sortedBy: [.descending("title")])
    #expect(try byTitle.compactMap { try $0["title"]?.string } == ["e", "d", "c", "b", "a"])
  }

  @Test func `A move is one update of one attribute of one object`() throws {
    let context = try context()
    let (list, tasks) = try saved(context, "abcd")
    try list.move(tasks[3], to: 1, referringBy: "list")
    #expect(try titles(list) == "adbc")
    #expect(try context.save()?.count == 1)
    #expect(try newest(context) == ["update Task/4 [\"position\"]"])
    try list.move(tasks[0], to: 3, referringBy: "list")
    #expect(try titles(list) == "dbca")
    try list.move(tasks[0], to: 3, referringBy: "list")
    try list.insert(tasks[1], at: 0, referringBy: "list")
    #expect(try titles(list) == "bdca")
    #expect(try context.save()?.count == 2)
  }

  @Test func `An object that is at its place already is not edited`() throws {
    let context = try context()
    let (list, tasks) = try saved(context, "abc")
    try list.move(tasks[1], to: 1, referringBy: "list")
    try list.insert(tasks[0], at: 0, referringBy: "list")
    try list.append(tasks[2], referringBy: "list")
    try list.setObjects(tasks, of: "Task", referringBy: "list")
    #expect(!context.hasChanges)
    try list.append(tasks[0], referringBy: "list")
    #expect(try titles(list) == "bca")
    #expect(try context.save()?.count == 1)
  }

  @Test func `An object of another list is moved with its reference and its position`() throws {
    let context = try context()
    let (first, tasks) = try saved(context, "ab")
    let second = try saved(context, "cd").list
    try second.insert(tasks[0], at: 1, referringBy: "list")
    #expect(try titles(first) == "b" && titles(second) == "cad")
    #expect(try context.save()?.count == 1)
    #expect(try newest(context) == ["update Task/1 [\"list\", \"position\"]"])
  }

  @Test func `Objects that two contexts insert at one place are in key order in both`() throws {
    let app = try context()
    let list = try saved(app, "ab").list
    let widget = try context("widget")
    let same = try #require(try widget.object(list.id))
    let (x, y) = (try task(app, "x"), try task(widget, "y"))
    try list.insert(x, at: 1, referringBy: "list")
    try same.insert(y, at: 1, referringBy: "list")
    try app.save()
    try widget.save()
    for context in [app, widget] { try context.merge(try app.store.history()) }
    let tied = x.id < y.id ? ("x", "y") : ("y", "x")
    #expect(try titles(list) == "a\(tied.0)\(tied.1)b" && titles(same) == titles(list))
    #expect(try positions(list) == [0, 0.5, 0.5, 1])
    try list.insert(try task(app, "z"), at: 2, referringBy: "list")
    #expect(try titles(list) == "a\(tied.0)z\(tied.1)b")
    let found = try positions(list).compactMap(\.self)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `Neighbors get new positions if no double lies between them`() throws {
    let context = try context()
    let (list, tasks) = try saved(context, "abcd")
    for (task, position) in zip(tasks, [0, 1, 1.0.nextUp, 3]) {
      try task.set(.double(position), for: "position")
    }
    try context.save()
    try context.setLevelsOfUndo(9)
    try list.insert(try task(context, "x"), at: 2, referringBy: "list")
    #expect(try titles(list) == "abxcd")
    #expect(try positions(list) == [0, 0.75, 1.5, 2.25, 3])
    try context.undo()
    #expect(try titles(list) == "abcd" && positions(list) == [0, 1, 1.0.nextUp, 3])
    try context.redo()
    #expect(try context.save()?.count == 3)
    #expect(
      try newest(context) == [
        "insert Task/5", "update Task/2 [\"position\"]", "update Task/3 [\"position\"]",
      ]
    )
  }

  @Test func `An undo reverts an insert or a move with one step`() throws {
    let context = try context()
    let (list, tasks) = try saved(context, "abc")
    try context.setLevelsOfUndo(9)
    try list.move(tasks[2], to: 0, referringBy: "list")
    #expect(try titles(list) == "cab")
    #expect(try context.undo() && titles(list) == "abc" && !context.hasChanges)
    #expect(try context.redo() && titles(list) == "cab")
    let new = try task(context, "d")
    try list.insert(new, at: 1, referringBy: "list")
    #expect(try titles(list) == "cdab")
    #expect(try context.undo() && titles(list) == "cab" && new["list"] == .null)
    #expect(try context.undo() && context.object(new.id) == nil)
  }

  @Test func `Setting all objects changes as few of them as possible`() throws {
    let context = try context()
    let (list, tasks) = try saved(context, "abcdef")
    let new = try task(context, "x")
    let wanted = [tasks[5], tasks[0], new, tasks[1], tasks[0], tasks[3], tasks[4]]
    try list.setObjects(wanted, of: "Task", referringBy: "list")
    #expect(try titles(list) == "faxbde" && tasks[2]["list"] == .null)
    try context.save()
    #expect(
      try newest(context) == [
        "insert Task/7", "update Task/3 [\"list\"]", "update Task/6 [\"position\"]",
      ]
    )
    try list.setObjects([], of: "Task", referringBy: "list")
    #expect(try titles(list) == "")
    try list.setObjects(tasks.reversed(), of: "Task", referringBy: "list")
    #expect(try titles(list) == "fedcba")
  }

  @Test func `Objects without a position come first, and get one only if necessary`() throws {
    let context = try context()
    let list = try context.insert("List")
    for title in ["a", "b"] { try task(context, title).setDestination(list, of: "list") }
    try context.save()
    try list.append(try task(context, "c"), referringBy: "list")
    try list.insert(try task(context, "d"), at: 2, referringBy: "list")
    #expect(try titles(list) == "abdc" && positions(list) == [nil, nil, -1, 0])
    #expect(try context.save()?.count == 2)
    try list.insert(try task(context, "x"), at: 0, referringBy: "list")
    #expect(try titles(list) == "xabdc")
    let found = try positions(list).compactMap(\.self)
    #expect(found.count == 5 && zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `An index out of range is an error that names the range, and nothing changes`() throws
  {
    let context = try context()
    let (list, tasks) = try saved(context, "abc")
    for (index, count) in [(3, 2), (-1, 2)] {
      let error = #expect(throws: HistoryError.indexOutOfRange(index, count: count)) {
        try list.move(tasks[0], to: index, referringBy: "list")
      }
      #expect(error?.code == .indexOutOfRange)
      #expect(
        error?.description == "An object cannot be placed at index \(index) among 2 other objects. "
          + "Use an index from 0 to 2."
      )
    }
    let empty = try context.insert("List")
    let error = #expect(throws: HistoryError.indexOutOfRange(1, count: 0)) {
      try empty.insert(tasks[0], at: 1, referringBy: "list")
    }
    #expect(error?.suggestion == "Use the index 0.")
    #expect(try titles(list) == "abc" && titles(empty) == "")
  }

  @Test func `An object that cannot be placed is an error`() throws {
    let context = try context()
    let (list, tasks) = try saved(context, "ab")
    let (other, note) = (try context.insert("List"), try context.insert("Note"))
    let stranger = try task(self.context(file: "other.store"), "s")
    let failures: [(HistoryError.Code, () throws -> Void)] = [
      (.unknownAttribute, { try list.append(tasks[0], referringBy: "lists") }),
      (.unknownAttribute, { try list.append(tasks[0], referringBy: "title") }),
      (.unknownAttribute, { try tasks[0].append(tasks[1], referringBy: "list") }),
      (.unknownAttribute, { try list.append(note, referringBy: "list") }),
      (.unknownEntity, { try list.setObjects(tasks, of: "Tasks", referringBy: "list") }),
      (.unfitValue, { try list.setObjects([note], of: "Task", referringBy: "list") }),
      (.unknownObject, { try other.move(tasks[0], to: 0, referringBy: "list") }),
      (.unknownObject, { try list.append(stranger, referringBy: "list") }),
    ]
    for (code, attempt) in failures {
      let error = #expect(throws: HistoryError.self) { try attempt() }
      #expect(error?.code == code)
      #expect(error?.suggestion != nil || code == .unknownObject)
    }
    let error = #expect(throws: HistoryError.self) { try list.append(note, referringBy: "list") }
    #expect(error == .unorderedReference(entity: "Note", attribute: "list"))
    tasks[1].delete()
    #expect(throws: HistoryError.unknownObject(tasks[1].id)) {
      try list.append(tasks[1], referringBy: "list")
    }
    other.delete()
    #expect(throws: HistoryError.unknownObject(other.id)) {
      try other.append(tasks[0], referringBy: "list")
    }
    #expect(try titles(list) == "a")
  }

  @Test func `A model whose order is impossible is refused with a reason`() throws {
    let list = Entity("List", [])
    func refused(_ attributes: [Attribute]) -> ModelError? {
      #expect(throws: ModelError.self) { try Model([list, Entity("Task", attributes)]) }
    }
    let ordered = Attribute("list", to: "List", orderedBy: "position")
    let missing = refused([ordered, Attribute("positions", .double)])
    #expect(missing == .unknownPosition("Task.list", "position", nearest: "positions"))
    #expect(
      missing?.description
        == "\"Task.list\" is ordered by \"position\", but its entity has no such "
        + "attribute. Did you mean \"positions\"?"
    )
    let unfit = refused([ordered, Attribute("position", .int)])
    #expect(unfit == .unfitPosition("Task.list", "position"))
    #expect(
      unfit?.description
        == "\"Task.list\" is ordered by \"position\": make that attribute a double "
        + "that orders no other reference."
    )
    let second = Attribute("day", to: "List", orderedBy: "position")
    #expect(refused([ordered, second, Attribute("position", .double)]) == unfit)
  }

  @Test(arguments: [nil, "position"], ["position", nil])
  func `A file opens with and without the order, whichever program has made it`(
    _ first: String?,
    _ second: String?
  ) throws {
    let app = try context("app", try Self.model(orderedBy: first))
    let list = try app.insert("List")
    for (title, position) in [("a", 2.0), ("b", 1.0)] {
      let values: [String: Value] = ["title": .string(title), "position": .double(position)]
      try app.insert("Task", values).setDestination(list, of: "list")
    }
    try app.save()
    #expect(try titles(list) == (first == nil ? "ab" : "ba"))
    let widget = try context("widget", try Self.model(orderedBy: second))
    #expect(try titles(try widget.object(list.id)) == (second == nil ? "ab" : "ba"))
    #expect(try widget.store.modelSkew() == nil && app.store.modelSkew() == nil)
  }

  @Test func `An order is added to the references of an older file`() throws {
    let (list, title) = (Entity("List", [Attribute("name", .string)]), Attribute("title", .string))
    let older = try Model([list, Entity("Task", [title, Attribute("list", to: "List")])])
    let ordered = Attribute("list", to: "List", orderedBy: "position")
    let newer = try Model(
      [list, Entity("Task", [title, ordered, Attribute("position", .double)])],
      version: 2
    )
    let app = try context("app", older)
    let old = try app.insert("List")
    for title in ["a", "b"] { try task(app, title).setDestination(old, of: "list") }
    try app.save()
    let widget = try context("widget", newer)
    let same = try #require(try widget.object(old.id))
    try same.insert(try task(widget, "c"), at: 1, referringBy: "list")
    try widget.save()
    #expect(try titles(same) == "acb")
    try task(app, "d").setDestination(old, of: "list")
    try app.save()
    #expect(try titles(same).count == 4 && widget.store.verify().filter(\.isWrong).isEmpty)
  }
}

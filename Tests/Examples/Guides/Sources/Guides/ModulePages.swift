import Foundation
import PersistentHistory

private func remove(_ url: URL?, _ title: Value?) {}

/// The overviews of the modules' pages.
enum ModulePages {
  static func historyTypes() throws -> Model {
    let item = Entity("Item", [Attribute("title", .string), Attribute("count", .int)])
    let model = try Model([item])
    return model
  }

  static func historyStore(_ model: Model) async throws {
    let store = try Store(path: "shared.store", model: model)
    let items: [[String: Value]] = [["title": "milk", "count": 2]]
    try store.batchInsert(into: "Item", items, by: BatchAuthor("import"))
    for try await page in store.pages(HistoryRequest(after: nil)) {
      for transaction in page.transactions {
        print(transaction.number, transaction.author ?? "no author", transaction.changeCount)
      }
    }
  }

  static func objectContexts(_ store: Store) throws {
    let view = ObjectContext(store: store, author: "app", name: "view")
    let item = try view.insert("Item", ["title": "milk", "count": 2])
    try view.save()
    try item.set(3, for: "count")
    try view.save()

    try item.set(4, for: "count")
    try view.save { conflict in
      guard conflict.duplicate == nil, let mine = conflict.edited?["count"]?.int,
        let read = conflict.original?["count"]?.int, let theirs = conflict.stored["count"]?.int
      else { return .keepEdited }
      return .write(["count": .int(theirs + mine - read)])
    }

    for page in 0..<3 {
      let items = try view.objects("Item", sortedBy: ["title"], limit: 100, offset: 100 * page)
      print(items.count, try view.registeredObjects("Item").count)
    }

    let due: ObjectPredicate = .compare("count", .greater, 1)
    let first = try view.objects("Item", where: due, sortedBy: [.descending("count")], limit: 20)
    let names = try view.distinctValues(of: "title", in: "Item")
    let total = try view.sum(of: "count", in: "Item", where: due)
    print(first.count, try view.count("Item"), names, total)
    print(try view.explain("Item", where: due, limit: 20))
  }

  static func orderedLists() throws {
    let list = Entity("List", [Attribute("name", .string)])
    let task = Entity(
      "Task",
      [
        Attribute("title", .string), Attribute("list", to: "List", orderedBy: "position"),
        Attribute("position", .double),
      ],
      indexes: [["list", "position"]]
    )
    let store = try Store(path: "lists.store", model: try Model([list, task]))

    let view = ObjectContext(store: store, author: "app", name: "view")
    let home = try view.insert("List", ["name": "home"])
    let milk = try view.insert("Task", ["title": "milk"])
    let bread = try view.insert("Task", ["title": "bread"])
    try home.append(milk, referringBy: "list")
    try home.insert(bread, at: 0, referringBy: "list")
    try view.save()
    try home.move(milk, to: 0, referringBy: "list")
    try view.save()
    print(try home.objects("Task", referringBy: "list").map { try $0["title"] ?? .null })
  }

  static func historyTracking(_ path: String, _ model: Model) async throws {
    let container = try StoreContainer([StoreDescription(path: path, model: model)])
    let tracker = try HistoryTracker(
      "widget",
      container: container,
      configuration: TrackerConfiguration(currentAuthor: "widget", allAuthors: ["app", "widget"])
    )
    try await tracker.registerObserver(entity: "Item", operation: .delete) { group in
      for context in group { remove(context.objectIDURL, context.tombstone?["title"]) }
    }
    try await tracker.start()
    let view = tracker.contexts[0]
    print(view.name ?? "no name")
  }
}

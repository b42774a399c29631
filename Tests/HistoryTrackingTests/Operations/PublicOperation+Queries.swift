import HistoryStore
import HistoryTypes
import ObjectContexts

extension PublicOperation {
  /// The operations of contexts that return values instead of objects, with unsaved edits.
  static var queries: [PublicOperation] {
    [
      query("count(_: String)") { "\(try $0.count("Item"))" },
      query("explain(_: String)") { try $0.explain("Item", sortedBy: ["title"], limit: 1) },
      query("distinctValues(of: String, in: String)") {
        "\(try $0.distinctValues(of: "title", in: "Item"))"
      },
      query("sum(of: String, in: String)") { "\(try $0.sum(of: "count", in: "Item"))" },
      query("average(of: String, in: String)") {
        "\(try $0.average(of: "count", in: "Item") ?? -1)"
      },
      query("minimum(of: String, in: String)") { "\(try $0.minimum(of: "title", in: "Item"))" },
      query("maximum(of: String, in: String)") { "\(try $0.maximum(of: "title", in: "Item"))" },
      PublicOperation(
        "ObjectContext.liveObjects(_: String)",
        isQuiet: true,
        on: { try $0.editedContext() },
        { "\(try $0.liveObjects("Item", limit: 1))".isEmpty ? "-" : "a sequence" }
      ),
      PublicOperation(
        "LiveObjects.next()",
        on: { try $0.editedContext() },
        { context in
          var lists = try context.liveObjects("Item", sortedBy: ["title"]).makeAsyncIterator()
          let result = try await lists.next()
          return "\(result?.objectIDs.map(\.key) ?? [])"
        }
      ),
    ]
  }

  /// The operations that decide which state of the store a context reads.
  static var pins: [PublicOperation] {
    [
      query("pin()") { context in
        let moment = try context.pin()
        return "\(moment?.number ?? 0) \(try context.count("Item"))"
      }
    ]
  }

  /// The operations that undo and redo, on objects that the context has released.
  static var undos: [PublicOperation] {
    [
      undo("undo()") { "\(try $0.undo())" },
      undo("redo()") { context in
        try context.undo()
        context.releaseAll()
        return "\(try context.redo())"
      },
      PublicOperation(
        "ObjectContext.undoGroup(_: () throws(Failure) -> Result)",
        isQuiet: true,
        on: { try $0.editedContext() },
        { context in
          try context.setLevelsOfUndo(1)
          return context.undoGroup { "\(context.canUndo)" }
        }
      ),
      PublicOperation(
        "ObjectContext.setLevelsOfUndo(_: Int)",
        isQuiet: true,
        on: { try $0.editedContext() },
        { context in
          try context.setLevelsOfUndo(3)
          return "\(context.levelsOfUndo)"
        }
      ),
    ]
  }

  private static func undo(
    _ name: String,
    _ run: @escaping @Sendable (ObjectContext) throws -> String
  ) -> PublicOperation {
    PublicOperation(
      "ObjectContext." + name,
      hasSteps: true,
      on: { world in
        let context = ObjectContext(store: world.store)
        try context.setLevelsOfUndo(1)
        try context.object(ObjectID(entity: 1, key: 3))?.set("edited", for: "title")
        try context.save()
        context.releaseAll()
        return context
      },
      run
    )
  }

  /// The operations over references.
  static var references: [PublicOperation] {
    [
      tag("destination(of: String)") { "\(try $0.destination(of: "item")?.id.key ?? 0)" },
      tag("objects(_: String, referringBy: String)") { tag in
        let item = try tag.context.object(ObjectID(entity: 1, key: 3))
        return "\(try item?.objects("Tag", referringBy: "item").map(\.id.key) ?? [])"
      },
      tag("setDestination(_: StoredObject?, of: String)") { tag in
        try tag.setDestination(try tag.context.object(ObjectID(entity: 1, key: 4)), of: "item")
        return "\(try tag.destination(of: "item")?.id.key ?? 0)"
      },
      listed("insert(_: StoredObject, at: Int, referringBy: String)") { item, tag in
        try item.insert(tag, at: 0, referringBy: "item")
      },
      listed("append(_: StoredObject, referringBy: String)") { item, tag in
        try item.append(tag, referringBy: "item")
      },
      listed("move(_: StoredObject, to: Int, referringBy: String)") { item, tag in
        try item.insert(tag, at: 1, referringBy: "item")
        try item.move(tag, to: 0, referringBy: "item")
      },
      listed("setObjects(_: some Collection<StoredObject>, of: String, referringBy: String)") {
        try $0.setObjects([$1], of: "Tag", referringBy: "item")
      },
      linked("link(to: StoredObject, by: String)") { try $0.link(to: $1, by: "Link", as: "to") },
      linked("link(to: StoredObject, at: Int, by: String)") {
        try $1.link(to: $0, at: 0, by: "Link")
      },
      linked("unlink(from: StoredObject, by: String)") { try $0.unlink(from: $1, by: "Link") },
      linked("setObjects(_: some Collection<StoredObject>, linkedBy: String)") { item, _ in
        try item.setObjects([item], linkedBy: "Link")
      },
      linked("objects(linkedBy: String)") { item, _ in _ = try item.objects(linkedBy: "Link") },
    ]
  }

  /// An operation on the first of two objects with an unsaved link; the answer names the linked ones.
  private static func linked(
    _ name: String,
    _ run: @escaping @Sendable (StoredObject, StoredObject) throws -> Void
  ) -> PublicOperation {
    PublicOperation(
      "StoredObject." + name,
      on: { world in
        let context = ObjectContext(store: world.store)
        let items = try context.objects("Item").prefix(2)
        if items.count == 2 { try items[0].link(to: items[1], by: "Link") }
        return Array(items)
      },
      { items in
        try run(items[0], items[1])
        return "\(try items.map { try $0.objects(linkedBy: "Link").map(\.id.key) })"
      }
    )
  }

  /// An operation on an item with a tag, and another tag; the answer lists the tags of the item.
  private static func listed(
    _ name: String,
    _ run: @escaping @Sendable (StoredObject, StoredObject) throws -> Void
  ) -> PublicOperation {
    PublicOperation(
      "StoredObject." + name,
      on: { ObjectContext(store: $0.store) },
      { context in
        guard let item = try context.object(ObjectID(entity: 1, key: 3)),
          let tag = try context.object(ObjectID(entity: 2, key: 1))
        else { return "none" }
        try run(item, tag)
        return "\(try item.objects("Tag", referringBy: "item").map(\.id.key))"
      }
    )
  }

  private static func tag(
    _ name: String,
    _ run: @escaping @Sendable (StoredObject) throws -> String
  ) -> PublicOperation {
    PublicOperation(
      "StoredObject." + name,
      on: { try ObjectContext(store: $0.store).object(ObjectID(entity: 2, key: 2)) },
      { try $0.map(run) ?? "none" }
    )
  }

  private static func query(
    _ name: String,
    _ run: @escaping @Sendable (ObjectContext) throws -> String
  ) -> PublicOperation {
    PublicOperation("ObjectContext." + name, on: { try $0.editedContext() }, run)
  }
}

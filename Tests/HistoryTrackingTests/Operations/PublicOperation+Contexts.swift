import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts

extension PublicOperation {
  /// The operations of contexts.
  static var contexts: [PublicOperation] {
    [
      PublicOperation(
        "ObjectContext.object(_: ObjectID)",
        on: { ObjectContext(store: $0.store) },
        { "\(try $0.object(ObjectID(entity: 1, key: 3))?["title"] ?? .null)" }
      ),
      PublicOperation(
        "ObjectContext.registeredObjects(_: String)",
        isQuiet: true,
        on: { try $0.loadedContext() },
        { "\(try $0.registeredObjects("Item").count)" }
      ),
      PublicOperation(
        "ObjectContext.loadAll()",
        on: { ObjectContext(store: $0.store) },
        { "\(try $0.loadAll().number) \(try $0.knowledge)" }
      ),
      PublicOperation(
        "ObjectContext.insert(_: String)",
        on: { ObjectContext(store: $0.store) },
        { context in
          try context.insert("Tag", ["name": .string("t")])
          return "\(try context.registeredObjects("Tag").count)"
        }
      ),
      PublicOperation(
        "ObjectContext.objects(_: String)",
        on: { try $0.editedContext() },
        { context in
          let found = try context.objects("Item", sortedBy: [.descending("title")])
          return "\(try found.map { try $0["title"] ?? .null })"
        }
      ),
      PublicOperation("ObjectContext.refresh(_: ObjectID)", on: staleContext) { context in
        try context.refresh(ObjectID(entity: 1, key: 3))
        return try context.knowledge
      },
      PublicOperation("ObjectContext.refreshAll()", on: staleContext) { context in
        try context.refreshAll()
        return try context.knowledge
      },
      PublicOperation(
        "ObjectContext.merge(_: some Sequence<HistoryTransaction>)",
        on: foreignHistory
      ) { history in
        try history.context.merge(history.transactions)
        return try history.context.knowledge
      },
      PublicOperation(
        "ObjectContext.save()",
        on: { try $0.editedContext() },
        { context in
          try context.save()
          return "\(context.hasChanges) \(try context.knowledge)"
        }
      ),
      PublicOperation(
        "ObjectContext.save(author: String?)",
        on: { try $0.editedContext() },
        { context in
          try context.save(author: "somebody new")
          return "\(context.hasChanges) \(try context.knowledge)"
        }
      ),
      PublicOperation(
        "ObjectContext.save(author: String?, contextName: String?)",
        on: staleEdits
      ) { context in
        try context.save(author: nil, contextName: "a new name")
        return "\(context.hasChanges) \(try context.knowledge)"
      },
      PublicOperation(
        "ObjectContext.save(resolving: (SaveConflict) throws -> ConflictResolution)",
        on: staleEdits
      ) { context in
        try context.save { _ in .keepEdited }
        return "\(context.hasChanges) \(try context.knowledge)"
      },
      PublicOperation(
        "StoredObject.set(_: Value, for: String)",
        isQuiet: true,
        on: { try $0.loadedContext() },
        { context in
          try context.registeredObjects("Item")[0].set(.int(3), for: "count")
          return "\(context.hasChanges)"
        }
      ),
      PublicOperation(
        "StoredObject.record(_: Record.Type)",
        isQuiet: true,
        on: { try $0.loadedContext() },
        { try $0.registeredObjects("Item")[0].record(ItemRecord.self).title ?? "none" }
      ),
      PublicOperation(
        "StoredObject.update(_: some ObjectRecord)",
        isQuiet: true,
        on: { try $0.loadedContext() },
        { context in
          try context.registeredObjects("Item")[0].update(ItemRecord(title: "new", count: 3))
          return "\(context.hasChanges)"
        }
      ),
      PublicOperation(
        "ObjectContext.insert(_: some ObjectRecord)",
        on: { ObjectContext(store: $0.store) },
        { context in
          try context.insert(ItemRecord(title: "new", count: 3))
          return "\(try context.registeredObjects("Item").count)"
        }
      ),
      PublicOperation(
        "ObjectContext.records(_: Record.Type)",
        on: { try $0.editedContext() },
        { context in
          let found = try context.records(ItemRecord.self, sortedBy: [.descending("title")])
          return "\(found.map { $0.title ?? "none" })"
        }
      ),
      PublicOperation(
        "Store.performInBackground(_: (ObjectContext) throws(Failure) -> Result)",
        inBackground
      ),
    ]
  }

  private static func inBackground(_ world: OperationWorld) async throws -> String {
    try await world.store.performInBackground(author: "app") {
      (context: ObjectContext) throws(HistoryError) -> String in
      let items = try context.objects("Item", where: .compare("title", .equal, .string("b")))
      for item in items { try item.set(.string("background"), for: "title") }
      try context.save()
      return "\(context.hasChanges)"
    }
  }

  /// The operations of containers.
  static var containers: [PublicOperation] {
    [
      PublicOperation("StoreContainer.init(_: [StoreDescription])") { world in
        "\(try container(world).stores.map { try $0.currentToken().number })"
      },
      PublicOperation("StoreContainer.currentTokens()", on: container) { container in
        "\(try container.currentTokens().map(\.number))"
      },
      PublicOperation("StoreContainer.store(of: String)", isQuiet: true, on: container) {
        container in
        try container.store(of: "Tag").path
      },
      PublicOperation("StoreContainer.context(for: String)", isQuiet: true, on: container) {
        container in
        try container.context(for: "Tag").store.path
      },
    ]
  }

  /// The operations that suspend and resume.
  static var suspensions: [PublicOperation] {
    [
      PublicOperation("Store.suspend()", takesNoLock: true, on: firstStore) {
        try $0.suspend()
        return "\($0.isSuspended)"
      },
      PublicOperation("Store.resume()", on: suspendedStore) {
        try $0.resume()
        return "\(try $0.currentToken().number)"
      },
      PublicOperation("StoreContainer.suspend()", takesNoLock: true, on: container) {
        try $0.suspend()
        return "\($0.stores.map(\.isSuspended))"
      },
      PublicOperation("StoreContainer.resume()", on: suspendedContainer) {
        try $0.resume()
        return "\(try $0.currentTokens().map(\.number))"
      },
      PublicOperation("HistoryTracker.suspend()", takesNoLock: true, on: tracker) {
        try $0.suspend()
        return "\($0.store.isSuspended)"
      },
      PublicOperation(
        "HistoryTracker.resume()",
        on: { world in
          let tracker = try tracker(world)
          try tracker.suspend()
          return tracker
        },
        {
          try $0.resume()
          return "\(try $0.store.currentToken().number)"
        }
      ),
    ]
  }

  private static func firstStore(_ world: OperationWorld) throws -> Store {
    try container(world).stores[0]
  }

  private static func suspendedStore(_ world: OperationWorld) throws -> Store {
    try suspendedContainer(world).stores[0]
  }

  private static func tracker(_ world: OperationWorld) throws -> HistoryTracker {
    try HistoryTracker("app", container: container(world))
  }

  private static func suspendedContainer(_ world: OperationWorld) throws -> StoreContainer {
    let container = try container(world)
    try container.suspend()
    return container
  }

  /// A container with the world's store.
  static func container(_ world: OperationWorld) throws -> StoreContainer {
    let configuration = world.configuration
    return try StoreContainer([
      StoreDescription(
        path: OperationWorld.path,
        model: world.model,
        configuration: configuration
      )
    ])
  }

  /// Another process's writes, and a context that has not merged them.
  struct ForeignHistory: Sendable {
    let context: ObjectContext
    let transactions: [HistoryTransaction]
  }

  static func foreignHistory(_ world: OperationWorld) throws -> ForeignHistory {
    let context = try world.loadedContext()
    return ForeignHistory(context: context, transactions: try world.writeAsOthers())
  }

  /// A context that has not merged another process's writes.
  private static func staleContext(_ world: OperationWorld) throws -> ObjectContext {
    try foreignHistory(world).context
  }

  /// A context whose edits conflict with another process's writes.
  private static func staleEdits(_ world: OperationWorld) throws -> ObjectContext {
    let context = try world.editedContext()
    try world.writeAsOthers()
    return context
  }
}

/// The record of an item.
private struct ItemRecord: ObjectRecord {
  static let entityName = "Item"
  var title: String?
  var count: Int?
}

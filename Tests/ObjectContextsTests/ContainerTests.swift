import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A container of several stores` {
  let folder: TemporaryFolder
  let tracked: StoreDescription
  let cache: StoreDescription

  init() throws {
    folder = try TemporaryFolder()
    let item = try Model([Entity("Item", [Attribute("title", .string)])])
    let thumbnail = try Model([Entity("Thumbnail", [Attribute("bytes", .data)])])
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    tracked = StoreDescription(
      path: folder.path("main"),
      model: item,
      configuration: configuration
    )
    configuration.tracksHistory = false
    cache = StoreDescription(
      path: folder.path("cache"),
      model: thumbnail,
      configuration: configuration
    )
  }

  @Test func `Each entity is in its own store, with or without history`() throws {
    let container = try StoreContainer([tracked, cache])
    let items = try container.context(for: "Item", author: "app", name: "view")
    try items.insert("Item", ["title": "milk"])
    #expect(try items.save()?.number == 1)
    let thumbnails = try container.context(for: "Thumbnail")
    let thumbnail = try thumbnails.insert("Thumbnail", ["bytes": .data(Data([1]))])
    #expect(try thumbnails.save() == nil && !thumbnails.hasChanges)
    try thumbnail.set(.data(Data([2])), for: "bytes")
    #expect(try thumbnails.save() == nil)
    #expect(try container.store(of: "Thumbnail").fetchOrUntracked() == nil)
    #expect(try container.store(of: "Item").fetchOrUntracked() == 1)
    let again = try container.context(for: "Thumbnail")
    #expect(try again.objects("Thumbnail").map { try $0["bytes"] } == [.data(Data([2]))])
  }

  @Test func `A container's contexts release objects, unless they retain registered ones`()
    async throws
  {
    let container = try StoreContainer([tracked])
    let writer = try container.context(for: "Item")
    try writer.insert("Item", ["title": "milk"])
    try writer.save()
    for retains in [false, true] {
      let context = try container.context(for: "Item", retainsRegisteredObjects: retains)
      let background = container.stores[0].backgroundContext(retainsRegisteredObjects: retains)
      for context in [context, background] {
        #expect(context.retainsRegisteredObjects == retains)
        _ = try context.objects("Item")
        #expect(try context.registeredObjects("Item").count == (retains ? 1 : 0))
      }
      let isRetaining = await container.stores[0]
        .performInBackground(retainsRegisteredObjects: retains) { $0.retainsRegisteredObjects }
      #expect(isRetaining == retains)
    }
  }

  @Test func `A container's tokens are those of its stores with history`() throws {
    let container = try StoreContainer([tracked, cache])
    let tokens = try container.currentTokens()
    #expect(tokens.map(\.store) == [container.stores[0].id])
    #expect(container.store(tokens[0].store) === container.stores[0])
    #expect(container.store(container.stores[1].id) === container.stores[1])
  }

  @Test func `An entity in two stores is refused before any file is made`() throws {
    let twice = StoreDescription(path: folder.path("other"), model: tracked.model)
    #expect(throws: HistoryError.entityTwice("Item")) {
      try StoreContainer([tracked, cache, twice])
    }
    #expect(try folder.names().isEmpty)
    let container = try StoreContainer([tracked])
    #expect(throws: HistoryError.unknownEntity("Thumbnail", in: tracked.model)) {
      try container.store(of: "Thumbnail")
    }
    #expect(throws: HistoryError.unknownEntity("x", in: tracked.model)) {
      try container.context(for: "x")
    }
  }
}

@Suite(.inEveryLayout) struct `Work in several contexts` {
  @Test func `Many tasks save through their own contexts while a view is read`()
    async throws
  {
    let file = try StoreFile()
    let store = try file.open()
    let view = ObjectContext(store: store, author: "app", name: "view")
    try view.loadAll()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<10 {
            do {
              try await store.performInBackground(author: "sync") { context in
                try context.insert(
                  "Item",
                  ["title": .string("\(task)"), "count": .int(Int64(number))]
                )
                try context.save()
              }
            } catch { Issue.record(error) }
          }
        }
        group.addTask {
          for _ in 0..<10 {
            do {
              for object in try view.objects("Item") { _ = try object["title"] }
              try view.refreshAll()
              try view.merge(store.history())
            } catch { Issue.record(error) }
          }
        }
      }
    }
    try view.merge(store.history())
    #expect(try view.registeredObjects("Item").count == 40)
    let history = try store.history()
    #expect(history.count == 40 && history.allSatisfy { $0.contextName == "background" })
    #expect(history.allSatisfy { $0.author == "sync" })
  }

  @Test func `One context is edited from many threads at once`() async throws {
    let file = try StoreFile()
    let context = try file.context()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<20 {
            do {
              let object = try context.insert("Item", ["count": .int(Int64(number))])
              try object.set(.string("\(task)"), for: "title")
              if number.isMultiple(of: 5) { try context.save() }
            } catch { Issue.record(error) }
          }
        }
      }
    }
    try context.save()
    #expect(try file.context().objects("Item").count == 80)
  }

  @Test func `Unsaved edits of the closure are discarded, and its error is rethrown`() async throws
  {
    struct Stopped: Error {}
    let file = try StoreFile()
    let store = try file.open()
    let count = try await store.performInBackground { context in
      try context.insert("Item")
      return try context.objects("Item").count
    }
    #expect(count == 1)
    await #expect(throws: Stopped.self) {
      try await store.performInBackground { _ in throw Stopped() }
    }
    #expect(try store.history().isEmpty)
  }

  @Test func `A save may name another author and another context`() throws {
    let file = try StoreFile()
    let context = try file.context("app", name: "view")
    try context.insert("Item")
    try context.save()
    try context.insert("Item")
    try context.save(author: "sync")
    try context.insert("Item")
    try context.save(author: nil, contextName: "import")
    try context.insert("Item")
    try context.save(author: "x", contextName: nil)
    let history = try context.store.history()
    #expect(history.map(\.author) == ["app", "sync", nil, "x"])
    #expect(history.map(\.contextName) == ["view", "view", "import", nil])
  }
}

extension Store {
  /// Returns the number of transactions, or `nil` in a store without history.
  fileprivate func fetchOrUntracked() throws -> Int? {
    do {
      return try fetch(HistoryRequest(after: nil)).transactions.count
    } catch  where error.code == .untracked {
      return nil
    }
  }
}

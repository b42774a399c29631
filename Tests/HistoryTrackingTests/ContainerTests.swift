import HistoryStore
import HistoryTypes
import ObjectContexts
import TestSupport
import Testing

@testable import HistoryTracking

@Suite struct `A tracker of a container` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A container with a store for each entity, some with history.
  private func container(_ tracked: [String: Bool]) throws -> StoreContainer {
    try StoreContainer(
      tracked.sorted { $0.key < $1.key }.map { entity, isTracked in
        var configuration = StoreConfiguration()
        configuration.tracksHistory = isTracked
        return StoreDescription(
          path: folder.path("\(entity).store"),
          model: try Model([Entity(entity, [Attribute("title", .string)])]),
          configuration: configuration
        )
      }
    )
  }

  @Test func `A container's tracker follows the one store with history, with its own view`()
    async throws
  {
    let container = try container(["Cache": false, "Item": true])
    let tracker = try HistoryTracker(
      "app",
      container: container,
      configuration: TrackerConfiguration(currentAuthor: "app")
    )
    #expect(tracker.store === container.stores[1])
    #expect(tracker.contexts.map(\.author) == ["app"] && tracker.view.name == "view")
    try await tracker.start()
    let other = try container.context(for: "Item", author: "other")
    try other.insert("Item", ["title": "a"])
    try other.save()
    try await tracker.pass()
    #expect(try tracker.view.titles == ["a"])
  }

  @Test func `Of several stores with history the contexts select one`() throws {
    let container = try container(["Item": true, "Note": true])
    let paths = container.stores.map(\.path)
    #expect(throws: HistoryError.severalStores(paths)) {
      try HistoryTracker("app", container: container)
    }
    let view = try container.context(for: "Note")
    let tracker = try HistoryTracker("app", container: container, contexts: [view])
    #expect(tracker.store === view.store)
  }

  @Test func `A container suspends and resumes all its stores, whatever one of them throws`() throws
  {
    let container = try container(["Cache": false, "Item": true, "Note": true])
    try container.suspend()
    #expect(container.stores.map(\.isSuspended) == [true, true, true])
    #expect(throws: HistoryError.self) { try container.currentTokens() }
    try Store.destroy(path: container.stores[0].path)
    #expect(throws: HistoryError.self) { try container.resume() }
    #expect(container.stores.map(\.isSuspended) == [true, false, false])
    #expect(try container.stores[1].currentToken() == .beginning(of: container.stores[1].id))
  }

  @Test func `Without a store with history there is none to track`() throws {
    let container = try container(["Cache": false])
    #expect(throws: HistoryError.untracked(path: container.stores[0].path)) {
      try HistoryTracker("app", container: container)
    }
  }
}

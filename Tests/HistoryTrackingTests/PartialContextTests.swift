import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `A tracker that does not load all objects` {
  let shared: SharedStore
  let other: ObjectContext
  let view: ObjectContext

  init() throws {
    shared = try SharedStore()
    other = try shared.writer("other")
    view = ObjectContext(store: try shared.open(), author: "app", name: "view")
  }

  private func tracker() -> HistoryTracker {
    var configuration = TrackerConfiguration(currentAuthor: "app")
    configuration.loadsAllObjects = false
    configuration.logLevel = nil
    return HistoryTracker(
      "app",
      store: view.store,
      contexts: [view],
      configuration: configuration
    )
  }

  @Test func `Passes merge changes of registered objects and register no others`() async throws {
    let ids = try other.write("a", "b")
    let item = try #require(try view.object(ids[0]))
    let tracker = tracker()
    _ = try await tracker.pass()
    try other.object(ids[0])?.set("changed", for: "title")
    try other.save()
    try other.write("c")
    let report = try await tracker.pass()
    #expect(report.transactionCount == 2)
    #expect(try view.titles == ["changed"] && item["title"] == "changed")
    #expect(try await tracker.pass().transactionCount == 0)
    #expect(!view.holdsAllObjects)
  }

  @Test func `The launch reads registered objects again, and a resync too`() async throws {
    let ids = try other.write("a", "b")
    let item = try #require(try view.object(ids[0]))
    try other.object(ids[0])?.set("changed", for: "title")
    try other.save()
    let tracker = tracker()
    _ = try await tracker.pass()
    #expect(try item["title"] == "changed" && view.titles == ["changed"])
    try other.object(ids[0])?.set("again", for: "title")
    try other.save()
    try await tracker.resync()
    #expect(try item["title"] == "again" && view.titles == ["again"])
  }

  @Test func `A context that has loaded all objects keeps all`() async throws {
    try other.write("a")
    try view.loadAll()
    let tracker = tracker()
    _ = try await tracker.pass()
    try other.write("b")
    _ = try await tracker.pass()
    #expect(try view.titles == ["a", "b"])
    try await tracker.resync()
    #expect(try view.titles == ["a", "b"] && view.holdsAllObjects)
  }

  @Test func `A pass brings changes of other processes into live queries`() async throws {
    let ids = try other.write("b", "c")
    var lists = try view.liveObjects("Item", sortedBy: ["title"], limit: 2).makeAsyncIterator()
    #expect(try await lists.next()?.objectIDs == ids)
    let tracker = tracker()
    _ = try await tracker.pass()
    let next = Task { [lists] in
      var lists = lists
      return try await lists.next()?.objectIDs
    }
    let new = try other.write("a")
    _ = try await tracker.pass()
    #expect(try await next.value == [new[0], ids[0]])
  }

  @Test func `A resync reads live queries again`() async throws {
    let ids = try other.write("a", "b")
    var lists = try view.liveObjects("Item").makeAsyncIterator()
    let tracker = tracker()
    _ = try await tracker.pass()
    #expect(try await lists.next()?.objectIDs == ids)
    let new = try other.write("c")
    try other.object(ids[0])?.delete()
    try other.save()
    try await tracker.resync()
    #expect(try await lists.next()?.objectIDs == [ids[1], new[0]])
  }
}

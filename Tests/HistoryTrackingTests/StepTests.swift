import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Synchronization
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `The steps of a pass` {
  let shared: SharedStore
  let other: ObjectContext

  init() throws {
    shared = try SharedStore()
    other = try shared.writer("other")
  }

  @Test func `Steps may come in any order, and steps out of turn have no effect`() throws {
    let app = try shared.launch("app")
    try other.write("a")
    #expect(try app.mergePage().isEmpty)
    #expect(try app.record().number == 0)
    #expect(try app.view.titles.isEmpty)
    #expect(try app.fetch().numbers == [1])
    #expect(try app.record().number == 0)
    #expect(try app.fetch().numbers == [1])
    #expect(app.awaitingMerge.numbers == [1])
    #expect(try app.mergePage().numbers == [1])
    #expect(try app.mergePage().isEmpty && app.awaitingMerge.isEmpty)
    #expect(try app.fetch().isEmpty)
    #expect(try shared.cursor("app") == 0)
    #expect(try app.record().number == 1)
    #expect(try shared.cursor("app") == 1)
  }

  @Test func `A merge applies the fetched transactions, not later commits`() throws {
    let app = try shared.launch("app")
    try other.write("a")
    _ = try app.fetch()
    try other.write("b")
    #expect(try app.mergePage().numbers == [1])
    #expect(try app.view.titles == ["a"])
    #expect(try app.record().number == 1)
    #expect(try app.pass().numbers == [2])
  }

  @Test func `A record without new transactions writes no row`() throws {
    let clock = CountingClock()
    let app = try shared.launch("app", on: try shared.open { $0.clock = { clock.read() } })
    try other.write("a")
    let before = clock.count
    try app.pass()
    #expect(clock.count == before + 1)
    try app.pass()
    _ = try app.record()
    #expect(clock.count == before + 1)
  }

  @Test func `The cursor moves to the last scanned transaction, not the last matching one`() throws
  {
    let app = try shared.launch("app", ignoring: ["noise"])
    let noise = try shared.writer("noise")
    try other.write("a")
    try noise.write("b")
    #expect(try app.pass().numbers == [1])
    #expect(try shared.cursor("app") == 2)
    try noise.write("c")
    try app.view.write("d")
    #expect(try app.pass().numbers.isEmpty)
    #expect(try shared.cursor("app") == 4)
    #expect(try app.view.titles == ["a", "d"])
  }

  @Test func `A transaction without an author is never ignored`() throws {
    let app = try shared.launch("app", ignoring: ["", "noise"])
    try shared.writer(nil).write("a")
    #expect(try app.pass().numbers == [1])
  }

  @Test(arguments: [(1, 5), (2, 3), (3, 2), (5, 1), (9, 1)])
  func `Each page is recorded before the next is fetched`(_ page: Int, _ pages: Int) throws {
    let clock = CountingClock()
    let store = try shared.open { $0.clock = { clock.read() } }
    let app = try shared.launch("app", page: page, on: store)
    try other.write("a", "b", "c", "d", "e")
    let before = clock.count
    let report = try app.pass()
    #expect(report.numbers == [1, 2, 3, 4, 5] && report.changeCount == 5)
    #expect(report.cursor?.number == 5 && report.transactionCount == 5)
    #expect(clock.count - before == pages)
    #expect(try app.view.titles.count == 5 && !app.hasMore)
  }

  @Test func `A pass that fails on a later page keeps and reports the records before it`() throws {
    let app = try shared.launch("app", page: 2)
    let ids = try other.write("a", "b", "c", "d", "e")
    let damage = try shared.open()
    try shared.damageChanges(of: 4)
    let report = app.passReport(purging: true)
    #expect(report.failure == .damagedTransaction(4))
    #expect(report.numbers == [1, 2] && report.cursor?.number == 2)
    #expect(try shared.cursor("app") == 2)
    #expect(report.purgedThrough == nil)
    #expect(try app.view.object(ids[2]) != nil && damage.heldNumbers().count == 5)
  }

  @Test func `Each context of a member merges the transactions that it did not save itself`() throws
  {
    let store = try shared.open()
    let contexts = ["view", "editor"].map { ObjectContext(store: store, author: "app", name: $0) }
    let app = try MemberSession("app", store: store, contexts: contexts, author: "app")
    try contexts[0].write("from view")
    try contexts[1].write("from editor")
    _ = try store.batchUpdate("Item", set: ["count": .int(3)], by: BatchAuthor("app"))
    try other.write("foreign")
    #expect(try app.pass().numbers == [1, 2, 3, 4])
    for context in contexts {
      #expect(try context.titles == ["foreign", "from editor", "from view"])
      let counts = try context.registeredObjects("Item").map { try $0["count"] }
      #expect(counts == [.int(3), .int(3), .null])
    }
  }

  @Test func `A member without contexts is notified of everything`() throws {
    let store = try shared.open()
    let indexer = try MemberSession("indexer", store: store, contexts: [], author: nil)
    try other.write("a")
    _ = try store.batchUpdate("Item", set: ["count": .int(3)], by: BatchAuthor(nil))
    #expect(try indexer.pass().numbers == [1, 2])
  }

  @Test func `A restored session continues where it was`() throws {
    let app = try shared.launch("app", ignoring: ["noise"], page: 2)
    try other.write("a", "b", "c")
    _ = try app.fetch()
    let store = try shared.open()
    let view = ObjectContext(store: store, snapshot: app.view.snapshot)
    let again = MemberSession(app.snapshot, store: store, contexts: [view])
    #expect(again.registration == app.registration && again.ignoredAuthors == ["noise"])
    #expect(again.awaitingMerge.numbers == [1, 2])
    #expect(try again.pass().numbers == [1, 2, 3])
    #expect(try again.view.titles == ["a", "b", "c"])
    #expect(try shared.cursor("app") == 3)
  }
}

/// A clock that counts how often it is read.
private final class CountingClock: Sendable {
  private let readings = Atomic<Int>(0)

  var count: Int { readings.load(ordering: .relaxed) }

  func read() -> Date {
    let count = readings.add(1, ordering: .relaxed).newValue
    return Date(timeIntervalSinceReferenceDate: Double(count))
  }
}

import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `The life of a member` {
  let shared: SharedStore
  let other: ObjectContext

  init() throws {
    shared = try SharedStore()
    other = try shared.writer("other")
  }

  @Test func `The first launch registers at the head and replays no transaction`() throws {
    try other.write("a", "b")
    let app = try shared.launch("app")
    #expect(app.registration.isNew && app.registration.cursor.number == 2)
    #expect(try app.view.titles == ["a", "b"])
    #expect(try app.fetch().isEmpty)
    #expect(try app.pass() == app.report(cursor: 2))
    #expect(try shared.cursor("app") == 2)
  }

  @Test func `The first launch in an empty store is notified of everything`() throws {
    let app = try shared.launch("app")
    #expect(app.registration.cursor.number == 0)
    try other.write("a")
    #expect(try app.pass().numbers == [1])
  }

  @Test func `A relaunch keeps the cursor and notifies again of merged transactions`() throws {
    var app: MemberSession? = try shared.launch("app")
    try other.write("a")
    try app?.pass()
    try other.write("b", "c")
    app = nil
    let again = try shared.launch("app")
    #expect(!again.registration.isNew && again.registration.cursor.number == 1)
    #expect(try again.view.titles == ["a", "b", "c"])
    #expect(try again.fetch().numbers == [2, 3])
    #expect(try again.mergePage().numbers == [2, 3])
    #expect(try again.view.titles == ["a", "b", "c"])
    #expect(try again.record().number == 3)
  }

  @Test func `A crash between any two steps causes a repeat, never a gap`() throws {
    let steps: [(MemberSession) throws -> Void] = [
      { _ = try $0.fetch() }, { _ = try $0.mergePage() }, { _ = try $0.record() },
      { _ = try $0.purge() },
    ]
    _ = try shared.launch("app")
    var reportedBefore: Int64 = 0
    for count in 0...steps.count {
      try other.write("\(count)")
      let head = try other.store.currentToken().number
      let app = try shared.launch("app")
      for step in steps.prefix(count) { try step(app) }
      // The process crashes here and loses its fetched and merged transactions.
      let again = try shared.launch("app")
      let reported = try again.fetch().numbers
      #expect(
        reported == (count < 3 ? Array(reportedBefore + 1...head) : []),
        "after \(count) steps"
      )
      #expect(try again.view.titles.count == count + 1)
      if count >= 2 { reportedBefore = head }
      if count == 2 { try again.pass() }
    }
  }

  @Test func `A stopped member retains the history that it has not merged`() throws {
    var app: MemberSession? = try shared.launch("app")
    let widget = try shared.launch("widget")
    try other.write("a", "b", "c")
    app = nil
    #expect(app == nil)
    try widget.pass(purging: true)
    #expect(try widget.store.heldNumbers() == [1, 2, 3])
    #expect(try shared.launch("app").fetch().numbers == [1, 2, 3])
  }

  @Test func `A retired member retains no history and is refused`() throws {
    let (app, widget) = (try shared.launch("app"), try shared.launch("widget"))
    try other.write("a", "b", "c")
    try app.retire()
    #expect(try shared.cursor("app") == nil)
    #expect(try widget.pass(purging: true).purgedThrough == 2)
    #expect(try widget.store.heldNumbers() == [3])
    let error = HistoryError.notAMember("app")
    #expect(throws: error) { try app.purge() }
    #expect(throws: error) { try app.resync() }
    #expect(throws: error) { try app.retire() }
  }

  @Test func `A member that returns after it retired is new`() throws {
    try shared.launch("app").retire()
    try other.write("a", "b")
    let again = try shared.launch("app")
    #expect(again.registration.isNew && again.registration.cursor.number == 2)
    #expect(try again.pass().numbers.isEmpty)
  }

  @Test func `A second launch supersedes the first, whose writes then fail`() throws {
    let old = try shared.launch("app")
    try other.write("a", "b")
    _ = try old.fetch()
    _ = try old.mergePage()
    let new = try shared.launch("app")
    #expect(new.registration.epoch > old.registration.epoch)
    let error = HistoryError.superseded("app")
    let before = try other.store.members()
    #expect(throws: error) { try old.record() }
    #expect(throws: error) { try old.pass(purging: true) }
    #expect(throws: error) { try old.purge() }
    #expect(throws: error) { try old.resync() }
    #expect(throws: error) { try old.retire() }
    #expect(try other.store.members() == before)
    #expect(try other.store.heldNumbers() == [1, 2])
    #expect(try new.pass(purging: true).numbers == [1, 2])
    #expect(try shared.cursor("app") == 2)
  }

  @Test func `Two members of one author merge each other's writes`() throws {
    let app = try shared.launch("app", author: "app")
    let widget = try shared.launch("widget", author: "app")
    try app.view.write("from app")
    try widget.view.write("from widget")
    #expect(try app.pass().numbers == [2])
    #expect(try widget.pass().numbers == [1])
    #expect(try app.view.titles == widget.view.titles)
  }

  @Test func `A member that was cut off reports it until it resyncs`() throws {
    let app = try shared.launch("app")
    try other.write("a", "b")
    try shared.cutOff("app")
    #expect(throws: HistoryError.lost("app")) { try app.pass() }
    #expect(throws: HistoryError.lost("app")) { try shared.launch("app") }
    #expect(try app.resync().number == 2)
    #expect(try app.view.titles == ["a", "b"])
    try other.write("c")
    #expect(try app.pass().numbers == [3])
  }
}

extension MemberSession {
  /// The report of a pass without new transactions.
  fileprivate func report(cursor: Int64) -> PassReport {
    var report = PassReport()
    report.cursor = HistoryToken(store: store.id, number: cursor, mark: recordedThrough.mark)
    return report
  }
}

import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `The article's fetcher and merger` {
  let rig: Rig

  init() throws { rig = try Rig(PublishedSystem(.article)) }

  @Test func `A launch has no cursor, whether it is the first or not`() throws {
    let rig = try Rig(PublishedSystem(.article), launching: false)
    #expect(try rig.perform(.launch("app")) == [.registered(cursor: nil)])
    #expect(try rig.perform(.crash("app")) == [.crashed])
    #expect(try rig.perform(.launch("app")) == [.launched(cursor: nil)])
    #expect(try rig.perform(.stop("app")) == [.stopped])
    #expect(try rig.perform(.launch("app")) == [.launched(cursor: nil)])
    #expect(try rig.perform(.retire("app")) == [.retired])
    #expect(try rig.perform(.launch("app")) == [.registered(cursor: nil)])
  }

  @Test func `The article fetches other authors, and its own only from the batch context`() throws {
    try rig.write("app", insert(1))
    try rig.write("app", insert(2), context: "background")
    try rig.write("app", insert(3), context: "batch")
    try rig.write("widget", insert(4))
    try rig.write("widget", insert(5), context: "background")
    try rig.write("widget", insert(6), context: "batch")
    #expect(try rig.perform(.fetch("app")) == [.fetched(["3", "4", "5", "6"])])
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["1", "2", "3", "6"])])
  }

  @Test func `Authors outside the group are never fetched`() throws {
    try rig.write("widget", insert(1), author: .absent)
    try rig.write("widget", insert(2), author: .other("NSCloudKitMirroringDelegate.import"))
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    // A write of its own author by another process counts as its own.
    try rig.write("widget", insert(3), author: .other("app"))
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["3"])])
  }

  @Test func `Batch authors of the group are fetched`() throws {
    let rig = try Rig(PublishedSystem(.article)) { $0.batchAuthors = ["import"] }
    try rig.write("widget", insert(1), context: "batch", author: .other("import"))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1"])])
  }

  @Test func `The date is recorded before the merge, and not after an empty fetch`() throws {
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    try rig.write("widget", insert(1))
    try rig.write("widget", insert(2))
    #expect(
      try rig.perform(.pass("app")) == [
        .fetched(["1", "2"]), .recorded(cursor: "2"), .merged(["1", "2"]),
      ]
    )
    #expect(try rig.objects(.view("app", context: "view"))?.count == 2)
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    #expect(try rig.perform(.record("app")).isEmpty)
  }

  @Test func `A crash between the record and the merge loses the transaction permanently`() throws {
    try rig.write("widget", insert(1))
    try rig.perform(.fetch("app"))
    #expect(try rig.perform(.record("app")) == [.recorded(cursor: "1")])
    try rig.perform(.crash("app"))
    try rig.perform(.launch("app"))
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
  }

  @Test func `A fetch is strictly after the date and never returns an equal or earlier time`()
    throws
  {
    try rig.write("widget", insert(1))
    try rig.perform(.pass("app"))
    try rig.write("widget", insert(2), after: 0)
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    try rig.write("widget", insert(3), after: -5)
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    try rig.write("widget", insert(4), after: 5.000_001)
    #expect(try rig.perform(.fetch("app")) == [.fetched(["4"])])
  }

  @Test func `The recorded date is the last transaction's, not the latest`() throws {
    try rig.write("widget", insert(1), after: 10)
    try rig.write("widget", insert(2), after: -5)
    #expect(try rig.perform(.pass("app")).contains(.recorded(cursor: "2")))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1"])])
  }

  @Test func `Two processes of one author share its date`() throws {
    let rig = try Rig(PublishedSystem(.article), actors: ["app", "second", "widget"]) { header in
      header.actors[1].author = "app"
    }
    try rig.write("widget", insert(1))
    #expect(try rig.perform(.pass("app")).contains(.merged(["1"])))
    #expect(try rig.perform(.pass("second")) == [.fetched([])])
  }

  @Test func `Pending merges run in the order of their passes, twice after dates were removed`()
    throws
  {
    try rig.write("widget", insert(1))
    try rig.perform(.fetch("app"))
    try rig.perform(.record("app"))
    try rig.write("widget", insert(2))
    try rig.perform(.fetch("app"))
    try rig.perform(.record("app"))
    #expect(try rig.perform(.merge("app")) == [.merged(["1"]), .merged(["2"])])
    #expect(try rig.perform(.merge("app")) == [.merged([])])
    try rig.write("widget", insert(3))
    try rig.perform(.fetch("app"))
    try rig.perform(.record("app"))
    try rig.perform(.pass("widget"))
    rig.clock.now += 8 * 86_400
    try rig.write("widget", insert(4))
    try rig.perform(.purge("widget"))
    try rig.perform(.fetch("app"))
    #expect(try rig.perform(.merge("app")) == [.merged(["3"]), .merged(["4"])])
  }

  @Test func `A notification triggers a pass`() throws {
    try rig.write("widget", insert(1))
    let events = try rig.perform(.deliver("app", .delivered))
    #expect(events == [.woke, .fetched(["1"]), .recorded(cursor: "1"), .merged(["1"])])
  }

  @Test func `The article can neither resync nor poll`() throws {
    for action in [Action.resync("app"), .poll("app", .delivered)] {
      let failure = #expect(throws: SystemFailure.self) { try rig.perform(action) }
      #expect(failure?.code == .unsupported)
    }
    #expect(!rig.system.capabilities.contains(.resync))
  }
}

@Suite struct `The article's cleaner` {
  let rig: Rig
  private let day = 86_400.0

  init() throws { rig = try Rig(PublishedSystem(.article)) }

  @Test func `While no actor has a date the cleaner deletes no transaction`() throws {
    try rig.write("app", insert(1))
    try rig.write("app", insert(2), after: 30 * day)
    #expect(try rig.perform(.purge("app")).isEmpty)
    #expect(try rig.held() == ["1", "2"])
  }

  @Test
  func `While a date is missing and the earliest is recent the cleaner deletes no transaction`()
    throws
  {
    try rig.write("app", insert(1))
    try rig.perform(.pass("widget"))
    try rig.write("app", insert(2), after: 7 * day)
    #expect(try rig.perform(.purge("app")).isEmpty)
    #expect(try rig.held() == ["1", "2"])
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["2"])])
  }

  @Test func `When the earliest date is over seven days old, older history goes, merged or not`()
    throws
  {
    try rig.write("app", insert(1))
    try rig.perform(.pass("widget"))
    try rig.write("app", insert(2))
    try rig.write("widget", insert(3), after: day)
    try rig.write("app", insert(4), after: 6 * day)
    rig.clock.now += day + 0.5
    // Seven days ago is half a second after the widget's write; no actor has merged the second.
    let events = try rig.perform(.purge("app"))
    #expect(
      events == [.purged(["1", "2", "3"]), .recorded(cursor: nil), .recorded(cursor: nil)]
    )
    #expect(try rig.held() == ["4"])
  }

  @Test func `When every actor has a date, history before the earliest goes and dates are removed`()
    throws
  {
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2))
    try rig.write("app", insert(3))
    try rig.write("widget", insert(4))
    try rig.perform(.pass("app"))
    try rig.perform(.pass("widget"))
    // The widget's date is the third transaction's, the app's the fourth's.
    #expect(
      try rig.perform(.purge("app")) == [
        .purged(["1", "2"]), .recorded(cursor: nil), .recorded(cursor: nil),
      ]
    )
    #expect(try rig.held() == ["3", "4"])
    #expect(try rig.perform(.fetch("app")) == [.fetched(["4"])])
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["3"])])
    #expect(try rig.perform(.purge("app")).isEmpty)
  }

  @Test func `Transactions at the earliest date are kept`() throws {
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2), after: 0)
    try rig.perform(.pass("app"))
    try rig.perform(.pass("widget"))
    #expect(
      try rig.perform(.purge("app")) == [.recorded(cursor: nil), .recorded(cursor: nil)]
    )
    #expect(try rig.held() == ["1", "2"])
  }

  @Test func `Authors outside the group are never deleted`() throws {
    try rig.write("app", insert(1), author: .absent)
    try rig.write("app", insert(2), author: .other("NSCloudKitMirroringDelegate.import"))
    try rig.write("app", insert(3))
    try rig.write("app", insert(4))
    try rig.write("widget", insert(5))
    try rig.perform(.pass("app"))
    try rig.perform(.pass("widget"))
    #expect(try rig.perform(.purge("app")).first == .purged(["3"]))
    #expect(try rig.held() == ["1", "2", "4", "5"])
  }

  @Test func `Only launched actors lose their dates in the trace`() throws {
    let rig = try Rig(PublishedSystem(.article), actors: ["app", "widget"], launching: false)
    try rig.perform(.launch("app"))
    try rig.write("app", insert(1), author: .other("widget"))
    try rig.perform(.pass("app"))
    rig.clock.now += 8 * day
    #expect(try rig.perform(.purge("app")) == [.purged(["1"]), .recorded(cursor: nil)])
  }

  @Test func `The eager variant cleans after every pass that found transactions`() throws {
    let rig = try Rig(PublishedSystem(.articleEager))
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2))
    try rig.write("app", insert(3))
    try rig.perform(.pass("app"))
    let events = try rig.perform(.pass("widget"))
    #expect(
      events == [
        .fetched(["1", "3"]), .recorded(cursor: "3"), .merged(["1", "3"]), .purged(["1"]),
        .recorded(cursor: nil), .recorded(cursor: nil),
      ]
    )
    #expect(try rig.perform(.pass("app")).count == 3)
  }

  @Test func `A purge of everything does not reuse a number`() throws {
    try rig.write("app", insert(1))
    try rig.perform(.pass("widget"))
    rig.clock.now += 8 * day
    #expect(try rig.perform(.purge("widget")).first == .purged(["1"]))
    #expect(try rig.held().isEmpty)
    #expect(try rig.write("app", insert(2)).committed?.name == "2")
  }
}

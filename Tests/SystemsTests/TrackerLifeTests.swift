import HistoryStore
import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `The life of the tracker's processes` {
  private let view = { (actor: ActorID) in Action.view(actor, context: "view") }

  @Test func `A first launch registers at the head, a later one resumes at the cursor`() throws {
    let rig = try Rig(TrackerSystem(), launching: false)
    #expect(try rig.perform(.launch("app")) == [.registered(cursor: nil)])
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    #expect(try rig.perform(.launch("widget")) == [.registered(cursor: "2")])
    #expect(try rig.objects(view("widget"))?.count == 2)
    try rig.write("app", insert(3))
    #expect(try rig.perform(.stop("widget")) == [.stopped])
    try rig.write("app", insert(4))
    #expect(try rig.perform(.launch("widget")) == [.launched(cursor: "2")])
    #expect(try rig.objects(view("widget"))?.count == 4)
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["3", "4"])])
  }

  @Test func `A suspended process holds history back, and goes on in the middle of its pass`()
    throws
  {
    let rig = try Rig(TrackerSystem())
    try rig.write("app", insert(1))
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["1"])])
    #expect(try rig.perform(.suspend("widget")) == [.suspended])
    #expect(throws: SystemFailure.self) { try rig.perform(.merge("widget")) }
    try rig.write("app", insert(2))
    #expect(try !rig.perform(.pass("app")).map(\.word).contains(.purged))
    #expect(try rig.perform(.resume("widget")) == [.resumed])
    #expect(try rig.perform(.merge("widget")) == [.merged(["1"])])
    #expect(try rig.perform(.record("widget")) == [.recorded(cursor: "1")])
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["2"])])
  }

  @Test func `A snapshot keeps a suspension`() throws {
    let rig = try Rig(TrackerSystem())
    try rig.write("app", insert(1))
    try rig.perform(.suspend("widget"))
    let snapshot = try rig.system.snapshot()
    try rig.perform(.resume("widget"))
    try rig.perform(.pass("widget"))
    try rig.system.restore(snapshot)
    #expect(throws: SystemFailure.self) { try rig.perform(.pass("widget")) }
    try rig.perform(.resume("widget"))
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["1"])])
  }

  @Test func `Each step reports its effects`() throws {
    let rig = try Rig(TrackerSystem())
    try rig.write("app", insert(1))
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["1"])])
    try rig.write("app", insert(2))
    #expect(try rig.perform(.merge("widget")) == [.merged(["1"])])
    #expect(try rig.perform(.merge("widget")) == [.merged([])])
    #expect(try rig.perform(.record("widget")) == [.recorded(cursor: "1")])
    #expect(try rig.objects(view("widget")) == [item(1): [:]])
    #expect(try rig.perform(.record("app")) == [.recorded(cursor: nil)])
    #expect(
      try rig.perform(.pass("app")) == [
        .merged([]), .recorded(cursor: "2"), .passed(through: "2"), .purged(["1"]),
      ]
    )
  }

  @Test func `A pass reports its final purge unless the strategy is none`() throws {
    let rig = try Rig(TrackerSystem()) { $0.actors[1].strategy = "none" }
    for key in Int64(1)...3 { try rig.write("app", insert(key)) }
    try rig.perform(.pass("app"))
    #expect(
      try rig.perform(.pass("widget")) == [
        .merged(["1", "2", "3"]), .recorded(cursor: "3"), .passed(through: "3"),
      ]
    )
    #expect(
      try rig.perform(.pass("app")) == [
        .merged([]), .recorded(cursor: "3"), .passed(through: "3"), .purged(["1", "2"]),
      ]
    )
    #expect(try rig.held() == ["3"])
    #expect(try rig.perform(.purge("app")).isEmpty)
  }

  @Test func `A purge stops at the slowest member, even if that one is down`() throws {
    let rig = try Rig(TrackerSystem())
    try rig.perform(.crash("widget"))
    for key in Int64(1)...3 { try rig.write("app", insert(key)) }
    #expect(
      try rig.perform(.pass("app")) == [
        .merged([]), .recorded(cursor: "3"), .passed(through: "3"),
      ]
    )
    #expect(try rig.perform(.purge("app")).isEmpty)
    try rig.perform(.launch("widget"))
    #expect(try rig.perform(.retire("widget")) == [.retired])
    #expect(try rig.perform(.purge("app")) == [.purged(["1", "2"])])
    #expect(try rig.perform(.launch("widget")) == [.registered(cursor: "3")])
  }

  @Test func `A member with purged history gets an error and resyncs`() throws {
    let system = TrackerSystem()
    let rig = try Rig(system)
    for key in Int64(1)...3 { try rig.write("app", insert(key)) }
    // As a cleaner that waits for no member: the first two are purged.
    let bench = try system.host.planStore()
    let store = try bench.connect(bench.header.model)
    let newest = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    try store.deleteHistory(before: newest.timestamp, authors: nil)
    for action in [Action.fetch("widget"), .pass("widget")] {
      let failure = #expect(throws: SystemFailure.self) { try rig.perform(action) }
      #expect(failure?.code == .expired)
      #expect(try rig.events(of: action) == [.expired])
    }
    #expect(try rig.perform(.resync("widget")) == [.resynced(cursor: "3")])
    #expect(try rig.objects(view("widget"))?.count == 3)
    #expect(try rig.perform(.fetch("widget")) == [.fetched([])])
  }

  @Test func `An actor does not merge its ignored authors`() throws {
    let rig = try Rig(TrackerSystem(), actors: ["app", "widget", "share"]) { header in
      header.actors[1].ignores = ["app"]
    }
    try rig.write("app", insert(1))
    try rig.write("share", insert(2))
    try rig.write("app", insert(3))
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["2"])])
    #expect(try rig.perform(.merge("widget")) == [.merged(["2"])])
    #expect(try rig.perform(.record("widget")) == [.recorded(cursor: "3")])
  }

  @Test func `History reports authors, contexts, times, columns and tombstones`() throws {
    let rig = try Rig(TrackerSystem())
    try rig.write("app", insert(1, "milk", 1))
    try rig.write("widget", update(1, nil, 2), context: "background", author: .absent)
    try rig.write("app", delete(1), context: "batch")
    guard case .history(let held) = try rig.perform(.history).first else {
      Issue.record("no history")
      return
    }
    #expect(held.map(\.name) == ["1", "2", "3"])
    #expect(held.map(\.author) == ["app", nil, "app"])
    #expect(held.map(\.context) == ["view", "background", "batch"])
    #expect(held.map(\.timestamp) == [1, 2, 3].map { PlanClock.start + $0 })
    #expect(held[1].changes == [CommittedChange(.update, item(1), columns: ["count"])])
    let gone = CommittedChange(.delete, item(1), tombstone: values("milk", nil))
    #expect(held[2].changes == [gone])
  }

  @Test func `The lab alone controls the clock`() throws {
    let rig = try Rig(TrackerSystem())
    #expect(try rig.perform(.clock(advance: 5)).isEmpty)
    #expect(rig.clock.now == PlanClock.start)
  }

  @Test func `A signal triggers one pass, and a poll without new commits none`() throws {
    let rig = try Rig(TrackerSystem())
    try rig.write("widget", insert(1))
    let pass: [EventKind] = [.woke, .merged(["1"]), .recorded(cursor: "1")]
    #expect(try rig.perform(.deliver("app", .delivered)) == pass)
    #expect(try rig.perform(.deliver("app", .delivered)) == [])
    #expect(try rig.perform(.poll("app", .delivered)) == [])
    try rig.write("widget", insert(2))
    #expect(try rig.perform(.poll("app", .delivered)).first == .woke)
  }

  @Test func `Unsupported commands, and commands to a stopped actor, are refused`() throws {
    let rig = try Rig(TrackerSystem())
    #expect(throws: SystemFailure(.failed, "app is not a running consumer.")) {
      try rig.perform(.consume("app"))
    }
    try rig.perform(.stop("app"))
    let stopped = SystemFailure(.failed, "app is not running.")
    let write = PlannedWrite(actor: "app", changes: [insert(1)])
    for action in [.fetch("app"), .write(write), .retire("app"), view("app"), Action.commit("app")]
    {
      #expect(throws: stopped) { try rig.perform(action) }
    }
    #expect(throws: SystemFailure(.failed, #"The plan has no actor "mac"."#)) {
      try rig.perform(.launch("mac"))
    }
    var log = EventLog()
    #expect(throws: SystemFailure.self) { try TrackerSystem().perform(.data, &log) }
  }

  @Test func `A reset restores the initial state`() throws {
    let system = TrackerSystem()
    let first = try Rig(system)
    try first.write("app", insert(1))
    let second = try Rig(system, launching: false)
    #expect(try second.objects(.data) == [:] && second.held().isEmpty)
    #expect(try second.perform(.launch("app")) == [.registered(cursor: nil)])
  }
}

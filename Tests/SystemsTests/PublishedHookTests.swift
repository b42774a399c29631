import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `The hooks of the published systems` {
  private func rig(_ system: TrackingDesign, _ hooks: PlannedHook...) throws -> Rig {
    try Rig(system) { $0.actors[0].hooks = hooks.map(\.rawValue) }
  }

  /// Returns the third of three passes of the app; the widget writes before each.
  private func thirdPass(_ rig: Rig) throws -> [EventKind] {
    var events: [EventKind] = []
    for key in 1...3 as ClosedRange<Int64> {
      try rig.write("widget", insert(key))
      events = try rig.events(of: .pass("app"))
    }
    return events
  }

  @Test func `Observers of version 2 are called before the merge`() throws {
    let rig = try rig(.kit2, .observer)
    try rig.write("widget", insert(1))
    try rig.write("widget", insert(2))
    #expect(
      try rig.perform(.pass("app")) == [
        .fetched(["1", "2"]), .observed(["1", "2"]), .merged(["1", "2"]), .recorded(cursor: "2"),
      ]
    )
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
  }

  @Test func `Observers cannot throw: a failing one counts as notified`() throws {
    let events = try thirdPass(rig(.kit2, .observerRetry))
    #expect(
      events == [.fetched(["3"]), .observed(["3"]), .merged(["3"]), .recorded(cursor: "3")]
    )
  }

  @Test(arguments: [PlannedHook.retry, .skip])
  func `A merge hook that throws ends the pass, and the next pass repeats everything`(
    _ hook: PlannedHook
  ) throws {
    let rig = try rig(.kit2, .observer, hook)
    #expect(try thirdPass(rig) == [.fetched(["3"]), .observed(["3"])])
    #expect(try rig.perform(.record("app")) == [])
    let failure = #expect(throws: SystemFailure.self) {
      for key in 4...6 as ClosedRange<Int64> {
        try rig.write("widget", insert(key))
        let events = try rig.perform(.pass("app"))
        #expect(key > 4 || events.prefix(2) == [.fetched(["3", "4"]), .observed(["3", "4"])])
      }
    }
    #expect(failure?.code == .failed)
    rig.system.recover()
    #expect(try rig.perform(.pass("app")).contains(.recorded(cursor: "6")))
  }

  @Test func `A merge hook that finishes drops the whole batch permanently`() throws {
    let rig = try rig(.kit2, .observer, .finish)
    #expect(
      try thirdPass(rig) == [
        .fetched(["3"]), .observed(["3"]), .finished(["3"]), .recorded(cursor: "3"),
      ]
    )
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    #expect(try rig.objects(.view("app", context: "view"))?.keys.sorted() == [item(1), item(2)])
  }

  @Test func `A merge hook that finishes skips the later hooks`() throws {
    let rig = try rig(.kit2, .finish, .retry)
    #expect(try thirdPass(rig) == [.fetched(["3"]), .finished(["3"]), .recorded(cursor: "3")])
    // The second was called only twice, so that its third call comes next.
    try rig.write("widget", insert(4))
    #expect(throws: SystemFailure.self) { try rig.perform(.pass("app")) }
  }

  @Test func `The deduplicator of version 1 runs after the date is recorded`() throws {
    for system in [TrackingDesign.kit10, .kit13] {
      let rig = try rig(system, .observer)
      try rig.write("widget", insert(1))
      let events = try rig.perform(.pass("app"))
      #expect(
        events == [.fetched(["1"]), .merged(["1"]), .recorded(cursor: "1"), .observed(["1"])]
      )
      #expect(!rig.system.capabilities.contains(.hooks))
    }
  }

  @Test func `The article has no hooks`() throws {
    let rig = try rig(.article, .observer, .retry)
    #expect(try thirdPass(rig) == [.fetched(["3"]), .recorded(cursor: "3"), .merged(["3"])])
  }

  @Test func `A snapshot has the call counts of hooks and the counters of strategies`() throws {
    let rig = try Rig(.kit2) {
      $0.actors[0].hooks = [PlannedHook.retry.rawValue]
      $0.actors[0].strategy = "byNotification/2"
    }
    var digests = [try rig.system.digest()]
    for key in 1...2 as ClosedRange<Int64> {
      try rig.write("widget", insert(key))
      try rig.perform(.pass("app"))
      digests.append(try rig.system.digest())
    }
    #expect(Set(digests).count == 3)
    let (snapshot, now) = (try rig.system.snapshot(), rig.clock.now)
    try rig.write("widget", insert(3))
    #expect(throws: SystemFailure.self) { try rig.perform(.pass("app")) }
    try rig.system.restore(snapshot)
    rig.clock.now = now
    #expect(try rig.system.digest() == digests[2])
    try rig.write("widget", insert(3))
    #expect(throws: SystemFailure.self) { try rig.perform(.pass("app")) }
  }
}

@Suite struct `Mirrors next to published systems` {
  @Test func `A mirror that lags finds its history expired after a kit deleted it`() throws {
    let rig = try Rig(.kit2) { $0.consumers = ["mirror"] }
    try rig.perform(.launch("mirror"))
    try rig.write("app", insert(1))
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["1"])])
    try rig.write("app", insert(2))
    try rig.write("widget", insert(3))
    try rig.write("app", insert(4))
    try rig.perform(.pass("app"))
    #expect(try rig.purged(by: .pass("widget")) == ["1", "2"])
    #expect(try rig.events(of: .consume("mirror")) == [.expired])
  }

  @Test func `A mirror that keeps up reads everything`() throws {
    let rig = try Rig(.kit2) { $0.consumers = ["mirror"] }
    try rig.perform(.launch("mirror"))
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2))
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["1", "2"])])
    try rig.perform(.pass("app"))
    #expect(try rig.purged(by: .pass("widget")) == [])
    try rig.write("app", insert(3))
    #expect(try rig.purged(by: .pass("widget")) == ["1"])
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["3"])])
  }

  @Test func `A snapshot keeps a mirror's token`() throws {
    let rig = try Rig(.kit10) { $0.consumers = ["mirror"] }
    try rig.perform(.launch("mirror"))
    try rig.write("app", insert(1))
    let (snapshot, digest) = (try rig.system.snapshot(), try rig.system.digest())
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["1"])])
    #expect(try rig.system.digest() != digest)
    try rig.system.restore(snapshot)
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["1"])])
  }

  @Test func `An actor that is not a consumer cannot consume`() throws {
    let rig = try Rig(.article)
    let failure = #expect(throws: SystemFailure.self) { try rig.perform(.consume("app")) }
    #expect(failure?.code == .failed)
  }
}

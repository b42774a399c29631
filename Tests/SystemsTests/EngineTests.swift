import HistoryTracking
import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `The whole tracker in a simulated process` {
  private func rig(
    _ hooks: [PlannedHook] = [],
    drive: Drive = .commands,
    _ change: (inout PlanHeader) -> Void = { _ in }
  ) throws -> Rig {
    try Rig(TrackerSystem()) { header in
      header.drive = drive
      if !hooks.isEmpty { header.actors[0].hooks = hooks.map(\.rawValue) }
      change(&header)
    }
  }

  @Test func `An observer is called once, before the merge`() throws {
    let rig = try rig([.observer])
    try rig.write("widget", insert(1), insert(2))
    try rig.write("widget", update(1, "a"))
    #expect(
      try rig.perform(.pass("app")) == [
        .observed(["1", "2"]), .merged(["1", "2"]), .recorded(cursor: "2"), .passed(through: "2"),
      ]
    )
    #expect(
      try rig.perform(.pass("app")) == [
        .merged([]), .recorded(cursor: "2"), .passed(through: "2"),
      ]
    )
  }

  @Test func `The steps of a pass may run one by one`() throws {
    let rig = try rig([.observer])
    try rig.write("widget", insert(1))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1"])])
    #expect(try rig.perform(.merge("app")) == [.observed(["1"]), .merged(["1"])])
    try rig.perform(.crash("app"))
    #expect(try rig.perform(.launch("app")) == [.launched(cursor: nil)])
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1"])])
    #expect(try rig.perform(.merge("app")) == [.observed(["1"]), .merged(["1"])])
    #expect(try rig.perform(.record("app")) == [.recorded(cursor: "1")])
  }

  @Test func `A merge hook that throws fails the pass or is skipped`() throws {
    for (hook, fails) in [(PlannedHook.retry, true), (.skip, false)] {
      let rig = try rig([hook])
      var failures = 0
      for key in 1...3 as ClosedRange<Int64> {
        try rig.write("widget", insert(key))
        do { try rig.perform(.pass("app")) } catch { failures += 1 }
      }
      #expect(failures == (fails ? 1 : 0))
      #expect(try rig.perform(.pass("app")).contains(.merged(["3"])) == fails)
      rig.system.recover()
    }
  }

  @Test func `A signal triggers a pass, and a failed pass another signal`() throws {
    let rig = try rig([.observerRetry], drive: .signals)
    let write = try rig.write("widget", insert(1), insert(2))
    #expect(write.suffix(2) == [.signalled, .signalled])
    #expect(
      try rig.perform(.deliver("app", .delivered)) == [
        .woke, .observed(["1"]), .merged(["1"]), .recorded(cursor: "1"),
      ]
    )
    try rig.write("widget", update(1, "a"))
    #expect(try rig.perform(.deliver("app", .delivered)).contains(.observed(["2"])))
    try rig.write("widget", update(1, "b"))
    let failed = try rig.events(of: .deliver("app", .delivered))
    #expect(failed == [.woke, .signalled])
    #expect(
      try rig.perform(.deliver("app", .delivered)) == [
        .woke, .observed(["3"]), .merged(["3"]), .recorded(cursor: "3"),
      ]
    )
  }

  @Test func `A process that ends while it waits to retry a pass is gone`() throws {
    let rig = try rig([.observerRetry], drive: .signals)
    for key in 1...3 as ClosedRange<Int64> {
      try rig.write("widget", insert(key))
      _ = try rig.events(of: .deliver("app", .delivered))
    }
    #expect(try rig.perform(.crash("app")) == [.crashed])
    #expect(try rig.perform(.launch("app")).first == .launched(cursor: "2"))
  }

  @Test func `A second process of a running actor is refused`() throws {
    for hooks in [[PlannedHook](), [.observer]] {
      let rig = try rig(hooks)
      let refused = #expect(throws: SystemFailure.self) { try rig.perform(.launch("app")) }
      #expect(refused?.code == .inUse)
      try rig.perform(.crash("app"))
      #expect(try rig.perform(.launch("app")) == [.launched(cursor: nil)])
    }
  }

  @Test func `A member cut off by a limit gets an error and reloads everything`() throws {
    let rig = try rig { $0.retention = PlannedRetention(transactions: 2) }
    for key in 1...4 as ClosedRange<Int64> { try rig.write("app", insert(key)) }
    let purge = try rig.perform(.purge("app"))
    #expect(purge.contains(.lost))
    #expect(try rig.events(of: .fetch("widget")) == [.expired])
    #expect(try rig.perform(.resync("widget")) == [.resynced(cursor: "4")])
    #expect(try rig.perform(.fetch("widget")) == [.fetched([])])
  }

  @Test func `A member cut off while it was down registers again`() throws {
    let rig = try rig { $0.retention = PlannedRetention(transactions: 2) }
    try rig.perform(.stop("widget"))
    for key in 1...4 as ClosedRange<Int64> { try rig.write("app", insert(key)) }
    try rig.perform(.purge("app"))
    #expect(try rig.perform(.launch("widget")) == [.expired, .registered(cursor: "4")])
  }

  @Test func `A restored tracker has the effects of its earlier hooks and signals`()
    throws
  {
    let rig = try rig([.observerRetry], drive: .signals)
    for key in 1...2 as ClosedRange<Int64> {
      try rig.write("widget", insert(key))
      try rig.perform(.deliver("app", .delivered))
    }
    let (snapshot, digest, now) = (
      try rig.system.snapshot(), try rig.system.digest(), rig.clock.now
    )
    // The third call of the hook fails, and the pass is retried.
    func goOn() throws -> [[EventKind]] {
      try rig.write("widget", insert(3))
      return [
        try rig.events(of: .deliver("app", .delivered)),
        try rig.perform(.deliver("app", .delivered)),
      ]
    }
    let first = try goOn()
    #expect(first[0] == [.woke, .signalled] && first[1].contains(.merged(["3"])))
    for _ in 1...2 {
      try rig.system.restore(snapshot)
      rig.clock.now = now
      #expect(try rig.system.digest() == digest)
      #expect(try goOn() == first)
    }
  }

  @Test func `A tracker that waits to retry a pass cannot be saved`() throws {
    let rig = try rig([.observerRetry], drive: .signals)
    for key in 1...3 as ClosedRange<Int64> {
      try rig.write("widget", insert(key))
      _ = try rig.events(of: .deliver("app", .delivered))
    }
    let refused = #expect(throws: SystemFailure.self) { try rig.system.snapshot() }
    #expect(refused?.code == .unsupported)
  }

  @Test(arguments: [
    (nil, PurgeStrategy.whenMerged), ("none", PurgeStrategy.none),
    ("byNotification/3", .byNotification(times: 3)), ("byDuration/1.5", .byDuration(.seconds(1.5))),
    ("whenLargerThan/0.25", .whenLargerThan(share: 0.25)),
  ])
  func `A strategy is parsed from its name`(_ word: String?, _ strategy: PurgeStrategy) {
    #expect(PurgeStrategy(planned: word) == strategy)
  }

  @Test(arguments: ["", "None", "none/1", "byNotification", "byNotification/0", "whenLargerThan/2"])
  func `An unknown strategy name is refused`(_ word: String) {
    #expect(PurgeStrategy(planned: word) == nil)
  }
}

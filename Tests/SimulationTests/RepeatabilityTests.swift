import Checkers
import HistoryTypes
import PropertyTesting
import PropertyTraits
import TestSupport
import Testing
import Traces

@testable import Simulation
@testable import Systems

@Suite struct `Repeatability of plans` {
  private static func make(_ name: String) -> any SystemUnderTest {
    TrackingDesign.all.first { $0.name == name }.map(PublishedSystem.init) ?? TrackerSystem()
  }

  private static func plan(_ seed: UInt64, for name: String) -> Plan {
    Plans.random(seed, timestamps(for: name))
  }

  private static func timestamps(for name: String) -> TimestampPolicy {
    name == "tracker" ? .monotone : .wallClock
  }

  private static let names = ["tracker", "article", "kit-1.3", "kit-2"]

  @Test(arguments: names)
  func `A plan gives the same events, whatever ran before`(_ name: String) throws {
    let simulator = Simulator(Self.make(name), at: .heap())
    let plans = (1...12 as ClosedRange<UInt64>).map { Self.plan($0, for: name) }
    let first = try plans.map { try simulator.run($0) }
    let backwards = try plans.reversed().map { try simulator.run($0) }
    #expect(first == backwards.reversed())
    for (plan, events) in zip(plans, first) {
      #expect(try Simulator(Self.make(name), at: .heap()).run(plan) == events)
    }
  }

  @Test(.property(cases: 2, seed: 1), arguments: names)
  func `A plan gives the same trace byte for byte, even after a round trip through a file`(
    _ name: String
  ) async throws {
    try await property(.everyday(Self.timestamps(for: name))) { plan in
      let read = try PlanCodec.decode(PlanCodec.encode(plan))
      #expect(read == plan)
      let texts = try [plan, read].map { plan in
        let events = try Simulator(Self.make(name), at: .heap()).run(plan)
        return TraceCodec.encode(
          Trace(header: TraceHeader(plan: plan, system: name), events: events)
        )
      }
      #expect(texts[0] == texts[1] && texts[0].utf8.count > 500)
    }
  }

  @Test(.property(cases: 2, seed: 1), arguments: names)
  func `Real files give the same events as heap files`(_ name: String) async throws {
    try await property(.everyday(Self.timestamps(for: name))) { plan in
      let folder = try TemporaryFolder()
      let disk = Simulator(Self.make(name), at: try .folder(folder.path("stores")))
      let heap = Simulator(Self.make(name), at: .heap())
      let events = try disk.run(plan).map(\.withoutMessage)
      #expect(try events == heap.run(plan).map(\.withoutMessage))
    }
  }

  @Test func `A folder contains only the running plan's store`() throws {
    let folder = try TemporaryFolder()
    let place = try StorePlace.folder(folder.url.path)
    let system = TrackerSystem()
    let simulator = Simulator(system, at: place)
    for seed in 1...3 as ClosedRange<UInt64> { _ = try simulator.run(Self.plan(seed, for: "")) }
    #expect(try folder.names().filter { $0.hasSuffix(".store") } == ["plan-3.store"])
    system.close()
    place.removeStore()
    #expect(try folder.names().isEmpty)
  }

  @Test func `A folder that cannot be created is reported`() throws {
    let folder = try TemporaryFolder()
    try "".write(toFile: folder.path("file"), atomically: true, encoding: .utf8)
    let error = #expect(throws: StorePlaceError.self) {
      try StorePlace.folder(folder.path("file/stores"))
    }
    #expect(error?.description.contains("Choose a folder that can be written.") == true)
  }

  @Test func `The first and the second plan of a model start from the same store`() throws {
    let simulator = Simulator(TrackerSystem(), at: .heap())
    let plan = try Plans.make(["app", "widget"], write("app", 1), .pass("widget"), .purge("app"))
    let (first, second) = (try simulator.run(plan), try simulator.run(plan))
    #expect(first == second)
    #expect(first.contains { $0.kind == .registered(cursor: nil) })
  }

  @Test func `Models and timestamp policies do not share a store`() throws {
    let simulator = Simulator(PublishedSystem(.article), at: .heap())
    let plans = (40...55 as ClosedRange<UInt64>).map { seed in
      Plans.random(seed, seed.isMultiple(of: 2) ? .monotone : .wallClock)
    }
    #expect(Set(plans.map(\.header.model.entities.count)) == [1, 2])
    for plan in plans {
      let alone = try Simulator(PublishedSystem(.article), at: .heap()).run(plan)
      #expect(try simulator.run(plan) == alone)
    }
  }
}

@Suite struct `Plans on the real systems` {
  @Test(.property(cases: 40, seed: 1))
  func `A generated plan has no command to skip`() async throws {
    try await property(.everyday()) { plan in
      for event in try Simulator(TrackerSystem(), at: .heap()).run(plan) {
        if case .skipped(let command, let because) = event.kind {
          Issue.record("command \(command ?? -1): \(because)")
        }
        // A write under the policy `error` may meet a conflict.
        if case .ended(let command, .failed(let failure)) = event.kind,
          failure.code != .conflict
        {
          Issue.record("command \(command ?? -1): \(failure)")
        }
      }
    }
  }

  @Test(.property(cases: 30, seed: 1))
  func `The checkers find no violation in the tracker's traces`() async throws {
    try await property(.everyday()) { plan in
      let trace = Trace(
        header: TraceHeader(plan: plan, system: "tracker"),
        events: try Simulator(TrackerSystem(), at: .heap()).run(plan)
      )
      #expect(CheckerSuite(checking: trace).violation == nil)
    }
  }

  @Test func `A late joiner is notified of later transactions only`() throws {
    var plan = try Plans.make(
      ["app", "late"],
      write("app", 1),
      write("app", 2),
      .launch("late"),
      write("app", 3),
      .pass("late")
    )
    plan.header.actors[1].launched = false
    let events = try Simulator(TrackerSystem(), at: .heap()).run(plan)
    let late = events.filter { $0.actor == "late" }.map(\.kind)
    #expect(late.contains(.registered(cursor: "2")))
    #expect(late.first { if case .merged = $0 { true } else { false } } == .merged(["3"]))
    let view = late.compactMap { kind -> Objects? in
      if case .viewed(_, let objects) = kind { objects } else { nil }
    }
    #expect(view.last?.count == 3)
  }

  @Test func `An empty plan is launched, closed and read`() throws {
    let simulator = Simulator(TrackerSystem(), at: .heap())
    let events = try simulator.run(Plans.make(["app"]))
    #expect(simulator.stepCount == 1 + 6 + 3)
    #expect(events.last { $0.kind == .history([]) } != nil)
    #expect(events.contains { $0.kind == .data([:]) })
  }
}

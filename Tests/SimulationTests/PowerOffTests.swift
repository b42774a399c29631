import Checkers
import HistoryTypes
import PropertyTesting
import PropertyTraits
import TestSupport
import Testing
import Traces
import Workloads

@testable import Simulation
@testable import Systems

@Suite struct `A power-off within a plan` {
  private func fault(
    _ kind: PlannedFault.Kind = .powerOff,
    _ call: PlannedFault.Call = .write,
    k: Int = 1,
    seed: Int = 0
  ) -> PlannedFault {
    PlannedFault(kind: kind, file: .wal, call: call, k: k, seed: seed)
  }

  /// Returns the events from the command with the fault on.
  private func kinds(
    _ fault: PlannedFault,
    _ synchronous: PlannedSynchronous = .normal,
    consumers: [ActorID] = []
  ) throws -> [EventKind] {
    var plan = try Plans.make(["app"], write("app", 1), write("app", 2))
    plan.header.synchronous = synchronous
    plan.header.consumers = consumers
    plan.commands[1].faults = [fault]
    let events = try Simulator(TrackerSystem(), at: .heap()).run(plan)
    return events.drop { $0.kind != .called(command: 1, word: "write") }.map(\.kind)
  }

  private func words(_ kinds: [EventKind]) -> [EventWord] { kinds.map(\.word) }

  @Test func `A power-off within a write keeps earlier commits and ends every process`() throws {
    let events = try kinds(fault(), .full)
    #expect(
      words(events).prefix(7) == [.called, .fault, .crashed, .recovered, .data, .history, .ended]
    )
    #expect(events[3] == .recovered(through: "1"))
    #expect(events[6].isUnknown)
    #expect(words(events).contains(.viewed) == false)
  }

  @Test func `With NORMAL an acknowledged commit may be lost, with FULL it may not`() throws {
    #expect(try kinds(fault()).contains(.recovered(through: nil)))
    #expect(try kinds(fault(), .full).contains(.recovered(through: "1")))
  }

  @Test func `A power-off whose call does not occur fires at the end of the command`() throws {
    let events = try kinds(fault(k: 999), .full)
    #expect(words(events).prefix(4) == [.called, .committed, .fault, .crashed])
    #expect(events.contains(.recovered(through: "2")))
    #expect(events.contains(.ended(command: 1, .ok)))
  }

  @Test func `An interrupted write that survived is reported`() throws {
    let events = (0..<40).compactMap { try? kinds(fault(.torn, .sync, seed: $0), .full) }
    let survived = events.filter { $0.contains(.recovered(through: "2")) }
    #expect(survived.count > 4 && survived.count < 36)
    for events in survived {
      #expect(words(events).prefix(4) == [.called, .fault, .committed, .crashed])
      guard case .committed(let written) = events[2] else { continue }
      #expect(written.changes.map(\.object) == [ObjectName("Item", 2)])
      #expect(written.changes.first?.values == ["count": .int(2)])
    }
  }

  @Test func `Consumers restart automatically`() throws {
    let events = try kinds(fault(), .full, consumers: ["mirror"])
    let after = try #require(events.firstIndex { $0.word == .ended })
    #expect(words(Array(events[(after + 1)...])).prefix(3) == [.called, .launched, .ended])
  }

  @Test func `A system that cannot restart skips a power-off`() throws {
    var plan = try Plans.make(["app"], write("app", 1))
    plan.commands[0].faults = [fault()]
    let article = try Simulator(PublishedSystem(.article), at: .heap()).run(plan)
    #expect(article.contains { $0.kind.word == .skipped })
  }

  // MARK: Random plans

  private func suites(
    _ seeds: ClosedRange<UInt64>,
    _ conditions: Set<Condition>,
    _ place: StorePlace
  ) throws -> [CheckerSuite] {
    var style = PlanStyle()
    style.conditions = conditions
    let generator = PlanGenerator(style)
    let simulator = Simulator(TrackerSystem(), at: place)
    return try seeds.map { seed in
      var source = ChoiceSource(seed: seed)
      let plan = generator.plan(from: &source, seed: seed)
      let header = TraceHeader(plan: plan, system: "tracker")
      let events = try simulator.run(plan)
      let file = try TraceCodec.decode(TraceCodec.encode(Trace(header: header, events: events)))
      #expect(file.events == events)
      return CheckerSuite(checking: file, scope: .all)
    }
  }

  @Test func `The tracker survives power-offs`() throws {
    let alone = try suites(1...40, [.powerOff], .heap())
    let among = try suites(100...118, Set(Condition.allCases), .heap())
    for suite in alone + among { #expect(suite.violation == nil) }
    let durable = alone.filter { suite in
      suite.verdicts.contains { $0.checker == "Durability" && $0.verdict == .valid }
    }
    #expect(durable.count > 20)
  }

  @Test(arguments: PlannedTokens.allCases)
  func `A consumer with its own token is notified that history was rewound`(
    _ tokens: PlannedTokens
  ) throws {
    var plan = try Plans.make(["app"], write("app", 1), .consume("mirror"), .launch("app"))
    plan.header.consumers = ["mirror"]
    plan.header.tokens = tokens
    plan.commands[1].faults = [fault(k: 999)]
    let events = try Simulator(TrackerSystem(), at: .heap()).run(plan)
    let mirrored = events.filter { $0.actor == "mirror" }.map(\.kind)
    #expect(mirrored.contains(.consumed(["1"])))
    #expect(mirrored.contains(.rewound) == (tokens == .own))
    #expect(mirrored.contains(.resynced(cursor: nil)) == (tokens == .own))
    let header = TraceHeader(plan: plan, system: "tracker")
    #expect(CheckerSuite(checking: Trace(header: header, events: events)).violation == nil)
  }

  @Test func `A disk that ignores syncs is detected`() throws {
    let found = try suites(1...30, [.powerOff], .heap(ignoringSyncs: true))
    #expect(found.compactMap(\.violation).contains { $0.checker == "Durability" })
  }

  @Test(.property(cases: 12, seed: 1))
  func `A real disk with the same faults gives the same events`() async throws {
    try await property(.plans([.powerOff])) { plan in
      let folder = try TemporaryFolder()
      let disk = Simulator(TrackerSystem(), at: try .folder(folder.path("stores")))
      let heap = Simulator(TrackerSystem(), at: .heap())
      let events = try disk.run(plan)
      let logged = events.map(\.withoutMessage)
      #expect(try logged == heap.run(plan).map(\.withoutMessage))
      let header = TraceHeader(plan: plan, system: "tracker")
      let suite = CheckerSuite(checking: Trace(header: header, events: events), scope: .all)
      #expect(suite.violation == nil)
    }
  }

  @Test func `The same plan with power-offs gives the same events`() throws {
    var style = PlanStyle()
    style.conditions = [.powerOff]
    var source = ChoiceSource(seed: 7)
    let plan = PlanGenerator(style).plan(from: &source, seed: 7)
    let simulator = Simulator(TrackerSystem(), at: .heap())
    let first = try simulator.run(plan)
    _ = try simulator.run(Plans.random(3))
    #expect(try simulator.run(plan) == first)
  }
}

extension EventKind {
  fileprivate var isUnknown: Bool {
    if case .ended(_, .unknown) = self { true } else { false }
  }
}

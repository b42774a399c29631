import Checkers
import HistoryTypes
import Testing
import Traces

@testable import Simulation
@testable import Systems

@Suite struct `Plans with signals` {
  private let system = ScriptedSystem()

  private func plan(_ actions: Action...) throws -> Plan {
    var plan = try Plans.make(["app", "widget"])
    plan.header.drive = .signals
    plan.commands = actions.map { Command($0) }
    return plan
  }

  /// Returns the ticks of an actor's calls with a word.
  private func asked(_ word: String, of actor: ActorID, in events: [Event]) -> [Int] {
    events.filter { event in
      if case .called(_, word) = event.kind { event.actor == actor } else { false }
    }.map(\.tick)
  }

  private func signalling() {
    system.answer = { action, log in
      if action.word == "write" { log.add("widget", .signalled) }
      if action.word == "launch" { log.add(action.actor, .registered(cursor: nil)) }
    }
  }

  @Test func `A signal without a planned fault arrives automatically`() throws {
    signalling()
    let events = try Simulator(system, at: .heap()).run(plan(write("app", 1)))
    let tick = try #require(asked("write", of: "app", in: events).first)
    #expect(asked("deliver", of: "widget", in: events) == [tick + SignalTicks.delivery])
    #expect(asked("deliver", of: "app", in: events).isEmpty)
  }

  @Test func `Late signals arrive later, lost ones never, duplicated ones twice`() throws {
    signalling()
    for (fate, count) in [(SignalFate.delivered, 1), (.late, 1), (.lost, 0), (.doubled, 2)] {
      let plan = try plan(write("app", 1), .deliver("widget", fate))
      let events = try Simulator(system, at: .heap()).run(plan)
      let ticks = system.asked.filter { $0.action.word == "deliver" }.count
      #expect(ticks == count, "\(fate)")
      let calls = asked("deliver", of: "widget", in: events)
      if fate == .late { #expect(calls.last == calls[0] + SignalTicks.lateness) }
      if fate == .doubled { #expect(calls.last == calls[0] + SignalTicks.delivery) }
    }
  }

  @Test func `Without a pending signal none can be delivered`() throws {
    signalling()
    let events = try Simulator(system, at: .heap()).run(plan(.deliver("app", .delivered)))
    #expect(
      events.contains {
        $0.kind == .skipped(command: 0, because: "no signal is on its way to app")
      }
    )
  }

  @Test func `Actors poll at intervals if they can`() throws {
    signalling()
    system.capabilities.insert(.poll)
    let events = try Simulator(system, at: .heap()).run(plan())
    let ticks = asked("poll", of: "app", in: events)
    #expect(ticks.count == 2)
    #expect(ticks.last.map { $0 - ticks[0] } == SignalTicks.poll)
    system.capabilities.remove(.poll)
    #expect(
      try !Simulator(system, at: .heap()).run(plan()).contains { $0.tick > 2 && $0.tick < 70 }
    )
  }

  @Test func `A signal to a stopped actor is lost, and the actor catches up when it starts`() throws
  {
    let plan = try plan(
      write("app", 1),
      .crash("widget"),
      write("app", 2),
      .launch("widget"),
      write("app", 3)
    )
    let events = try Simulator(TrackerSystem(), at: .heap()).run(plan)
    let merged = events.filter { $0.actor == "widget" }.compactMap { event -> [String]? in
      if case .merged(let names) = event.kind, !names.isEmpty { names } else { nil }
    }
    #expect(merged == [["1", "2"], ["3"]])
    let suite = CheckerSuite(
      checking: Trace(header: TraceHeader(plan: plan, system: "tracker"), events: events),
      scope: .all
    )
    #expect(suite.violation == nil)
  }

  @Test func `A poll makes up for a lost signal, and without polls it stays lost`() throws {
    let plan = try plan(write("app", 1), .deliver("widget", .lost))
    for (system, holds) in [(TrackerSystem(), true), (PublishedSystem(.article), false)]
      as [(any SystemUnderTest, Bool)]
    {
      let events = try Simulator(system, at: .heap()).run(plan)
      let trace = Trace(header: TraceHeader(plan: plan, system: "x"), events: events)
      let verdicts = CheckerSuite(checking: trace, scope: .all).verdicts
      let wakeUp = try #require(verdicts.first { $0.checker == "WakeUp" }).verdict
      if holds { #expect(wakeUp == .valid) } else { #expect(wakeUp != .valid) }
    }
  }
}

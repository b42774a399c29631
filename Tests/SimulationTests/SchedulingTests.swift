import HistoryTypes
import Testing
import Traces

@testable import Simulation
@testable import Systems

@Suite struct `The simulator's schedule` {
  private let system = ScriptedSystem()

  private func run(
    _ plan: Plan,
    observe: (Event) -> Bool = { _ in true }
  ) throws -> [Event] {
    try Simulator(system, at: .heap()).run(plan, observe: observe)
  }

  /// Returns the outcomes of the plan's own commands.
  private func asked(_ plan: Plan) throws -> [String] {
    _ = try run(plan)
    let closing = system.words.firstIndex(of: "view app") ?? system.words.count
    return Array(system.words[..<closing]).filter { !$0.hasSuffix("closing") }
  }

  @Test func `Actors are launched in the plan's order, unless they join late`() throws {
    var plan = try Plans.make(["widget", "app", "share"])
    plan.header.actors[1].launched = false
    _ = try run(plan)
    #expect(Array(system.words.prefix(2)) == ["launch widget", "launch share"])
    #expect(!system.words.contains("launch app") && !system.words.contains("fetch app"))
  }

  @Test func `Objects from before are inserted before all members but the writer are launched`()
    throws
  {
    var plan = try Plans.make(["share", "app", "widget"])
    plan.header.actors[0].launched = false
    plan.header.consumers = ["mirror"]
    plan.header.objects = [ObjectName("Item", 2): ["count": 2], ObjectName("Item", 1): [:]]
    system.capabilities.insert(.consume)
    let events = try run(plan)
    let opening = ["launch app", "write app", "launch mirror", "launch widget"]
    #expect(Array(system.words.prefix(4)) == opening)
    let inserts = [
      PlannedChange(.insert, ObjectName("Item", 1)),
      PlannedChange(.insert, ObjectName("Item", 2), ["count": 2]),
    ]
    #expect(system.asked[1].action == .write(PlannedWrite(actor: "app", changes: inserts)))
    #expect(events.contains { $0.kind == .called(command: nil, word: "write") })
  }

  @Test func `Commands of actors in the wrong state are skipped, not sent`() throws {
    let actions: [Action] = [
      .launch("app"), .commit("app"), .begin(planned("app", 1)), .begin(planned("app", 2)),
      .commit("app"), .commit("app"), .stop("app"), .fetch("app"), write("app", 3), .stop("app"),
      .begin(planned("app", 4)), .launch("app"), .begin(planned("app", 5)), .crash("app"),
      .commit("app"), .launch("app"), .commit("app"), .retire("app"), .view("app", context: "view"),
      .pass("mac"),
    ]
    var plan = try Plans.make(["app"])
    plan.commands = actions.map { Command($0) }
    let events = try run(plan)
    let skipped = events.compactMap { event -> Int? in
      if case .skipped(let command, _) = event.kind { command } else { nil }
    }
    #expect(skipped == [0, 1, 3, 5, 7, 8, 9, 10, 14, 16, 18, 19])
    let sent = [
      "launch app", "begin app", "commit app", "stop app", "launch app", "begin app", "crash app",
      "launch app", "retire app",
    ]
    #expect(Array(system.words.prefix(sent.count)) == sent)
    #expect(Array(system.words.dropFirst(sent.count)) == ["data ", "history "])
    #expect(events.map(\.at) == Array(events.indices))
    #expect(Set(events.map(\.tick)).count == sent.count + skipped.count + 2)
  }

  @Test func `Every command has a start and an end event with its place in the plan`() throws {
    let events = try run(Plans.make(["app"], .fetch("app"), .data))
    let plan = events.filter { $0.tick == 2 || $0.tick == 3 }
    #expect(
      plan.map(\.kind) == [
        .called(command: 0, word: "fetch"), .ended(command: 0, .ok),
        .called(command: 1, word: "data"), .ended(command: 1, .ok),
      ]
    )
    #expect(plan.map(\.actor) == ["app", "app", nil, nil])
    #expect(events[0].kind == .called(command: nil, word: "launch"))
  }

  @Test func `An error ends its command, not the run`() throws {
    let failure = SystemFailure(.io, "The disk is gone.")
    system.answer = { action, _ throws(SystemFailure) in
      if ["launch", "commit", "fetch"].contains(action.word) { throw failure }
    }
    let events = try run(
      Plans.make(["app"], .fetch("app"), .launch("app"), .data)
    )
    #expect(events.filter { $0.kind == .ended(command: nil, .failed(failure)) }.count == 1)
    // It never ran, so its fetch is skipped and its second launch is attempted.
    #expect(Array(system.words.prefix(3)) == ["launch app", "launch app", "data "])
    #expect(events.contains { $0.kind == .ended(command: 1, .failed(failure)) })
  }

  @Test func `A failed commit ends the write that was started`() throws {
    system.answer = { action, _ throws(SystemFailure) in
      if action.word == "commit" { throw SystemFailure(.busy, "") }
    }
    _ = try run(
      Plans.make(
        ["app"],
        .begin(planned("app", 1)),
        .commit("app"),
        .commit("app"),
        .begin(planned("app", 2))
      )
    )
    #expect(
      Array(system.words.prefix(4)) == ["launch app", "begin app", "commit app", "begin app"]
    )
  }

  @Test func `The clock advances before each write and begin, and as the plan requires`() throws {
    let batch = PlannedBatch(actor: "app", type: .delete, entity: "Item", conditions: [])
    var plan = try Plans.make(
      ["app"],
      write("app", 1),
      write("app", 2, ticks: false),
      .begin(planned("app", 3)),
      .fetch("app"),
      .commit("app"),
      .clock(advance: -100),
      .batch(batch),
      .clock(advance: 0.5)
    )
    plan.header.step = 2
    let events = try run(plan)
    let times = system.asked.prefix(9).map { $0.now - PlanClock.start }
    #expect(times == [0, 2, 2, 4, 4, 4, -96, -94, -93.5])
    let eventTimes = events.compactMap { event -> Double? in
      if case .clock(let now) = event.kind { now - PlanClock.start } else { nil }
    }
    #expect(eventTimes == [-96, -93.5])
    _ = try run(plan)
    #expect(system.asked[1].now - PlanClock.start == 2)
  }

  @Test func `A skipped write does not advance the clock`() throws {
    _ = try run(Plans.make(["app"], .stop("app"), write("app", 1), .launch("app"), write("app", 2)))
    #expect(system.asked[3].now - PlanClock.start == 1)
  }

  @Test func `An observer sees every event once and may end the run`() throws {
    var seen: [Event] = []
    let plan = try Plans.make(["app"], .fetch("app"), .merge("app"), .record("app"))
    let all = try run(plan) { event in
      seen.append(event)
      return true
    }
    #expect(seen == all)
    seen = []
    let some = try run(plan) { event in
      seen.append(event)
      return event.kind != .called(command: 1, word: "merge")
    }
    #expect(seen.last?.kind == .called(command: 1, word: "merge"))
    #expect(system.words == ["launch app", "fetch app", "merge app"])
    #expect(some.count == seen.count + 1)
  }
}

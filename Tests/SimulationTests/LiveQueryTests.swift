import Checkers
import HistoryTypes
import PropertyTesting
import Testing
import Traces
import Workloads

@testable import Simulation
@testable import Systems

@Suite struct `Live queries in plans` {
  /// A reported result with its differences, by the keys of plans.
  private struct Report: Equatable {
    var list = 1
    var rows: [Int64]
    var removed: [Int] = []
    var inserted: [Int] = []
    var updated: [Int64] = []
  }

  private static func reports(_ events: [Event]) -> [Report] {
    events.compactMap { event in
      guard case .listed(let report) = event.kind, report.failure == nil else { return nil }
      return Report(
        list: report.list,
        rows: report.rows.map(\.object.key),
        removed: report.removed,
        inserted: report.inserted,
        updated: report.updated.map(\.key)
      )
    }
  }

  private static let watch = Action.watch(
    PlannedWatch(
      actor: "app",
      entity: "Item",
      orders: [PlannedOrder("count", isAscending: false)],
      limit: 2
    )
  )

  private static func change(_ actor: ActorID, _ change: PlannedChange) -> Action {
    .write(PlannedWrite(actor: actor, changes: [change]))
  }

  private static func delete(_ actor: ActorID, _ key: Int64) -> Action {
    change(actor, PlannedChange(.delete, ObjectName("Item", key)))
  }

  private static func update(_ actor: ActorID, _ key: Int64, _ values: Values) -> Action {
    change(actor, PlannedChange(.update, ObjectName("Item", key), values))
  }

  @Test(arguments: PlannedDriver.allCases)
  func `A live query reports own saves, and foreign ones after their merge`(
    _ driver: PlannedDriver
  ) throws {
    var plan = try Plans.make(
      ["app", "widget"],
      Self.watch,
      write("widget", 1),
      write("widget", 2),
      write("widget", 3),
      .pass("app"),
      write("app", 4),
      Self.delete("widget", 4),
      .pass("app"),
      Self.update("app", 1, ["count": 9]),
      Self.update("widget", 3, ["title": "x"]),
      Self.update("widget", 2, ["title": "x"]),
      .pass("app")
    )
    plan.header.driver = driver
    let events = try Simulator(TrackerSystem(), at: .heap()).run(plan)
    #expect(
      Self.reports(events) == [
        Report(rows: []),
        Report(rows: [3, 2], inserted: [0, 1]),
        Report(rows: [4, 3], removed: [1], inserted: [0]),
        Report(rows: [3, 2], removed: [0], inserted: [1]),
        Report(rows: [1, 3], removed: [1], inserted: [0]),
        Report(rows: [1, 3], updated: [3]),
      ]
    )
    #expect(hold(plan, events))
  }

  @Test func `A process runs two live queries, and they end with it`() throws {
    let plan = try Plans.make(
      ["app"],
      Self.watch,
      Self.watch,
      Self.watch,
      write("app", 1),
      .crash("app"),
      .launch("app"),
      write("app", 2),
      Self.watch
    )
    let events = try Simulator(TrackerSystem(), at: .heap()).run(plan)
    #expect(
      Self.reports(events) == [
        Report(rows: []), Report(list: 2, rows: []), Report(list: 3, rows: []),
        Report(list: 2, rows: [1], inserted: [0]), Report(list: 3, rows: [1], inserted: [0]),
        Report(rows: [2, 1], inserted: [0, 1]),
      ]
    )
    #expect(hold(plan, events))
  }

  @Test func `A live query of a resynced view shows the new data`() throws {
    let plan = try Plans.make(
      ["app", "widget"],
      write("widget", 1),
      .pass("app"),
      Self.watch,
      Self.update("widget", 1, ["count": 7]),
      write("widget", 2),
      .resync("app")
    )
    let events = try Simulator(TrackerSystem(), at: .heap()).run(plan)
    #expect(
      Self.reports(events) == [
        Report(rows: [1], inserted: [0]),
        Report(rows: [1, 2], inserted: [1], updated: [1]),
      ]
    )
    #expect(hold(plan, events))
  }

  @Test func `A system without live queries skips them`() throws {
    var plan = try Plans.make(["app"], Self.watch)
    plan.header.timestamps = .wallClock
    let events = try Simulator(PublishedSystem(.article), at: .heap()).run(plan)
    let skipped = events.compactMap { event in
      if case .skipped(_, let reason) = event.kind { reason } else { nil }
    }
    #expect(skipped == ["this system has no live queries"])
  }

  @Test(arguments: [Condition.everyday, [.relations]])
  func `Random plans with live queries satisfy every checker`(
    _ conditions: Set<Condition>
  ) throws {
    var style = PlanStyle()
    style.conditions = conditions
    style.hasQueries = true
    style.diskShare = 0
    let simulator = Simulator(TrackerSystem(), at: .heap())
    var (seed, count, comparedCount) = (UInt64(0), 0, 0)
    while count < 30 {
      seed += 1
      var source = ChoiceSource(seed: seed)
      let plan = PlanGenerator(style).plan(from: &source, seed: seed)
      guard plan.commands.contains(where: { $0.action.word == "watch" }) else { continue }
      count += 1
      if hold(plan, try simulator.run(plan)) { comparedCount += 1 }
    }
    #expect(comparedCount > 10)
  }

  /// Expects that a run has no violation, and returns whether its live queries were compared.
  private func hold(_ plan: Plan, _ events: [Event]) -> Bool {
    let suite = CheckerSuite(
      checking: Trace(header: TraceHeader(plan: plan, system: "tracker"), events: events),
      scope: .all
    )
    #expect(
      suite.violation == nil,
      "seed \(plan.header.seed): \(suite.violation?.because ?? "")"
    )
    return suite.verdicts.contains { $0.checker == LiveQueries.name && $0.verdict == .valid }
  }
}

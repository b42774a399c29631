import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing
import Traces

@testable import Workloads

@Suite struct `Schedules of plans` {
  private static func style(_ schedule: PlanSchedule) -> PlanStyle {
    var style = PlanStyle()
    style.schedule = schedule
    style.actorCounts = 3...3
    style.conditions = []
    return style
  }

  private func plan(_ schedule: PlanSchedule, seed: UInt64) -> Plan {
    var source = ChoiceSource(seed: seed)
    return PlanGenerator(Self.style(schedule)).plan(from: &source, seed: seed)
  }

  /// Returns how often the acting actor changes.
  private static func switches(_ plan: Plan) -> Int {
    let actors = plan.commands.compactMap(\.action.actor)
    return zip(actors, actors.dropFirst()).count { $0 != $1 }
  }

  @Test(.property(cases: 40, seed: 1))
  func `With priorities an actor continues until one of its change points`() async throws {
    try await property(.plans(Self.style(.pct(depth: 1))), .plans(Self.style(.pct(depth: 3)))) {
      #expect(Self.switches($0) == 0)
      #expect(Self.switches($1) <= 2)
    }
    let random = (1...40).map { Self.switches(plan(.random, seed: UInt64($0))) }.reduce(0, +)
    #expect(random > 200)
  }

  @Test func `Every actor has the highest priority in some plan`() {
    let first = (1...40).compactMap { seed in
      plan(.pct(depth: 1), seed: UInt64(seed)).commands.first?.action.actor
    }
    #expect(Set(first) == ["app", "widget", "share"])
  }

  @Test func `The same seed gives the same schedule, and so does a replay of its choices`() {
    #expect(plan(.pct(depth: 3), seed: 5) == plan(.pct(depth: 3), seed: 5))
    #expect(plan(.pct(depth: 3), seed: 5) != plan(.pct(depth: 3), seed: 6))
  }

  @Test func `The probability bound falls with actors, commands and depth`() {
    #expect(PlanSchedule.random.leastProbability(actors: 2, steps: 10) == nil)
    #expect(PlanSchedule.pct(depth: 1).leastProbability(actors: 4, steps: 10) == 0.25)
    #expect(PlanSchedule.pct(depth: 3).leastProbability(actors: 2, steps: 10) == 0.005)
  }
}

import Checkers
import Simulation
import Traces
import Workloads

/// The judge of an exploration that applies all checkers, and numbers invariants in their order.
struct SuiteJudge: PlanJudge {
  private var suite: CheckerSuite

  init(_ header: PlanHeader) {
    let plan = Plan(header: header, commands: [])
    suite = CheckerSuite(TraceHeader(plan: plan, system: ""), scope: .all)
  }

  mutating func append(_ command: Command) { suite.append(command) }

  mutating func observe(_ event: Event) { suite.observe(event) }

  func describe(_ state: inout StateSketch, tick: Int) { suite.describe(&state, tick: tick) }

  var broken: UInt64 { suite.broken }

  var conclusion: (broken: UInt64, held: UInt64) { suite.conclusion }
}

extension PlanAlphabet: PlanSpace {
  func advance(_ place: inout PlanPlace, by action: Action, _ events: [Event]) {
    place.note(action, events)
  }

  func describe(_ place: PlanPlace, _ state: inout StateSketch) { place.describe(&state) }
}

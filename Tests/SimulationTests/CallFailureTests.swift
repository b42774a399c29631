import Checkers
import PropertyTesting
import PropertyTraits
import Testing
import Traces
import Workloads

@testable import Simulation
@testable import Systems

@Suite struct `Random plans whose calls fail` {
  /// The results of some plans: the commands with a fault of each kind, and the violations.
  private struct Outcome {
    var fired: [PlannedFault.Kind: Int] = [:]
    var failed = 0
    var violations: [String] = []
  }

  private static func plan(_ seed: UInt64, _ conditions: Set<Condition>) -> Plan {
    var style = PlanStyle()
    style.conditions = conditions
    var source = ChoiceSource(seed: seed)
    return PlanGenerator(style).plan(from: &source, seed: seed)
  }

  private static func run(
    _ seeds: ClosedRange<UInt64>,
    _ conditions: Set<Condition>
  ) throws -> Outcome {
    let simulator = Simulator(TrackerSystem(), at: .heap())
    var outcome = Outcome()
    for seed in seeds {
      let plan = plan(seed, conditions)
      let events = try simulator.run(plan)
      for event in events {
        switch event.kind {
        case .fault(let fault): outcome.fired[fault.kind, default: 0] += 1
        case .ended(_, .failed(let failure)) where [.io, .busy, .full].contains(failure.code):
          outcome.failed += 1
        default: break
        }
      }
      let trace = Trace(header: TraceHeader(plan: plan, system: "tracker"), events: events)
      if let violation = CheckerSuite(checking: trace, scope: .all).violation {
        outcome.violations.append("seed \(seed): \(violation.checker), \(violation.because)")
      }
    }
    return outcome
  }

  @Test func `The tracker survives failing calls`() throws {
    let alone = try Self.run(1...60, [.callFailure])
    #expect(alone.violations == [])
    #expect(alone.failed > 20)
    for kind in [PlannedFault.Kind.ioError, .full, .busy, .shortRead, .delay] {
      #expect(alone.fired[kind] ?? 0 > 0, "\(kind)")
    }
    let among = try Self.run(100...140, Set(Condition.allCases))
    #expect(among.violations == [])
  }

  @Test func `The tracker survives failing calls combined with power-offs`() throws {
    let outcome = try Self.run(1...60, [.callFailure, .powerOff])
    #expect(outcome.violations == [])
    #expect(outcome.fired[.torn] ?? 0 > 10 && outcome.failed > 10)
  }

  @Test(.property(cases: 10, seed: 1))
  func `The same plan with failing calls gives the same events`() async throws {
    try await property(.plans(Set(Condition.allCases)), .everyday()) { plan, between in
      let simulator = Simulator(TrackerSystem(), at: .heap())
      let first = try simulator.run(plan)
      _ = try simulator.run(between)
      #expect(try simulator.run(plan) == first)
    }
  }
}

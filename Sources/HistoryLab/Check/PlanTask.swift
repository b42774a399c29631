import Checkers
import PropertyTesting
import Simulation
import Systems
import Traces
import Workloads

/// What makes plans: the options of a check, the same for every lane that runs them.
struct PlanRecipe: Sendable {
  let generator: PlanGenerator
  let seed: UInt64
  let timestamps: TimestampPolicy

  /// The seed of the plan with a number; the first is 1.
  func caseSeed(_ number: Int) -> UInt64 {
    SeededGenerator.seed(seed, part: UInt64(number - 1))
  }

  /// Draws a plan from a source.
  func plan(from source: inout ChoiceSource) -> Plan {
    var plan = generator.plan(from: &source, seed: seed)
    plan.header.timestamps = timestamps
    return plan
  }

  /// The plan with a number, and the choices that it was drawn from.
  func plan(_ number: Int) -> (plan: Plan, choices: ChoiceSequence) {
    var source = ChoiceSource(seed: caseSeed(number))
    let plan = plan(from: &source)
    return (plan, source.sequence)
  }
}

/// One system with its store, and the checkers, at work on one plan after another.
///
/// It belongs to one thread at a time.
final class PlanLane {
  let system: LabSystem
  private let simulator: Simulator
  private let versions: [String: String]

  /// Creates a lane; its stores lie at a place of its own.
  init(_ system: LabSystem, at place: StorePlace, versions: [String: String]) {
    self.system = system
    self.versions = versions
    simulator = Simulator(system.make(), at: place)
  }

  /// How many commands were performed so far.
  var stepCount: Int { simulator.stepCount }

  /// Runs a plan to its end, and answers what became of it.
  func outcome(of plan: Plan, number: Int) throws(SystemFailure) -> PlanOutcome {
    let before = stepCount
    var faults = FaultCounts()
    let hasFaults = plan.commands.contains { !$0.faults.isEmpty }
    let suite = try check(plan) { if hasFaults { faults.observe($0, of: plan) } }
    return PlanOutcome(
      plan: number,
      stepCount: stepCount - before,
      conditions: Condition.found(in: plan),
      faults: faults,
      suite
    )
  }

  /// Runs a plan to its end and checks it.
  func check(
    _ plan: Plan,
    noting: (Event) -> Void = { _ in }
  ) throws(SystemFailure) -> CheckerSuite {
    var suite = CheckerSuite(TraceHeader(plan: plan, system: system.name), scope: .all)
    _ = try simulator.run(plan) { event in
      suite.observe(event)
      noting(event)
      return true
    }
    return suite
  }

  /// Runs a plan until a checker rejects it, or to its end, and answers why it does.
  func violation(of checker: String, by plan: Plan) throws(SystemFailure) -> Violation? {
    var suite = CheckerSuite(TraceHeader(plan: plan, system: system.name), scope: .all)
    var found: Violation?
    _ = try simulator.run(plan) { event in
      suite.observe(event)
      if suite.isInvalid { found = suite.violation(of: checker) }
      return found == nil
    }
    return found ?? suite.violation(of: checker)
  }

  /// Runs a plan and keeps everything that happened.
  func trace(_ plan: Plan) throws(SystemFailure) -> Trace {
    let header = TraceHeader(plan: plan, system: system.name, versions: versions)
    return Trace(header: header, events: try simulator.run(plan))
  }
}

extension CheckerSuite {
  /// Why one checker rejects the trace so far, or nothing.
  func violation(of checker: String) -> Violation? {
    for answer in verdicts where answer.checker == checker {
      if case .invalid(let violation) = answer.verdict { return violation }
    }
    return nil
  }
}

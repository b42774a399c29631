import Checkers
import Programs
import PropertyTesting
import Simulation
import Systems
import Traces
import Workloads

/// The generator and the seed from which all workers of a check generate their plans.
struct PlanRecipe: Sendable {
  let generator: PlanGenerator
  let seed: UInt64
  let timestamps: TimestampPolicy
  /// Whether every plan runs twice.
  var repeatsAll = false

  /// Returns the seed of a plan, given by its number from 1.
  func caseSeed(_ number: Int) -> UInt64 {
    SeededGenerator.seed(seed, part: UInt64(number - 1))
  }

  /// Generates a plan from a source of random choices.
  func plan(from source: inout ChoiceSource) -> Plan {
    var plan = generator.plan(from: &source, seed: seed)
    plan.header.timestamps = timestamps
    return plan
  }

  /// Returns whether a plan runs twice to check for determinism.
  ///
  /// With `repeatsAll`, every plan runs twice; otherwise the first plan and a random sample of the
  /// others.
  func repeats(_ number: Int) -> Bool {
    repeatsAll || number == 1 || caseSeed(number).isMultiple(of: Self.repeatedShare)
  }

  /// Returns whether the check reads the states that the given plan reaches, if it samples states.
  ///
  /// It reads them for the first plan and for a random sample of the others (``ReachedStates``). A
  /// plan with faults runs once more for this, because reading shifts its faults to other calls.
  func readsStates(_ number: Int) -> Bool {
    number == 1 || (caseSeed(number) >> 32).isMultiple(of: Self.readShare)
  }

  /// On average, the states of one plan in `readShare` are read; the plans' seeds decide which.
  ///
  /// Reading the states takes about a third of the time of a plan's run. For a plan with faults, the
  /// time of one more run of the plan is added.
  static let readShare: UInt64 = 8

  /// On average, one in `repeatedShare` plans runs twice; the plan's seed decides whether it does.
  private static let repeatedShare: UInt64 = 16

  /// Returns the plan with the given number, and the random choices that produced the plan.
  func plan(_ number: Int) -> (plan: Plan, choices: ChoiceSequence) {
    var source = ChoiceSource(seed: caseSeed(number))
    let plan = plan(from: &source)
    return (plan, source.sequence)
  }
}

/// A worker that runs plans one after another on one system, and checks them.
///
/// Only one thread at a time may use a worker.
final class PlanWorker {
  let system: LabSystem
  private let underTest: any SystemUnderTest
  private let simulator: Simulator
  private let versions: [String: String]
  /// Whether ``outcome(of:number:repeating:)`` also returns digests of the states that a plan reaches.
  var readsStates = false

  /// Creates a worker with its stores at the given location.
  init(_ system: LabSystem, at place: StorePlace, versions: [String: String]) {
    self.system = system
    self.versions = versions
    underTest = system.make()
    simulator = Simulator(underTest, at: place)
  }

  /// The reason why the system did not complete the last plan; `nil` if it did.
  var runFailure: RunFailure? { underTest.runFailure }

  /// The number of actions performed so far, including those before and after a plan's commands.
  var stepCount: Int { simulator.stepCount }
  /// The number of events observed so far.
  private(set) var eventCount = 0

  /// Runs a plan to its end and returns its results.
  ///
  /// If `repeating` is `true`, the plan runs a second time, and the events of the two runs are
  /// compared. This project's tracker has two drivers (see `PlannedDriver`): the second run
  /// uses the driver that the first run did not use.
  func outcome(
    of plan: Plan,
    number: Int,
    repeating isRepeated: Bool = false
  ) throws(SystemFailure) -> PlanOutcome {
    let before = stepCount
    var faults = FaultCounts()
    var refusals = RefusalCounts()
    var purges = false
    let hasFaults = plan.commands.contains { !$0.faults.isEmpty }
    var states = readsStates ? ReachedStates(plan.header, system: system.name) : nil
    let (suite, events) = try watch(plan) { event in
      if hasFaults { faults.observe(event, of: plan) }
      refusals.observe(event, of: plan)
      if case .purged = event.kind { purges = true }
    } afterStep: {
      if !hasFaults { states?.add(simulator) }
    }
    let steps = stepCount - before
    var runFailure = runFailure
    var difference: Int?
    // Reading the states fills SQLite's caches. The next command would then make fewer calls, and
    // its fault would affect a different call. The states are therefore read in an extra run.
    if hasFaults, states != nil, runFailure == nil {
      try run(plan, observe: { _ in true }, afterStep: { states?.add(simulator) })
      runFailure = self.runFailure
    }
    if isRepeated, runFailure == nil {
      underTest.switchDriver()
      defer { underTest.switchDriver() }
      let again = try run(plan) { _ in true }
      runFailure = self.runFailure
      if runFailure == nil { difference = events.firstDifference(from: again) }
    }
    return PlanOutcome(
      plan: number,
      stepCount: steps,
      conditions: Condition.found(in: plan),
      faults: faults,
      refusals: refusals,
      purges: purges,
      isRepeated: isRepeated,
      difference: difference,
      runFailure: runFailure,
      states: states?.digests,
      suite
    )
  }

  /// Runs a plan to its end and returns the checkers after they observed its trace.
  func check(_ plan: Plan) throws(SystemFailure) -> CheckerSuite { try watch(plan).suite }

  private func watch(
    _ plan: Plan,
    noting: (Event) -> Void = { _ in },
    afterStep: () -> Void = {}
  ) throws(SystemFailure) -> (suite: CheckerSuite, events: [Event]) {
    var suite = CheckerSuite(TraceHeader(plan: plan, system: system.name), scope: .all)
    let events = try run(plan) { event in
      suite.observe(event)
      noting(event)
      return true
    } afterStep: {
      afterStep()
    }
    return (suite, events)
  }

  /// Runs a plan until the observer returns `false`, or until the system fails.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start; a failure of the system's own program ends
  ///   the run without an error.
  @discardableResult
  private func run(
    _ plan: Plan,
    observe: (Event) -> Bool,
    afterStep: () -> Void = {}
  ) throws(SystemFailure) -> [Event] {
    do throws(SystemFailure) {
      return try simulator.run(plan) {
        eventCount += 1
        return observe($0) && runFailure == nil
      } afterStep: {
        afterStep()
      }
    } catch {
      guard runFailure != nil else { throw error }
      return []
    }
  }

  /// Runs a plan until the checker rejects it or the plan ends; returns the violation, or `nil` for none.
  func violation(of checker: String, by plan: Plan) throws(SystemFailure) -> Violation? {
    let bit = CheckerSuite.bit(of: checker)
    var suite = CheckerSuite(TraceHeader(plan: plan, system: system.name), scope: .all)
    try run(plan) { event in
      suite.observe(event)
      return suite.broken & bit == 0
    }
    guard runFailure == nil || suite.broken & bit != 0 else { return nil }
    return suite.violation(of: checker)
  }

  /// Runs a plan until any checker rejects it or the plan ends; returns the violation, or `nil` for none.
  func violation(by plan: Plan) throws(SystemFailure) -> Violation? {
    var suite = CheckerSuite(TraceHeader(plan: plan, system: system.name), scope: .all)
    _ = try simulator.run(plan) { event in
      suite.observe(event)
      return !suite.isInvalid
    }
    return suite.violation
  }

  /// Closes the store of the last plan.
  func close() { simulator.close() }

  /// Runs a plan completely, or up to a number of commands, and returns the whole trace.
  func trace(_ plan: Plan, until count: Int? = nil) throws(SystemFailure) -> Trace {
    let header = TraceHeader(plan: plan, system: system.name, versions: versions)
    var kept = 0
    let events = try run(plan) { event in
      kept += 1
      return !event.kind.isEnd(of: count)
    }
    return Trace(header: header, events: Array(events.prefix(kept)))
  }

  /// The events of one command, and a hash of the system's state after the command.
  struct Footprint: Hashable {
    var events: [Event] = []
    var digest: UInt64 = 0
  }

  /// Runs a plan to its end, and returns each command's events and a hash of the state after it.
  ///
  /// The last element of the result has the events after the last command, such as those of
  /// the closing passes (fetch, merge and record) and reads. Its hash is 0.
  ///
  /// After `count` commands, `body` is called and the connections are replaced, if possible (see
  /// `reconnect()`). With new connections, no statement that was prepared earlier is used again.
  func footprints(
    of plan: Plan,
    reconnectingAfter count: Int? = nil,
    _ body: () -> Void = {}
  ) throws(SystemFailure) -> [Footprint] {
    var footprints = [Footprint()]
    var failure: SystemFailure?
    _ = try simulator.run(plan) { event in
      footprints[footprints.count - 1].events.append(event)
      guard event.kind.isEnd(of: footprints.count) else { return true }
      do throws(SystemFailure) {
        footprints[footprints.count - 1].digest = try underTest.digest()
        if footprints.count == count {
          body()
          try reconnect()
        }
      } catch {
        failure = error
        return false
      }
      footprints.append(Footprint())
      return true
    }
    if let failure { throw failure }
    return footprints
  }

  /// Replaces the connections of the system, or keeps them if the system cannot replace them.
  ///
  /// Only the tracker can replace its connections, and only when it can take a snapshot. It cannot
  /// take one, for example, while an actor has live queries.
  private func reconnect() throws(SystemFailure) {
    do throws(SystemFailure) { try underTest.reconnect() } catch {
      guard error.code == .unsupported else { throw error }
    }
  }

  /// Returns the number of commands in a plan's shortest prefix that breaks an invariant.
  ///
  /// The number is `nil` if the plan does not break the invariant, or breaks it only in the closing
  /// passes and reads after the last command, or if the system did not complete the run.
  func commandsThatBreak(
    _ checker: String,
    in plan: Plan
  ) throws(SystemFailure) -> Int? {
    let bit = CheckerSuite.bit(of: checker)
    var suite = CheckerSuite(TraceHeader(plan: plan, system: system.name), scope: .all)
    var (ended, found) = (0, Int?.none)
    try run(plan) { event in
      suite.observe(event)
      guard event.kind.isEnd(of: ended + 1) else { return true }
      ended += 1
      if suite.broken & bit != 0 { found = ended }
      return found == nil
    }
    return runFailure == nil ? found : nil
  }

  /// Runs a plan completely, or up to a number of commands, and reads the system's state after each step.
  ///
  /// The state is the content of the contexts of all running actors and of the store.
  ///
  /// - Returns: the events that describe the state after each step, keyed by the position of the
  ///   step's last event.
  func answers(_ plan: Plan, until count: Int? = nil) throws(SystemFailure) -> [Int: [Event]] {
    var answers: [Int: [Event]] = [:]
    var failure: SystemFailure?
    _ = try simulator.run(plan) { event in
      guard event.kind.endsStep else { return true }
      do throws(SystemFailure) {
        answers[event.at] = try simulator.look(plan.header)
      } catch {
        failure = error
        return false
      }
      return !event.kind.isEnd(of: count)
    }
    if let failure { throw failure }
    return answers
  }
}

extension [Event] {
  /// Returns the first position at which two traces differ; `nil` if the traces are equal.
  fileprivate func firstDifference(from other: [Event]) -> Int? {
    if self == other { return nil }
    return zip(self, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      ?? Swift.min(count, other.count)
  }
}

extension CheckerSuite {
  /// Returns the bit of a checker in ``broken``; 0 if no checker has the name.
  fileprivate static func bit(of checker: String) -> UInt64 {
    names(in: .all).firstIndex(of: checker).map { 1 << UInt64($0) } ?? 0
  }

  /// Returns the violation that one checker has found in the trace so far; `nil` for none.
  func violation(of checker: String) -> Violation? {
    for answer in verdicts where answer.checker == checker {
      if case .invalid(let violation) = answer.verdict { return violation }
    }
    return nil
  }
}

extension EventKind {
  /// Whether the event ends a step: a command or another action, such as a closing read.
  fileprivate var endsStep: Bool {
    switch self {
    case .ended, .skipped: true
    default: false
    }
  }

  /// Returns whether the event is the last one of command number `count`, counted from 1.
  fileprivate func isEnd(of count: Int?) -> Bool {
    switch self {
    case .ended(let command?, _), .skipped(let command?, _): command + 1 == count
    default: false
    }
  }
}

/// The results of running one plan on one system: the checkers' verdicts, and counts of events.
struct PlanOutcome: Sendable {
  /// The verdict of one checker, without the reason for it.
  enum Answer: UInt8, Sendable {
    case valid
    case invalid
    case unknown
  }
  /// The plan's number, from 1.
  let plan: Int
  /// The number of actions performed, including those before the first and after the last command.
  let stepCount: Int
  /// The conditions, such as crashes or equal timestamps, that occurred in the plan.
  let conditions: Set<Condition>
  /// The checkers' verdicts, in the order of the checkers.
  let answers: [Answer]
  /// The planned faults, and the faults that occurred.
  let faults: FaultCounts
  /// The numbers of failed commands, by kind of command and error code.
  let refusals: RefusalCounts
  /// Whether the system purged history, in a pass or by command.
  let purges: Bool
  /// Whether the plan ran a second time to check for determinism.
  let isRepeated: Bool
  /// The position of the first event that differs between the plan's two runs.
  ///
  /// `nil` if no event differs, or if the plan did not run twice.
  let difference: Int?
  /// The reason why the system did not complete the plan; `nil` if it did.
  ///
  /// If the system did not complete the plan, all verdicts in ``answers`` are `unknown`.
  let runFailure: RunFailure?
  /// The digests of the states that the plan reached; `nil` if they were not read.
  let states: Set<UInt64>?

  /// Creates the results from the verdicts of the checkers.
  init(
    plan: Int,
    stepCount: Int,
    conditions: Set<Condition>,
    faults: FaultCounts = FaultCounts(),
    refusals: RefusalCounts = RefusalCounts(),
    purges: Bool = false,
    isRepeated: Bool = false,
    difference: Int? = nil,
    runFailure: RunFailure? = nil,
    states: Set<UInt64>? = nil,
    _ suite: CheckerSuite
  ) {
    self.states = states
    self.isRepeated = isRepeated
    self.difference = difference
    self.plan = plan
    self.faults = faults
    self.refusals = refusals
    self.purges = purges
    self.stepCount = stepCount
    self.conditions = conditions
    self.runFailure = runFailure
    answers = suite.verdicts.map { answer in
      if runFailure != nil { return .unknown }
      return switch answer.verdict {
      case .valid: .valid
      case .invalid: .invalid
      case .unknown: .unknown
      }
    }
  }

  /// Whether any invariant broke.
  var isBroken: Bool { answers.contains(.invalid) }
}

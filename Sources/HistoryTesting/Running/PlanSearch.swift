internal import Checkers
internal import Foundation
internal import HistoryTypes
internal import PropertyTesting
internal import Simulation
internal import Synchronization
internal import Systems
internal import Traces
internal import Workloads

/// Runs plans on one system, and shrinks plans that break an invariant.
struct PlanSearch: Sendable {
  let subject: Subject
  let conditions: [HistoryCondition]
  let checkers: [any HistoryChecker.Type]
  let seed: UInt64
  /// The range of the numbers of the plans to run.
  let plans: ClosedRange<Int>
  let budget: Budget
  /// A closure that receives the number of each plan before the plan runs, and returns whether to continue.
  let goesOn: @Sendable (Int) -> Bool
  /// Whether the search ends with the first plan that breaks an invariant.
  var stopsAtFirst = false

  /// The maximum number of plans that are run to shrink one counterexample.
  private static let shrinkEvaluations = 2_000
  /// One plan in this many, on average, runs twice, to check that the system is deterministic.
  private static let repeatedShare: UInt64 = 16

  /// The results of a search: the verdicts by invariant, and a shrunk plan if an invariant broke.
  struct Outcome: Sendable {
    var tally: PlanTally
    /// The plan that broke an invariant, after shrinking; `nil` if no invariant broke.
    ///
    /// If several invariants broke, the plan is for the most harmful of them.
    var found: FoundPlan?
    var foreignJobCount = 0
  }

  /// Runs the plans; if invariants break, shrinks the first plan that breaks the most harmful one.
  ///
  /// Plans for the other invariants are not shrunk, because the same bug usually breaks them.
  func run() throws(SystemFailure) -> Outcome {
    let runner = PlanRunner(subject, checkers)
    defer { runner.close() }
    let generator = PlanGenerator(subject.style(conditions))
    var tally = PlanTally(RunVerdicts.names(checkers))
    let clock = budget.clock ?? { .zero }
    let deadline = budget.time.map { clock() + $0 }
    for number in plans {
      if let deadline, clock() >= deadline { break }
      guard goesOn(number) else { break }
      var source = ChoiceSource(seed: caseSeed(number))
      try runOne(try plan(from: &source, generator), number, runner, &tally)
      if tally.runFailure != nil || stopsAtFirst && !tally.broken.isEmpty { break }
    }
    var outcome = Outcome(tally: tally)
    if let (checker, number) = ViolationOrder.mostSpecificFirst(tally.broken, by: \.checker).first {
      outcome.found = try shrink(checker, number, generator, runner, deadline, clock)
    }
    runner.close()
    outcome.foreignJobCount = runner.foreignJobCount
    return outcome
  }

  private func runOne(
    _ plan: Plan,
    _ number: Int,
    _ runner: PlanRunner,
    _ tally: inout PlanTally
  ) throws(SystemFailure) {
    let (verdicts, trace) = try runner.run(plan)
    if let runFailure = runner.runFailure {
      tally.runFailure = (number, runFailure.clause)
      return
    }
    tally.add(verdicts.answers.map(\.verdict), of: number)
    guard number == 1 || caseSeed(number).isMultiple(of: Self.repeatedShare) else { return }
    let again = try runner.run(plan).trace
    if runner.runFailure == nil, again.events != trace.events, tally.unrepeatable == nil {
      tally.unrepeatable = (number, trace.firstDifference(from: again))
    }
  }

  /// Returns the seed of a plan, given by its number.
  private func caseSeed(_ number: Int) -> UInt64 {
    SeededGenerator.seed(seed, part: UInt64(number - 1))
  }

  /// Generates a plan, and lets each custom condition change it.
  ///
  /// If the system has tasks whose order depends on the plan's seed, this seed is drawn too.
  private func plan(
    from source: inout ChoiceSource,
    _ generator: PlanGenerator
  ) throws(SystemFailure) -> Plan {
    var plan = generator.plan(from: &source, seed: seed)
    plan.header.timestamps = subject.timestamps
    if subject.hasSchedules {
      plan.header.seed = UInt64(source.int(in: 0...0xFFFF, label: "schedule"))
    }
    for condition in conditions.compactMap(\.own) {
      plan = try condition.changed(plan, &source)
    }
    return plan
  }

  private func shrink(
    _ checker: String,
    _ number: Int,
    _ generator: PlanGenerator,
    _ runner: PlanRunner,
    _ deadline: Duration?,
    _ clock: @escaping @Sendable () -> Duration
  ) throws(SystemFailure) -> FoundPlan {
    var source = ChoiceSource(seed: caseSeed(number))
    let original = try plan(from: &source, generator)
    var budget = Budget(evaluations: Self.shrinkEvaluations)
    if let deadline { (budget.time, budget.clock) = (max(.seconds(1), deadline - clock()), clock) }
    var shrinker = Shrinker(budget: budget)
    shrinker.isThorough = true
    let shrunk = shrinker.shrink(source.sequence, label: checker) { source in
      let candidate = try plan(from: &source, generator)
      let violation = try runner.violation(of: checker, by: candidate)
      return violation.map { .failed(label: checker, message: $0.because) } ?? .passed
    }
    var replayed = ChoiceSource(replaying: shrunk.sequence)
    let (verdicts, trace) = try runner.run(try plan(from: &replayed, generator))
    return FoundPlan(
      checker: checker,
      number: number,
      originalCommandCount: original.commands.count,
      evaluations: shrunk.evaluations,
      counterexample: verdicts.violation(of: checker).map {
        Counterexample(trace: trace, violation: $0)
      }
    )
  }
}

/// A plan that broke an invariant, after shrinking.
struct FoundPlan: Sendable {
  let checker: String
  /// The number of the plan before shrinking.
  let number: Int
  let originalCommandCount: Int
  let evaluations: Int
  /// The counterexample; `nil` if a second run of the plan did not break the invariant.
  let counterexample: Counterexample?
}

extension Trace {
  /// Returns a sentence about the first event at which two traces differ.
  fileprivate func firstDifference(from other: Trace) -> String {
    for (one, two) in zip(events, other.events) where one != two {
      return
        "event \(one.at) was \(TraceCodec.encode(one)) in the first run and \(TraceCodec.encode(two)) in the second"
    }
    return
      "the first run had \(events.count.counted("event")), and the second run \(other.events.count)"
  }
}

/// The verdicts of the plans of a search, counted for each invariant.
struct PlanTally: Sendable {
  /// The verdicts of one checker.
  struct Count: Sendable {
    let checker: String
    var held = 0
    var broken = 0
    /// The number of the first plan that broke the invariant.
    var firstBroken: Int?
  }

  private(set) var counts: [Count]
  private(set) var planCount = 0
  /// The first plan that the system did not complete, and the reason; `nil` if there is none.
  var runFailure: (plan: Int, because: String)?
  /// The first plan whose second run differed from its first run; `nil` if there is none.
  ///
  /// `how` describes the difference between the traces of the two runs.
  var unrepeatable: (plan: Int, how: String)?

  init(_ names: [String]) { counts = names.map { Count(checker: $0) } }

  /// Adds the verdicts of one plan, given in the order of the checkers.
  mutating func add(_ verdicts: [Verdict], of plan: Int) {
    planCount += 1
    for (index, verdict) in verdicts.enumerated() {
      switch verdict {
      case .valid: counts[index].held += 1
      case .unknown: break
      case .invalid:
        counts[index].broken += 1
        counts[index].firstBroken = counts[index].firstBroken ?? plan
      }
    }
  }

  /// The broken invariants, each with the first plan that breaks it.
  var broken: [(checker: String, plan: Int)] {
    counts.compactMap { count in count.firstBroken.map { (count.checker, $0) } }
  }
}

/// Runs blocking work on new threads, so that it blocks no thread of Swift's concurrency pool.
enum OwnThread {
  /// Runs a closure on a new thread, and returns its result.
  static func run<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      // Plan generators recurse deeply; the default stack of a new thread, half a megabyte, is too
      // small.
      thread.stackSize = 16 << 20
      thread.start()
    }
  }
}

/// A flag that one thread sets to stop another thread.
final class CancelFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}

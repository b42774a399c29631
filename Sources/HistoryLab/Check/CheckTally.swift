import Campaigns
import Checkers
import Commands
import HistoryTypes
import Programs
import Systems
import Traces
import Workloads

/// The verdicts of one system's plans, counted for each invariant.
struct CheckTally: Sendable {
  /// The numbers of plans that one checker found valid, invalid and unknown.
  struct Count: Sendable, Hashable {
    var valid = 0
    var invalid = 0
    var unknown = 0
    /// The number of the first plan that broke the invariant; `nil` if none did.
    var firstInvalid: Int?
  }
  private(set) var counts: [String: Count] = [:]
  /// The number of plans that contained each condition.
  private(set) var conditions: [Condition: Int] = [:]
  /// The numbers of planned faults and of faults that occurred.
  private(set) var faults = FaultCounts()
  /// The numbers of failed commands, by kind of command and error code.
  private(set) var refusals = RefusalCounts()
  private(set) var planCount = 0
  private(set) var invalidPlanCount = 0
  private(set) var stepCount = 0
  /// The number of plans in which the system purged.
  ///
  /// `nil` if the counts are joined from reports of parts, and one of these reports lacks the number.
  private(set) var purgingPlanCount: Int? = 0
  /// The number of plans that ran twice.
  private(set) var repeatedPlanCount = 0
  /// The first plan whose two runs gave different traces, and the first different event.
  ///
  /// `nil` if there is no such plan.
  private(set) var difference: (plan: Int, event: Int)?
  /// The number of plans that the system did not complete.
  private(set) var runFailureCount = 0
  /// The first plan that the system did not complete, and the reason.
  ///
  /// The plan is `nil` in reports of older versions.
  private(set) var runFailure: (plan: Int?, because: String)?
  /// A sample of the states that the plans reached; `nil` if the states were not read.
  private(set) var states: StateSample?
  private let names = CheckerSuite.names(in: .all)

  init() {
    for name in names { counts[name] = Count() }
  }

  /// Adds up the counts of several parts of one run, read from their reports.
  init(joining parts: [CheckDocument.System]) {
    self.init()
    for part in parts {
      planCount += part.plans
      invalidPlanCount += part.invalidPlans
      repeatedPlanCount += part.repeatedPlans ?? 0
      stepCount += part.steps
      runFailureCount += part.plansInTrouble ?? 0
      purgingPlanCount = part.plansWithPurge.flatMap { count in purgingPlanCount.map { $0 + count }
      }
      faults.add(FaultCounts(part))
      refusals.add(RefusalCounts(part.refusals ?? []))
      for (name, count) in part.conditions ?? [:] {
        if let condition = Condition(rawValue: name) { conditions[condition, default: 0] += count }
      }
      if let plan = part.nondeterministicPlan, plan < difference?.plan ?? .max {
        difference = (plan, part.nondeterministicEvent ?? 0)
      }
      if let because = part.trouble, part.troublePlan ?? .max <= runFailure?.plan ?? .max {
        runFailure = (part.troublePlan, because)
      }
      for row in part.invariants { add(row, of: part) }
    }
  }

  private mutating func add(_ row: CheckDocument.Invariant, of part: CheckDocument.System) {
    counts[row.invariant, default: Count()].valid += row.valid
    counts[row.invariant, default: Count()].invalid += row.invalid
    counts[row.invariant, default: Count()].unknown += row.unknown
    guard row.invalid > 0 else { return }
    let found = part.counterexamples.first { $0.checker == row.invariant }?.foundInPlan ?? .max
    let first = counts[row.invariant]?.firstInvalid ?? .max
    counts[row.invariant]?.firstInvalid = min(first, found)
  }

  /// Adds the results of one plan.
  mutating func add(_ outcome: PlanOutcome) {
    planCount += 1
    stepCount += outcome.stepCount
    if outcome.isBroken { invalidPlanCount += 1 }
    faults.add(outcome.faults)
    refusals.add(outcome.refusals)
    if outcome.isRepeated { repeatedPlanCount += 1 }
    if outcome.purges { purgingPlanCount = purgingPlanCount.map { $0 + 1 } }
    if let event = outcome.difference, outcome.plan < difference?.plan ?? .max {
      difference = (outcome.plan, event)
    }
    if let runFailure = outcome.runFailure {
      runFailureCount += 1
      if outcome.plan < self.runFailure?.plan ?? .max {
        self.runFailure = (outcome.plan, runFailure.description)
      }
    }
    if let reached = outcome.states {
      if states == nil { states = StateSample() }
      states?.add(plan: reached)
    }
    for condition in outcome.conditions { conditions[condition, default: 0] += 1 }
    for (name, answer) in zip(names, outcome.answers) {
      switch answer {
      case .valid: counts[name, default: Count()].valid += 1
      case .unknown: counts[name, default: Count()].unknown += 1
      case .invalid:
        counts[name, default: Count()].invalid += 1
        let first = counts[name]?.firstInvalid ?? outcome.plan
        counts[name]?.firstInvalid = min(first, outcome.plan)
      }
    }
  }

  /// The broken invariants in the order of the checkers, each with the first plan that breaks it.
  var broken: [(checker: String, plan: Int)] {
    CheckerSuite.names(in: .all).compactMap { name in
      counts[name]?.firstInvalid.map { (name, $0) }
    }
  }

  /// Whether the system completed every plan and never purged.
  var neverPurged: Bool { planCount > 0 && purgingPlanCount == 0 && runFailureCount == 0 }

  /// A sentence that states that the system never purged; `nil` if it did.
  var neverPurgedSentence: String? {
    neverPurged
      ? "The system never purged in \(planCount.counted("plan")), so that history only grew."
      : nil
  }

  /// The core invariants (see `CheckerSuite.Scope`) that no plan exercised.
  ///
  /// With one such invariant, the verdict of a check is `unknown`, unless other results make the
  /// verdict `nondeterministic` or `invalid`.
  var undecided: [String] {
    let core = CheckerSuite.names(in: .core)
    return notExercised.filter(core.contains)
  }

  /// The invariants that no plan exercised.
  var notExercised: [String] {
    CheckerSuite.names(in: .all).filter { name in
      counts[name].map { $0.valid == 0 && $0.invalid == 0 } ?? true
    }
  }
}

/// The numbers of planned faults and of faults that occurred, for each command and kind of fault.
struct FaultCounts: Sendable, Equatable {
  /// A kind of fault in a kind of command.
  struct Pair: Hashable, Sendable, Comparable {
    let command: String
    let kind: PlannedFault.Kind

    static func < (left: Pair, right: Pair) -> Bool {
      (left.command, left.kind.rawValue) < (right.command, right.kind.rawValue)
    }
  }
  struct Count: Sendable, Equatable {
    /// The number of times that the fault was planned for a command that ran.
    var planned = 0
    /// The number of times that the fault occurred; a power-off occurs at the end of its command.
    var fired = 0
  }
  private(set) var pairs: [Pair: Count] = [:]
  /// The number of power-offs with `synchronous=FULL`, where each commit waits for the disk.
  private(set) var fullPowerOffCount = 0
  /// The kinds of commands that ran, with or without planned faults.
  private(set) var words: Set<String> = []
  /// The kind of the command that is running or ran last; `nil` before the first command.
  private var current: String?

  /// Counts the next event of a plan's run.
  mutating func observe(_ event: Event, of plan: Plan) {
    switch event.kind {
    case .called(let position?, let word):
      words.insert(word)
      current = word
      for fault in plan.commands[position].faults {
        pairs[Pair(command: word, kind: fault.kind), default: Count()].planned += 1
      }
    case .fault(let fault):
      if fault.kind.isPowerOff, plan.header.synchronous == .full { fullPowerOffCount += 1 }
      guard let current else { return }
      pairs[Pair(command: current, kind: fault.kind), default: Count()].fired += 1
    default: break
    }
  }

  init() {}

  /// Reads the counts from a report.
  init(_ document: CheckDocument.System) {
    fullPowerOffCount = document.powerOffsAtFull ?? 0
    words = Set(document.commands ?? [])
    for fault in document.faults ?? [] {
      guard let kind = PlannedFault.Kind(rawValue: fault.kind) else { continue }
      words.insert(fault.command)
      pairs[Pair(command: fault.command, kind: kind)] = Count(
        planned: fault.planned,
        fired: fault.fired
      )
    }
  }

  /// Adds the counts of another run.
  mutating func add(_ other: FaultCounts) {
    words.formUnion(other.words)
    fullPowerOffCount += other.fullPowerOffCount
    for (pair, count) in other.pairs {
      pairs[pair, default: Count()].planned += count.planned
      pairs[pair, default: Count()].fired += count.fired
    }
  }

  /// The number of power-offs that occurred.
  var powerOffCount: Int {
    pairs.reduce(0) { $0 + ($1.key.kind.isPowerOff ? $1.value.fired : 0) }
  }

  /// The number of faults that occurred, power-offs excluded.
  var failureCount: Int {
    pairs.reduce(0) { $0 + ($1.key.kind.isPowerOff ? 0 : $1.value.fired) }
  }

  /// Sentences that state how many faults of which kinds occurred; empty if none did.
  var sentences: [String] {
    var sentences: [String] = []
    if powerOffCount > 0 {
      sentences.append(
        "The power failed \(powerOffCount.counted("time")), \(fullPowerOffCount.grouped) of them with "
          + "synchronous=FULL."
      )
    }
    if failureCount > 0 { sentences.append("\(failureCount.counted("call")) failed.") }
    return sentences
  }

  /// The power-offs that never occurred, as pairs such as `torn in retire`.
  ///
  /// A pair has a kind of power-off and a kind of command. Only kinds of commands that ran count.
  var missingPowerOffs: [String] {
    let kinds = PlannedFault.Kind.allCases.filter(\.isPowerOff)
    return words.sorted().flatMap { word in
      kinds.filter { (pairs[Pair(command: word, kind: $0)]?.fired ?? 0) == 0 }
        .map { "\($0.rawValue) in \(word)" }
    }
  }
}

/// The number of failed commands for each kind of command and error code.
struct RefusalCounts: Sendable, Equatable {
  /// A kind of command, and the error code with which it failed.
  struct Pair: Hashable, Sendable, Comparable {
    let command: String
    let code: SystemFailure.Code

    static func < (left: Pair, right: Pair) -> Bool {
      (left.command, left.code.rawValue) < (right.command, right.code.rawValue)
    }
  }
  private(set) var pairs: [Pair: Int] = [:]

  init() {}

  /// Reads the counts from a report.
  init(_ document: [CheckDocument.Refusal]) {
    for refusal in document {
      guard let code = SystemFailure.Code(rawValue: refusal.code) else { continue }
      pairs[Pair(command: refusal.command, code: code)] = refusal.count
    }
  }

  /// Counts the next event of a plan's run.
  mutating func observe(_ event: Event, of plan: Plan) {
    guard case .ended(let position?, .failed(let failure)) = event.kind else { return }
    let command = plan.commands[position].action.kind
    pairs[Pair(command: command, code: failure.code), default: 0] += 1
  }

  /// Adds the counts of another run.
  mutating func add(_ other: RefusalCounts) {
    for (pair, count) in other.pairs { pairs[pair, default: 0] += count }
  }

  /// Returns the number of commands, of all kinds, that failed with the given error code.
  func count(of code: SystemFailure.Code) -> Int {
    pairs.reduce(0) { $0 + ($1.key.code == code ? $1.value : 0) }
  }
}

extension Action {
  /// The name of the action in plan files.
  ///
  /// A `belated` action is a step of an old process that a later launch has replaced. Its name is
  /// followed by the name of the step.
  fileprivate var kind: String {
    if case .belated(_, let step) = self { "belated \(step.rawValue)" } else { word }
  }
}

import Checkers
import Traces

/// What became of the plans of one system, invariant by invariant.
struct CheckTally: Sendable {
  /// How often one checker said what.
  struct Count: Sendable, Hashable {
    var valid = 0
    var invalid = 0
    var unknown = 0
    /// The lowest number of a plan that broke the invariant.
    var firstInvalid: Int?
  }
  private(set) var counts: [String: Count] = [:]
  private(set) var planCount = 0
  private(set) var invalidPlanCount = 0
  var stepCount = 0

  init() {
    for name in CheckerSuite.names(in: .all) { counts[name] = Count() }
  }

  /// Counts the verdicts about one plan.
  mutating func add(_ suite: CheckerSuite, plan number: Int) {
    planCount += 1
    var isBroken = false
    for (checker, verdict) in suite.verdicts {
      switch verdict {
      case .valid: counts[checker, default: Count()].valid += 1
      case .unknown: counts[checker, default: Count()].unknown += 1
      case .invalid:
        isBroken = true
        counts[checker, default: Count()].invalid += 1
        let first = counts[checker]?.firstInvalid ?? number
        counts[checker]?.firstInvalid = min(first, number)
      }
    }
    if isBroken { invalidPlanCount += 1 }
  }

  /// Adds what another lane counted.
  mutating func add(_ other: CheckTally) {
    planCount += other.planCount
    invalidPlanCount += other.invalidPlanCount
    stepCount += other.stepCount
    for (checker, count) in other.counts {
      counts[checker, default: Count()].valid += count.valid
      counts[checker, default: Count()].invalid += count.invalid
      counts[checker, default: Count()].unknown += count.unknown
      let firsts = [counts[checker]?.firstInvalid, count.firstInvalid].compactMap { $0 }
      counts[checker]?.firstInvalid = firsts.min()
    }
  }

  /// The invariants that broke, in the order of the checkers.
  var broken: [(checker: String, plan: Int)] {
    CheckerSuite.names(in: .all).compactMap { name in
      counts[name]?.firstInvalid.map { (name, $0) }
    }
  }

  /// The core invariants that no plan exercised: without them a check decides nothing.
  var undecided: [String] {
    let core = CheckerSuite.names(in: .core)
    return notExercised.filter(core.contains)
  }

  /// The invariants that no plan exercised: nothing is known of them.
  var notExercised: [String] {
    CheckerSuite.names(in: .all).filter { name in
      counts[name].map { $0.valid == 0 && $0.invalid == 0 } ?? true
    }
  }
}

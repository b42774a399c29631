internal import Traces

/// The verdicts of the plans of a search, counted for each invariant.
struct PlanTally: Sendable {
  /// The verdicts of one checker.
  struct Count: Sendable {
    let checker: String
    var held = 0
    var broken = 0
    /// The lowest number of a plan that broke the invariant.
    var firstBroken: Int?
  }

  private(set) var counts: [Count]
  private(set) var planCount = 0
  /// The first plan in which the system did not take part to the end, and the reason.
  var trouble: (plan: Int, because: String)?
  /// The first plan whose second run differed, and how.
  var unrepeatable: (plan: Int, how: String)?

  init(_ names: [String]) { counts = names.map { Count(checker: $0) } }

  /// Adds the verdicts of a plan, in the order of the names.
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

  /// The broken invariants, each with the first plan that broke it.
  var broken: [(checker: String, plan: Int)] {
    counts.compactMap { count in count.firstBroken.map { (count.checker, $0) } }
  }
}

import Basics
import Traces

/// A shrunk plan with the invariant that it breaks; plans with equal keys count as one failure.
package struct FailurePlan: Sendable {
  /// The name of the system, the invariant, and a hash of the plan in canonical form.
  package let key: String
  private let system: String
  private let dependsOnContent: Bool
  private let plan: Plan

  /// The invariants that depend on the contents of changes, not only on the order of transactions.
  private static let ofContent: Set = [
    "Convergence", "HistoryExplainsData", "TombstoneFidelity", "ObserverDelivery", "Durability",
  ]

  /// - Complexity: linear in the plan's text.
  package init(_ plan: Plan, of system: String, breaks invariant: String) {
    (self.plan, self.system) = (plan, system)
    dependsOnContent = Self.ofContent.contains(invariant)
    let canonical = CanonicalPlan(plan, showsOperations: dependsOnContent).description
    let letters = String(system.map { $0.isLetter || $0.isNumber ? $0 : "-" })
    key = "\(letters.prefix(40))-\(invariant)-\(Self.hash("\(letters) \(canonical)"))"
  }

  /// Returns the hash of a text as 16 hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let digits = String(text.utf8.stableHash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Whether the commands of another failure of the system occur in this plan; operations are compared
  /// only if the contents of changes matter to both.
  private func contains(_ part: FailurePlan) -> Bool {
    let showsOperations = dependsOnContent && part.dependsOnContent
    return system == part.system
      && CanonicalPlan(plan, showsOperations: showsOperations)
        .contains(CanonicalPlan(part.plan, showsOperations: showsOperations))
  }

  /// Returns, for each failure whose plan contains the plan of another failure, the key of the first such
  /// failure; failures with fewer commands are first, and of equally many the earlier in `failures`.
  ///
  /// One bug probably causes both: a shrunk plan has no command that its failure does not need.
  ///
  /// - Complexity: the square of the number of failures that contain no other.
  package static func parts(_ failures: [FailurePlan]) -> [String: String] {
    var (firsts, parts): ([FailurePlan], [String: String]) = ([], [:])
    let sorted = failures.enumerated().sorted { one, other in
      (one.element.plan.commands.count, one.offset)
        < (other.element.plan.commands.count, other.offset)
    }
    for failure in sorted.map(\.element) {
      guard let first = firsts.first(where: failure.contains) else {
        firsts.append(failure)
        continue
      }
      if first.key != failure.key { parts[failure.key] = first.key }
    }
    return parts
  }
}

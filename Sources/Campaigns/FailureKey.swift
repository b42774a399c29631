import Basics
package import Traces

/// The key of a shrunk plan that breaks an invariant; plans with equal keys count as one failure.
///
/// The key consists of the system's name, the invariant, and a hash of the plan in canonical form.
package struct FailureKey: Hashable, Sendable {
  package let text: String

  /// The invariants that depend on the contents of changes, not only on the order of transactions.
  private static let ofContent: Set = [
    "Convergence", "HistoryExplainsData", "TombstoneFidelity", "ObserverDelivery", "Durability",
    "LiveQueries",
  ]

  /// Creates the key of a shrunk plan that breaks an invariant on a system.
  ///
  /// - Complexity: linear in the plan's text.
  package init(_ plan: Plan, of system: String, breaks invariant: String) {
    let canonical = CanonicalPlan(plan, showsOperations: Self.ofContent.contains(invariant))
    let name = String(system.map { $0.isLetter || $0.isNumber ? $0 : "-" })
    let digits = String("\(name) \(canonical.description)".utf8.stableHash, radix: 16)
    let hash = String(repeating: "0", count: 16 - digits.count) + digits
    text = "\(name.prefix(40))-\(invariant)-\(hash)"
  }
}

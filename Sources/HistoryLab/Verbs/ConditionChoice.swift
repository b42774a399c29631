import Systems
import Workloads

/// A choice of the conditions that the plans of a check may contain.
enum ConditionChoice: Hashable, Sendable {
  /// The default conditions.
  case everyday
  /// Every condition that the system supports.
  case all
  /// The named conditions.
  case named([Condition])

  /// The names of the default conditions, as a phrase.
  static let everydayNames = Condition.allCases.filter(Condition.everyday.contains)
    .map(\.rawValue).joinedWithAnd

  /// The word that selects every condition.
  static let everything = "all"

  static let reader = ValueReader(
    placeholder: "LIST",
    expectation: "conditions with commas between, as list conditions shows them, or all",
    suggestions: Condition.allCases.map(\.rawValue) + [everything]
  ) { ConditionChoice($0) }

  /// Parses names separated by commas; returns `nil` if one is unknown.
  init?(_ text: String) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if words.contains(Self.everything) {
      guard words.allSatisfy({ $0 == Self.everything || Condition(rawValue: $0) != nil }) else {
        return nil
      }
      self = .all
      return
    }
    let conditions = words.compactMap(Condition.init)
    guard conditions.count == words.count else { return nil }
    self = .named(Condition.allCases.filter(conditions.contains))
  }

  /// Returns whether a condition was selected by its name.
  func names(_ condition: Condition) -> Bool {
    if case .named(let conditions) = self { conditions.contains(condition) } else { false }
  }

  /// The text to type for this choice.
  var text: String {
    switch self {
    case .everyday: "everyday"
    case .all: Self.everything
    case .named(let conditions): conditions.map(\.rawValue).joined(separator: ",")
    }
  }

  /// Returns the conditions of a system's plans.
  ///
  /// - Throws: A usage error if a named condition is not supported by the system.
  func conditions(for system: LabSystem) throws(LabError) -> Set<Condition> {
    let possible = system.conditions
    switch self {
    case .everyday: return Condition.everyday.intersection(possible)
    case .all: return possible
    case .named(let named):
      guard let refused = named.first(where: { !possible.contains($0) }) else { return Set(named) }
      throw .usage(
        "--conditions: \(system.name) cannot be put through \(refused.rawValue): it does "
          + "not have the capability \((refused.need?.rawValue ?? "").quoted). Leave out one of them."
      )
    }
  }
}

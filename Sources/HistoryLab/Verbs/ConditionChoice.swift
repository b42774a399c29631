import Systems
import Workloads

/// Which kinds of trouble the plans of a check may contain.
enum ConditionChoice: Hashable, Sendable {
  /// Those that plans contain unless someone says otherwise.
  case everyday
  /// Every one that a system can be put through.
  case all
  /// Those that were named.
  case named([Condition])

  /// The names of what plans contain unless someone says otherwise.
  static let everydayNames = Condition.allCases.filter(Condition.everyday.contains)
    .map(\.rawValue).joinedWithAnd

  /// The word that stands for every condition.
  static let everything = "all"

  static let reader = ValueReader(
    placeholder: "LIST",
    expectation: "conditions with commas between, as list conditions shows them, or all",
    suggestions: Condition.allCases.map(\.rawValue) + [everything]
  ) { ConditionChoice($0) }

  /// Reads names with commas between.
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

  /// Whether a condition was asked for by its name.
  func names(_ condition: Condition) -> Bool {
    if case .named(let conditions) = self { conditions.contains(condition) } else { false }
  }

  /// What is typed to mean this.
  var text: String {
    switch self {
    case .everyday: "everyday"
    case .all: Self.everything
    case .named(let conditions): conditions.map(\.rawValue).joined(separator: ",")
    }
  }

  /// The conditions of a system's plans.
  ///
  /// - Throws: a usage error for one that was named and that the system cannot be put through.
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

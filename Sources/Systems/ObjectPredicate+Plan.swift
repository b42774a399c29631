import HistoryStore
import Traces

extension ObjectPredicate {
  /// Converts a plan's condition.
  init(_ planned: PlannedCondition) {
    self =
      switch planned {
      case .compare(let name, let comparison, let value):
        .compare(name, Comparison(comparison), value)
      case .among(let name, let values): .in(name, values)
      case .between(let name, let low, let high): .between(name, low, high)
      case .like(let name, let pattern): .like(name, pattern)
      case .all(let parts): .all(parts.map(Self.init))
      case .any(let parts): .any(parts.map(Self.init))
      case .not(let part): .not(Self(part))
      }
  }
}

extension Comparison {
  /// Converts a plan's comparison.
  init(_ planned: PlannedComparison) {
    self =
      switch planned {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
  }
}

extension MergePolicy {
  /// Converts a plan's merge policy.
  init(_ planned: PlannedPolicy) {
    self =
      switch planned {
      case .objectWins: .objectWins
      case .error: .error
      case .storeWins: .storeWins
      case .overwrite: .overwrite
      case .rollback: .rollback
      }
  }
}

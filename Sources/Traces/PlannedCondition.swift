package import PersistentHistory

/// How an attribute is compared in a batch's predicate.
package enum PlannedComparison: String, Hashable, Sendable, CaseIterable {
  case equal = "="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

/// One condition of a batch's predicate; conditions are joined by and.
///
/// Each holds or does not: what SQL leaves unknown because of a null does not hold, and `not` of it
/// does.
package indirect enum PlannedCondition: Hashable, Sendable {
  /// An attribute compares so with a value; null equals null, and is neither less nor greater than
  /// anything.
  case compare(String, PlannedComparison, Value)
  /// An attribute equals one of some values, null among them or not.
  case among(String, [Value])
  /// An attribute lies between two values, both included.
  case between(String, Value, Value)
  /// A text is like a pattern: `%` is any characters, `_` one, a backslash takes the meaning from the
  /// next; ASCII letters match in either case.
  case like(String, String)
  /// All of some conditions hold.
  case all([PlannedCondition])
  /// Any of some conditions holds.
  case any([PlannedCondition])
  /// A condition does not hold.
  case not(PlannedCondition)

  /// How deep conditions may lie in each other: as deep as a store takes them in a list.
  package static let depthMax = 15

  /// A comparison with one value.
  package init(_ attribute: String, _ comparison: PlannedComparison, _ value: Value) {
    self = .compare(attribute, comparison, value)
  }
}

package import HistoryTypes

/// A comparison operator of a batch's predicate.
package enum PlannedComparison: String, Hashable, Sendable, CaseIterable {
  case equal = "="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

/// One condition of a batch's predicate; the conditions of a batch are combined with AND.
///
/// A condition is either true or false: where SQL yields unknown because of a null, it is false,
/// and its negation is true.
package indirect enum PlannedCondition: Hashable, Sendable {
  /// A comparison of an attribute with a value.
  ///
  /// Null equals null, and is neither less nor greater than any value.
  case compare(String, PlannedComparison, Value)
  /// An attribute that equals one of several values, which may include null.
  case among(String, [Value])
  /// An attribute between two values, inclusive.
  case between(String, Value, Value)
  /// A string that matches a pattern, ASCII letters case-insensitively.
  ///
  /// `%` matches any characters and `_` one; a backslash escapes the next character.
  case like(String, String)
  /// Conditions that are all true.
  case all([PlannedCondition])
  /// Conditions of which at least one is true.
  case any([PlannedCondition])
  /// A condition that is false.
  case not(PlannedCondition)

  /// The maximum nesting depth, which is the depth that a store accepts in a list.
  package static let depthMax = 15

  /// Creates a comparison with one value.
  package init(_ attribute: String, _ comparison: PlannedComparison, _ value: Value) {
    self = .compare(attribute, comparison, value)
  }
}

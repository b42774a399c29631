public import PersistentHistory

/// An operator that compares an attribute with a value.
public enum Comparison: String, Sendable, Hashable, CaseIterable {
  /// Equal; null equals null.
  case equal = "="
  /// Not equal; `<> null` matches every other value, and `<>` another value does not match null.
  case notEqual = "<>"
  /// Less.
  case less = "<"
  /// Less or equal.
  case lessOrEqual = "<="
  /// Greater.
  case greater = ">"
  /// Greater or equal.
  case greaterOrEqual = ">="
}

/// A condition on the objects of an entity.
///
/// Every predicate is true or false for every object: ``not(_:)`` matches exactly the objects that
/// its predicate does not match, null or not. Values are bound, never written into SQL. Predicates
/// that are too large or too deep are refused with the exceeded ``PredicateLimit``.
public indirect enum ObjectPredicate: Sendable, Hashable {
  /// Objects whose attribute compares to a value as SQL compares.
  ///
  /// A null attribute matches only `= null`, and no value is less or greater than null. Text is
  /// compared by its UTF-8 bytes.
  case compare(String, Comparison, Value)
  /// Objects whose attribute equals one of some values, which may include null.
  case `in`(String, [Value])
  /// Objects whose attribute lies between two values, both included; null bounds match nothing.
  case between(String, Value, Value)
  /// Objects whose text matches a pattern.
  ///
  /// `%` stands for any characters, `_` for one, and a backslash makes the next character literal.
  ///
  /// ASCII letters match in either case, all other characters only themselves
  /// (https://sqlite.org/lang_expr.html#like). A character is one Unicode scalar.
  case like(String, String)
  /// Objects that match all of some predicates; an empty list matches every object.
  case all([ObjectPredicate])
  /// Objects that match any of some predicates; an empty list matches no object.
  case any([ObjectPredicate])
  /// Objects that do not match a predicate.
  case not(ObjectPredicate)

  /// Objects whose attribute is null.
  public static func null(_ attribute: String) -> ObjectPredicate {
    .compare(attribute, .equal, .null)
  }
}

/// The limits of a predicate's size, which stay within SQLite's own.
///
/// See https://sqlite.org/limits.html.
public enum PredicateLimit: String, Sendable, Hashable, CaseIterable {
  /// The nesting depth of `all`, `any` and `not`.
  case depth
  /// The number of attributes that are compared.
  case comparisons
  /// The number of values that are bound.
  case values
  /// The number of bytes of a pattern.
  case patternBytes

  /// The maximum that a request accepts.
  public var most: Int {
    switch self {
    case .depth: 16
    case .comparisons: 500
    case .values: 10_000
    case .patternBytes: 10_000
    }
  }
}

extension String {
  /// The text escaped as a literal part of a ``ObjectPredicate/like(_:_:)`` pattern.
  public var escapedForLike: String {
    var escaped = ""
    for scalar in unicodeScalars {
      if scalar == "%" || scalar == "_" || scalar == "\\" { escaped.unicodeScalars.append("\\") }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}

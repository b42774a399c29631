public import PersistentHistory

/// How an attribute is compared with a value.
public enum Comparison: String, Sendable, Hashable, CaseIterable {
  /// Equal; null equals null.
  case equal = "="
  /// Not equal; compared with null it matches everything that is not null, compared with another
  /// value it does not match null.
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

/// Which objects of an entity a request is about.
///
/// Every predicate is true or false for every object: ``not(_:)`` matches exactly what its predicate
/// does not, null or not. Values are bound, never written into SQL. What is too large or too deep is
/// refused by name (``PredicateLimit``).
public indirect enum ObjectPredicate: Sendable, Hashable {
  /// Objects whose attribute compares so with a value, as SQL compares: a null attribute matches only
  /// `= null`, and nothing is less or greater than null. Text goes by its UTF-8 bytes.
  case compare(String, Comparison, Value)
  /// Objects whose attribute equals one of some values, null among them or not.
  case `in`(String, [Value])
  /// Objects whose attribute lies between two values, both included; null bounds match nothing.
  case between(String, Value, Value)
  /// Objects whose text is like a pattern: `%` stands for any characters, `_` for one, and a
  /// backslash takes the meaning from the character behind it.
  ///
  /// ASCII letters match whatever their case, all others only themselves
  /// (https://sqlite.org/lang_expr.html#like). A character is one Unicode scalar.
  case like(String, String)
  /// Objects that match all of some predicates; all of none is every object.
  case all([ObjectPredicate])
  /// Objects that match any of some predicates; any of none is no object.
  case any([ObjectPredicate])
  /// Objects that do not match a predicate.
  case not(ObjectPredicate)

  /// Objects whose attribute is null.
  public static func null(_ attribute: String) -> ObjectPredicate {
    .compare(attribute, .equal, .null)
  }
}

/// How large a predicate may be: beyond it SQLite's own limits begin
/// (https://sqlite.org/limits.html).
public enum PredicateLimit: String, Sendable, Hashable, CaseIterable {
  /// How deep `all`, `any` and `not` may lie in each other.
  case depth
  /// How many attributes are compared.
  case comparisons
  /// How many values are bound.
  case values
  /// How many bytes a pattern has.
  case patternBytes

  /// The greatest number that is taken.
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
  /// The text as a part of a ``ObjectPredicate/like(_:_:)`` pattern that stands for itself.
  public var escapedForLike: String {
    var escaped = ""
    for scalar in unicodeScalars {
      if scalar == "%" || scalar == "_" || scalar == "\\" { escaped.unicodeScalars.append("\\") }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}

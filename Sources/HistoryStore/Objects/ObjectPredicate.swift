public import HistoryTypes

/// An operator that compares an attribute with a value.
public enum Comparison: String, Sendable, Hashable, CaseIterable {
  /// The values are equal; null equals null.
  case equal = "="
  /// The values are not equal.
  ///
  /// `<> null` matches every value except null. `<>` with any value but null does not match null.
  case notEqual = "<>"
  /// The attribute is less than the value.
  case less = "<"
  /// The attribute is less than or equal to the value.
  case lessOrEqual = "<="
  /// The attribute is greater than the value.
  case greater = ">"
  /// The attribute is greater than or equal to the value.
  case greaterOrEqual = ">="
}

/// A condition on the objects of an entity.
///
/// A predicate is true or false for every object, never unknown as in SQL: ``not(_:)`` matches
/// exactly the objects that its predicate does not match, even if the attribute is null. Values
/// are bound, never written into SQL. A request whose predicate exceeds a ``PredicateLimit`` fails
/// with an error that names the limit.
public indirect enum ObjectPredicate: Sendable, Hashable {
  /// Objects whose attribute satisfies a comparison with a value, by SQL's rules.
  ///
  /// A null attribute matches only `= null`, and no value is less or greater than null. Text is
  /// compared by its UTF-8 bytes.
  case compare(String, Comparison, Value)
  /// Objects whose attribute equals one of the listed values, which may include null.
  case `in`(String, [Value])
  /// Objects whose attribute is between two values, both included; a null bound matches no object.
  case between(String, Value, Value)
  /// Objects whose text matches a pattern.
  ///
  /// `%` stands for any characters, `_` for one, and a backslash makes the next character literal.
  ///
  /// ASCII letters match in either case, all other characters only themselves
  /// (https://sqlite.org/lang_expr.html#like). A character is one Unicode scalar.
  case like(String, String)
  /// Objects that match every predicate of a list; an empty list matches every object.
  case all([ObjectPredicate])
  /// Objects that match at least one predicate of a list; an empty list matches no object.
  case any([ObjectPredicate])
  /// Objects that do not match a predicate.
  case not(ObjectPredicate)

  /// Objects whose attribute is null.
  public static func null(_ attribute: String) -> ObjectPredicate {
    .compare(attribute, .equal, .null)
  }
}

/// A limit on the size of a predicate, at or below the corresponding limit of SQLite.
///
/// See https://sqlite.org/limits.html.
public enum PredicateLimit: String, Sendable, Hashable, CaseIterable {
  /// The nesting depth of `all`, `any` and `not`.
  case depth
  /// The number of comparisons; an attribute that is compared twice counts twice.
  case comparisons
  /// The number of values that comparisons, ranges, lists and patterns bind as SQL parameters.
  case values
  /// The length of a text pattern in UTF-8 bytes.
  case patternBytes

  /// The maximum depth, number or length that this limit allows in one request.
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

extension ObjectPredicate {
  /// Returns whether an object with these values matches, without a query of the store.
  ///
  /// A context uses the method for objects with unsaved edits. The result is the same as in SQL for
  /// a row with these values, one for each attribute of the entity.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``.
  /// - Complexity: linear in the predicate. A pattern costs at most its length times the length of
  ///   the text.
  package func matches(
    _ row: ArraySlice<Value>,
    of entity: Entity
  ) throws(HistoryError) -> Bool {
    switch self {
    case .compare(let name, let comparison, let value):
      return try Self.value(name, row, entity).compares(comparison, with: value)
    case .in(let name, let list):
      let value = try Self.value(name, row, entity)
      return list.contains { value.compares(.equal, with: $0) }
    case .between(let name, let low, let high):
      let value = try Self.value(name, row, entity)
      return low != .null && high != .null && value.compares(.greaterOrEqual, with: low)
        && value.compares(.lessOrEqual, with: high)
    case .like(let name, let pattern):
      guard case .string(let text) = try Self.value(name, row, entity) else { return false }
      return LikePattern(pattern).matches(text)
    case .all(let parts):
      for part in parts where try !part.matches(row, of: entity) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.matches(row, of: entity) { return true }
      return false
    case .not(let part): return try !part.matches(row, of: entity)
    }
  }

  /// The names of the attributes that the predicate compares, from left to right.
  package var attributes: [String] {
    switch self {
    case .compare(let name, _, _), .in(let name, _), .between(let name, _, _), .like(let name, _):
      [name]
    case .all(let parts), .any(let parts): parts.flatMap(\.attributes)
    case .not(let part): part.attributes
    }
  }

  private static func value(
    _ name: String,
    _ row: ArraySlice<Value>,
    _ entity: Entity
  ) throws(HistoryError) -> Value {
    guard let index = entity.index(of: name) else {
      throw .unknownAttribute(name, of: entity)
    }
    return row[row.startIndex + index]
  }
}

extension Value {
  fileprivate func compares(_ comparison: Comparison, with other: Value) -> Bool {
    guard self != .null, other != .null else {
      switch comparison {
      case .equal: return self == other
      case .notEqual: return self != .null
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return false
      }
    }
    let order = order(to: other)
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Compares two values of one type in SQL's order: null first, text and data byte by byte.
  ///
  /// - Returns: a number less than, equal to or greater than 0 when this value comes before, equal
  ///   to or after the other.
  package func order(to other: Value) -> Int {
    switch (self, other) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.int(let left), .int(let right)): Self.order(left, right)
    case (.double(let left), .double(let right)): Self.order(left, right)
    case (.bool(let left), .bool(let right)): Self.order(left ? 1 : 0, right ? 1 : 0)
    case (.date(let left), .date(let right)):
      Self.order(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.string(let left), .string(let right)): Self.order(bytes: left.utf8, right.utf8)
    case (.data(let left), .data(let right)): Self.order(bytes: left, right)
    case (.uuid(let left), .uuid(let right)):
      withUnsafeBytes(of: left.uuid) { left in
        withUnsafeBytes(of: right.uuid) { Self.order(bytes: left, $0) }
      }
    default: 0
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func order(
    bytes left: some Sequence<UInt8>,
    _ right: some Sequence<UInt8>
  ) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
  }
}

/// A pattern of SQL's LIKE with backslash as the escape character, matched as SQLite does.
struct LikePattern {
  private enum Part: Equatable {
    case anything
    case one
    case scalar(UInt32)
  }

  private var parts: [Part] = []
  /// Whether the pattern ends with an escape character; such a pattern matches no text.
  private var isBroken = false

  init(_ pattern: String) {
    var scalars = Self.scalars(of: pattern).makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case 0x25: parts.append(.anything)
      case 0x5f: parts.append(.one)
      case 0x5c:
        guard let next = scalars.next() else {
          isBroken = true
          return
        }
        parts.append(.scalar(Self.folded(next)))
      default: parts.append(.scalar(Self.folded(scalar)))
      }
    }
  }

  /// Returns the scalars of a text up to the first NUL, where SQLite's LIKE stops reading.
  private static func scalars(of text: String) -> [UInt32] {
    text.unicodeScalars.prefix { $0.value != 0 }.map(\.value)
  }

  private static func folded(_ scalar: UInt32) -> UInt32 {
    (0x41...0x5a).contains(scalar) ? scalar | 0x20 : scalar
  }

  /// Returns whether a text matches the pattern.
  ///
  /// - Complexity: at most the length of the pattern times the length of the text.
  func matches(_ text: String) -> Bool {
    guard !isBroken else { return false }
    let text = Self.scalars(of: text)
    var (at, part) = (0, 0)
    // The state to continue from after a mismatch: the last `%` then matches one more character.
    var retry: (at: Int, part: Int)?
    while at < text.count {
      if part < parts.count, parts[part] == .anything {
        part += 1
        retry = (at, part)
      } else if part < parts.count,
        parts[part] == .one || parts[part] == .scalar(Self.folded(text[at]))
      {
        at += 1
        part += 1
      } else if let last = retry {
        retry = (last.at + 1, last.part)
        (at, part) = (last.at + 1, last.part)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .anything }
  }
}

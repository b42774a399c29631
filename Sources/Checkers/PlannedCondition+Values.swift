package import HistoryTypes
package import Traces

extension PlannedCondition {
  /// Returns whether the condition holds for an object; an absent attribute is null.
  package func holds(for values: Values) -> Bool {
    switch self {
    case .compare(let name, let comparison, let other):
      return Self.compares(values[name] ?? .null, comparison, other)
    case .among(let name, let list):
      return list.contains { Self.compares(values[name] ?? .null, .equal, $0) }
    case .between(let name, let low, let high):
      let value = values[name] ?? .null
      return value.satisfies(.greaterOrEqual, low) && value.satisfies(.lessOrEqual, high)
    case .like(let name, let pattern):
      guard case .string(let text) = values[name] else { return false }
      return Self.isLike(Self.scalars(text)[...], Self.scalars(pattern)[...])
    case .all(let parts): return parts.allSatisfy { $0.holds(for: values) }
    case .any(let parts): return parts.contains { $0.holds(for: values) }
    case .not(let part): return !part.holds(for: values)
    }
  }

  /// Returns the result of a comparison as in SQL, except that `=` and `!=` treat null as a value.
  private static func compares(
    _ value: Value,
    _ comparison: PlannedComparison,
    _ other: Value
  ) -> Bool {
    guard other == .null else { return value.satisfies(comparison, other) }
    return switch comparison {
    case .equal: value == .null
    case .notEqual: value != .null
    case .less, .lessOrEqual, .greater, .greaterOrEqual: false
    }
  }

  /// Returns the text up to its first NUL, where SQLite's LIKE stops, with ASCII letters in lower case.
  private static func scalars(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.prefix { $0 != "\0" }
      .map { ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) | 0x20) : $0 }
  }

  /// Matches a text with a pattern, directly by the definition of LIKE in SQLite's documentation.
  ///
  /// The algorithm is easy to verify, but slow for patterns with many `%`.
  private static func isLike(
    _ text: ArraySlice<Unicode.Scalar>,
    _ pattern: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "%": return isLike(text, rest) || (!text.isEmpty && isLike(text.dropFirst(), pattern))
    case "_": return !text.isEmpty && isLike(text.dropFirst(), rest)
    case "\\":
      guard let plain = rest.first else { return false }
      return text.first == plain && isLike(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && isLike(text.dropFirst(), rest)
    }
  }
}

extension Value {
  /// Returns whether two values are equal as stored: text by its bytes, and all NaNs as equal.
  package func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
    default: self == other
    }
  }

  /// Returns whether a comparison holds in SQL.
  ///
  /// A comparison with null never holds. Booleans are 0 and 1, text and bytes are compared byte by
  /// byte, numbers by their exact value. Of different storage classes numbers come first, then
  /// text, then bytes (sqlite.org/datatype3.html, section 4.1).
  package func satisfies(_ comparison: PlannedComparison, _ other: Value) -> Bool {
    guard let left = Stored(self), let right = Stored(other) else { return false }
    let order = left.order(to: right)
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

extension [String: Value] {
  /// Returns whether two objects are equal as stored; an absent attribute is null.
  package func isSame(as other: [String: Value]) -> Bool { firstDifference(from: other) == nil }

  /// Returns the first attribute, by name, in which two objects differ; `nil` if they are equal.
  package func firstDifference(from other: [String: Value]) -> String? {
    var least: String?
    for (attribute, value) in self where !value.isSame(as: other[attribute] ?? .null) {
      least = least.map { Swift.min($0, attribute) } ?? attribute
    }
    for (attribute, value) in other where self[attribute] == nil && value != .null {
      least = least.map { Swift.min($0, attribute) } ?? attribute
    }
    return least
  }
}

/// A value in its storage class.
private enum Stored {
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Creates the stored form; `nil` for null and for NaN, which is stored as null.
  init?(_ value: Value) {
    switch value {
    case .null: return nil
    case .int(let value): self = .integer(value)
    case .bool(let value): self = .integer(value ? 1 : 0)
    case .double(let value):
      guard !value.isNaN else { return nil }
      self = .real(value)
    case .date(let value): self = .real(value.timeIntervalSinceReferenceDate)
    case .string(let value): self = .text(value)
    case .data(let value): self = .blob(Array(value))
    case .uuid(let value): self = .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
    }
  }

  private var rank: Int {
    switch self {
    case .integer, .real: 0
    case .text: 1
    case .blob: 2
    }
  }

  /// Returns a negative number, 0 or a positive number if this value is less, equal or greater.
  func order(to other: Stored) -> Int {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): Self.order(left, right)
    case (.real(let left), .real(let right)): Self.order(left, right)
    case (.integer(let left), .real(let right)): Self.order(left, exactly: right)
    case (.real(let left), .integer(let right)): -Self.order(right, exactly: left)
    case (.text(let left), .text(let right)): Self.order(bytes: left.utf8, right.utf8)
    case (.blob(let left), .blob(let right)): Self.order(bytes: left, right)
    default: Self.order(rank, other.rank)
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  /// Compares an integer with a double without rounding the integer.
  private static func order(_ left: Int64, exactly right: Double) -> Int {
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = right.rounded(.towardZero)
    let byWhole = order(left, Int64(whole))
    return byWhole == 0 ? order(whole, right) : byWhole
  }

  private static func order(
    bytes left: some Sequence<UInt8>,
    _ right: some Sequence<UInt8>
  ) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
  }
}

extension [PlannedOrder] {
  /// Returns an object's values of the attributes to sort by; an absent attribute is null.
  func values(in values: Values) -> [Value] { map { values[$0.attribute] ?? .null } }

  /// Returns whether the left values come before the right ones in this order; null is least.
  func precede(_ left: [Value], _ right: [Value]) -> Bool {
    for (order, (left, right)) in zip(self, zip(left, right)) {
      let isLess = left == .null ? right != .null : left.satisfies(.less, right)
      let isGreater = right == .null ? left != .null : right.satisfies(.less, left)
      if isLess || isGreater { return isLess == order.isAscending }
    }
    return false
  }
}

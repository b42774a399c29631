import HistoryTypes
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

  /// Compares as SQL does, except that `=` and `!=` treat null as a value.
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

  /// Returns the characters up to the first NUL, where SQLite stops, with lowercase ASCII letters.
  private static func scalars(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.prefix { $0 != "\0" }
      .map { ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) | 0x20) : $0 }
  }

  /// Matches by the literal definition of LIKE.
  ///
  /// It is slow for patterns with many `%`, and easy to verify.
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

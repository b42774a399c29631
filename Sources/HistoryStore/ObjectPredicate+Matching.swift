package import PersistentHistory

extension ObjectPredicate {
  /// Returns whether an object matches that is not in the store in this form.
  ///
  /// The result is the same as in SQL for a row with these values, one for each attribute of the
  /// entity.
  ///
  /// - Throws: ``HistoryError/unknownAttribute(entity:attribute:)``.
  /// - Complexity: linear in the predicate; a pattern costs at most its length times the text's.
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

  private static func value(
    _ name: String,
    _ row: ArraySlice<Value>,
    _ entity: Entity
  ) throws(HistoryError) -> Value {
    guard let index = entity.index(of: name) else {
      throw .unknownAttribute(entity: entity.name, attribute: name)
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

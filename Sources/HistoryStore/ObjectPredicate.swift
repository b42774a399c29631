public import PersistentHistory
import SQLiteStorage

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
public indirect enum ObjectPredicate: Sendable, Hashable {
  /// Objects whose attribute compares so with a value, as SQL compares: a null attribute matches only
  /// `= null`, and nothing is less or greater than null.
  case compare(String, Comparison, Value)
  /// Objects that match all of some predicates; all of none is every object.
  case all([ObjectPredicate])
}

/// A predicate as SQL, with the values to bind in the order of their places.
struct CompiledPredicate {
  var sql: String
  var values: [Value] = []
}

extension StoreCore {
  /// Compiles a predicate over an entity, with places numbered from a position on.
  func compile(
    _ predicate: ObjectPredicate?,
    over entity: Entity,
    from position: Int
  ) throws -> CompiledPredicate {
    var compiled = CompiledPredicate(sql: "")
    compiled.sql = try sql(predicate ?? .all([]), entity, position, &compiled.values)
    return compiled
  }

  private func sql(
    _ predicate: ObjectPredicate,
    _ entity: Entity,
    _ position: Int,
    _ values: inout [Value]
  ) throws -> String {
    switch predicate {
    case .compare(let name, let comparison, let value):
      guard let index = entity.index(of: name) else {
        throw HistoryError.unknownAttribute(entity: entity.name, attribute: name)
      }
      try check(value, of: entity.attributes[index], in: entity)
      return sql(name, comparison, value, position, &values)
    case .all(let predicates):
      let parts = try predicates.map { try sql($0, entity, position, &values) }
      return parts.isEmpty ? "1" : "(" + parts.joined(separator: " AND ") + ")"
    }
  }

  private func sql(
    _ name: String,
    _ comparison: Comparison,
    _ value: Value,
    _ position: Int,
    _ values: inout [Value]
  ) -> String {
    if value == .null {
      switch comparison {
      case .equal: return "\"\(name)\" IS NULL"
      case .notEqual: return "\"\(name)\" IS NOT NULL"
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
      }
    }
    values.append(value)
    return "\"\(name)\" \(comparison.rawValue) ?\(position + values.count - 1)"
  }
}

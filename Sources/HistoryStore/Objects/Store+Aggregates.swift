package import HistoryTypes
import SQLiteStorage

/// A function over the values of an attribute.
///
/// Core Data: the functions of `NSExpression` in an `NSExpressionDescription`.
package enum Aggregate: Sendable, Hashable, CaseIterable {
  case sum
  case average
  case minimum
  case maximum
}

/// The partial result of an aggregate, to which values are added one by one.
package struct AggregatedValues: Sendable {
  /// The number of values other than null; valid only for `sum` and `average`.
  package private(set) var count = 0
  /// The sum (also for `average`), the least or the greatest value; null if there are no values.
  package private(set) var value = Value.null
  private let aggregate: Aggregate

  package init(_ aggregate: Aggregate) { self.aggregate = aggregate }

  /// Adds a value; null is ignored.
  ///
  /// - Returns: `false` if the sum of integers exceeds 64 bits.
  package mutating func add(_ other: Value) -> Bool {
    guard other != .null else { return true }
    guard value != .null else {
      (count, value) = (1, aggregate == .average ? .double(other.number) : other)
      return true
    }
    count += 1
    switch aggregate {
    case .minimum: if other.order(to: value) < 0 { value = other }
    case .maximum: if other.order(to: value) > 0 { value = other }
    case .average: value = .double(value.number + other.number)
    case .sum:
      guard case .int(let left) = value, case .int(let right) = other else {
        value = .double(value.number + other.number)
        return true
      }
      let (sum, isTooLarge) = left.addingReportingOverflow(right)
      value = .int(sum)
      return !isTooLarge
    }
    return true
  }

  fileprivate init(_ aggregate: Aggregate, count: Int, _ value: Value) {
    self.aggregate = aggregate
    self.count = count
    self.value = value
  }
}

extension Value {
  /// The number as a double; 0 for a value that is not a number.
  fileprivate var number: Double { double ?? int.map(Double.init) ?? 0 }
}

extension Store {
  /// Returns the number of objects that match a query, ignoring its limit and offset.
  ///
  /// - Complexity: a scan of the entity or of an index.
  package func count(_ entity: Int32, _ wanted: ObjectQuery) throws(HistoryError) -> Int {
    try locked { core in
      try core.read {
        let table = try core.table(entity)
        return try core.withStatement(of: wanted, over: table, selecting: "count(*)") { query in
          try query.statement.step() ? Int(query.statement.int(0)) : 0
        }
      }
    }
  }

  /// Returns the distinct values of an attribute of the matching objects, in ascending order.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``.
  /// - Complexity: a scan of the entity or of an index, and a sort if no index has the order.
  package func distinctValues(
    _ entity: Int32,
    of attribute: String,
    _ wanted: ObjectQuery
  ) throws(HistoryError) -> [Value] {
    try locked { core in
      try core.read {
        let table = try core.table(entity)
        let (column, type) = try table.columnAndType(of: attribute)
        return try core.withStatement(
          of: wanted,
          over: table,
          selecting: "DISTINCT \(column)",
          tail: "ORDER BY \(column)"
        ) { query in
          var values: [Value] = []
          while try query.statement.step() { values.append(query.statement.value(0, as: type)) }
          return values
        }
      }
    }
  }

  /// Returns an aggregate of the values of an attribute of the matching objects.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``, ``HistoryError/Code/notANumber`` for a sum
  ///   or an average of values that are not numbers, or ``HistoryError/Code/sumTooLarge``.
  /// - Complexity: a scan of the entity or of an index; a search of an index for the least or greatest
  ///   value.
  package func aggregate(
    _ aggregate: Aggregate,
    _ entity: Int32,
    of attribute: String,
    _ wanted: ObjectQuery
  ) throws(HistoryError) -> AggregatedValues {
    try locked { core in
      try core.read {
        let table = try core.table(entity)
        let (column, type) = try table.columnAndType(of: attribute)
        try aggregate.check(type, of: attribute, in: table.entity)
        return try core.withStatement(
          of: wanted,
          over: table,
          selecting: aggregate.sql(column)
        ) { query in
          do {
            guard try query.statement.step() else { return AggregatedValues(aggregate) }
          } catch let error as SQLiteError where error.message == "integer overflow" {
            throw HistoryError.sumTooLarge(attribute, of: table.entity)
          }
          let count = aggregate.isNumeric ? query.statement.int(1) : 0
          let resultType = aggregate == .average ? .double : type
          let value = query.statement.value(0, as: resultType)
          return AggregatedValues(aggregate, count: Int(count), value)
        }
      }
    }
  }
}

extension Aggregate {
  /// Whether the values must be numbers.
  fileprivate var isNumeric: Bool { self == .sum || self == .average }

  fileprivate func check(
    _ type: AttributeType,
    of attribute: String,
    in entity: Entity
  ) throws(HistoryError) {
    guard !isNumeric || type == .int || type == .double else {
      throw .notANumber(attribute, of: entity, type: type)
    }
  }

  /// Returns SQL for the columns of the aggregate's result.
  ///
  /// SQLite searches an index for a minimum or maximum only if the result has no other column
  /// (https://sqlite.org/optoverview.html#the_min_max_optimization).
  fileprivate func sql(_ column: String) -> String {
    switch self {
    case .sum: "sum(\(column)), count(\(column))"
    case .average:
      "CASE count(\(column)) WHEN 0 THEN NULL ELSE total(\(column)) END, count(\(column))"
    case .minimum: "min(\(column))"
    case .maximum: "max(\(column))"
    }
  }
}

extension EntityStatements {
  /// Returns the column of an attribute as SQL, and the type of its values.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``.
  fileprivate func columnAndType(
    of attribute: String
  ) throws(HistoryError) -> (column: String, type: AttributeType) {
    let column = try column(of: attribute)
    return (column, types[entity.index(of: attribute) ?? 0])
  }
}

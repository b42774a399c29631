package import HistoryTypes
import SQLiteStorage

/// The objects to read, and their order.
package struct ObjectQuery: Sendable {
  package var predicate: ObjectPredicate?
  package var orders: [ObjectOrder] = []
  /// The maximum number of objects; `nil` reads all.
  package var limit: Int?
  /// The number of objects to skip first.
  package var offset = 0
  /// The keys of objects to leave out, such as objects with unsaved edits in a context.
  package var excluded: [Int64] = []

  /// Creates a query for all objects that match a predicate, sorted by `orders`.
  package init(
    _ predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    excluding excluded: [Int64] = []
  ) {
    self.predicate = predicate
    self.orders = orders
    self.excluded = excluded
  }

  /// Creates a query that skips `offset` matching objects and reads at most `limit` others.
  ///
  /// - Throws: ``HistoryError/Code/negativeBound``.
  package init(
    _ predicate: ObjectPredicate?,
    sortedBy orders: [ObjectOrder],
    limit: Int?,
    offset: Int
  ) throws(HistoryError) {
    if let limit, limit < 0 { throw .negativeBound("limit", limit) }
    guard offset >= 0 else { throw .negativeBound("offset", offset) }
    self.init(predicate, sortedBy: orders)
    self.limit = limit
    self.offset = offset
  }

  /// Returns whether one row comes before another in the requested order.
  package func precedes(
    _ left: (key: Int64, row: ArraySlice<Value>),
    _ right: (key: Int64, row: ArraySlice<Value>),
    in entity: Entity
  ) -> Bool {
    for order in orders {
      guard let index = entity.index(of: order.attribute) else { continue }
      let result = order.compare(
        left.row[left.row.startIndex + index],
        right.row[right.row.startIndex + index]
      )
      if result != 0 { return result < 0 }
    }
    return left.key < right.key
  }

  /// Compares two objects by the values of their attributes in ``orders``, and then by key.
  ///
  /// - Returns: a number less than, equal to or greater than 0 when the left object comes before, is
  ///   equal to or comes after the right one.
  package func compare(
    _ left: (key: Int64, sorted: [Value]),
    _ right: (key: Int64, sorted: [Value])
  ) -> Int {
    for (index, order) in orders.enumerated() {
      let result = order.compare(left.sorted[index], right.sorted[index])
      if result != 0 { return result }
    }
    return left.key < right.key ? -1 : left.key > right.key ? 1 : 0
  }

  /// Returns a bit mask of the attributes that the predicate and the sort orders use.
  package func columns(of entity: Entity) -> UInt64 {
    let names = (predicate?.attributes ?? []) + orders.map(\.attribute)
    return names.reduce(0) { mask, name in
      entity.index(of: name).map { mask | 1 << UInt64($0) } ?? mask
    }
  }

  fileprivate func orderSQL(of table: EntityStatements) throws(HistoryError) -> String {
    var sql = ""
    for order in orders {
      let column = try table.column(of: order.attribute) + order.collation.sql
      sql += "\(column) \(order.isAscending ? "ASC" : "DESC"), "
    }
    return sql + "_key"
  }
}

extension ObjectOrder {
  /// Compares two values of the attribute.
  ///
  /// - Returns: a number less than, equal to or greater than 0 when the left value comes before, is
  ///   equal to or comes after the right one.
  package func compare(_ left: Value, _ right: Value) -> Int {
    let result = left.order(to: right, collation)
    return isAscending ? result : -result
  }
}

extension Value {
  /// Compares two values like ``order(to:)``, but compares text with a collation.
  fileprivate func order(to other: Value, _ collation: TextCollation) -> Int {
    guard collation == .caseInsensitive, case .string(let left) = self,
      case .string(let right) = other
    else { return order(to: other) }
    return Value.string(left.asciiLowercased).order(to: .string(right.asciiLowercased))
  }
}

extension String {
  /// The text with its ASCII letters in lower case, which SQLite's collation `NOCASE` compares.
  fileprivate var asciiLowercased: String {
    String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension StoreCore {
  /// Runs a closure with the prepared statement of a query, after binding the query's values.
  ///
  /// The statement is cached by its text. It reads the table of the entity, without the rows that the
  /// query excludes. `columns` is SQL for the columns of the result. `tail` is SQL after the
  /// condition. If `isLimited`, the query's limit and offset apply.
  func withStatement<Result>(
    of wanted: ObjectQuery,
    over table: EntityStatements,
    selecting columns: String,
    tail: String = "",
    isLimited: Bool = false,
    prefix: String = "",
    _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    let limit = isLimited ? "LIMIT ?1 OFFSET ?2" : ""
    let compiled = try compile(wanted.predicate, over: table, from: 3)
    let left =
      wanted.excluded.isEmpty ? "" : " AND _key NOT IN (SELECT key FROM history_keys)"
    let reader = left.isEmpty ? nil : try statements.rowReader(connection)
    let query = try query(
      """
      \(prefix)SELECT \(columns) FROM "\(table.tableName)" WHERE (\(compiled.sql))\(left) \(tail) \(limit)
      """
    )
    if isLimited {
      query.statement.bind(Int64(wanted.limit ?? -1), at: 1)
      query.statement.bind(Int64(wanted.offset), at: 2)
    }
    bind(compiled, to: query, from: 3)
    defer { query.statement.reset() }
    guard let reader else { return try body(query) }
    return try reader.withKeys(wanted.excluded) { try body(query) }
  }

  /// Reads the rows that a query selects, in the order that the query requests.
  func rows(_ number: Int32, _ wanted: ObjectQuery) throws -> RowBatch {
    let table = try table(number)
    var batch = RowBatch(entity: number, types: table.types)
    // In key order, each page is read only once. In another order, a page may be read many times.
    let isInKeyOrder = wanted.orders.isEmpty
    try restoringCache {
      try withRows(of: wanted, table) { query in
        while try query.statement.step() {
          batch.append(query.statement)
          if isInKeyOrder { try limitCache(afterReading: batch.bytes.count) }
        }
      }
      try limitCache(afterReading: batch.bytes.count)
    }
    return batch
  }

  fileprivate func withRows<Result>(
    of wanted: ObjectQuery,
    _ table: EntityStatements,
    prefix: String = "",
    _ body: (PreparedStatement) throws -> Result
  ) throws -> Result {
    try withStatement(
      of: wanted,
      over: table,
      selecting: "_key, _version\(table.qualifiedList)",
      tail: "ORDER BY \(try wanted.orderSQL(of: table))",
      isLimited: true,
      prefix: prefix,
      body
    )
  }
}

extension Store {
  /// Reads the rows of an entity that a query selects, in the order that the query requests.
  ///
  /// - Complexity: a scan of the entity or of an index, and a sort of the matching rows if no index
  ///   has the requested order.
  package func rows(_ entity: Int32, _ wanted: ObjectQuery) throws(HistoryError) -> RowBatch {
    try locked { core in try core.read { try core.rows(entity, wanted) } }
  }

  /// Returns SQLite's plan of a query, one line for each step, indented below the step that contains it.
  ///
  /// - Complexity: no row of the entity is read.
  package func plan(_ entity: Int32, _ wanted: ObjectQuery) throws(HistoryError) -> String {
    try locked { core in
      try core.read {
        let table = try core.table(entity)
        return try core.withRows(of: wanted, table, prefix: "EXPLAIN QUERY PLAN ") { query in
          var depths: [Int64: Int] = [:]
          var lines: [String] = []
          while try query.statement.step() {
            let depth = depths[query.statement.int(1)].map { $0 + 1 } ?? 0
            depths[query.statement.int(0)] = depth
            lines.append(String(repeating: "  ", count: depth) + (query.statement.text(3) ?? ""))
          }
          return lines.joined(separator: "\n")
        }
      }
    }
  }
}

import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// The plan's requests that use the store's SQL interface, and those that the store must refuse.
extension PlanProcess {
  /// SQL conditions that all select the same rows: those with a number greater than `?1`.
  private static let afterConditions = [
    "number > ?1", "number >= ?1 + 1", "number BETWEEN ?1 + 1 AND 1e9", "?1 < number",
    "number >= ?1 + 0.5", "number > ?1 AND number < 9223372036854775807",
    "number > ?1 AND number <= 9e18 AND number <> ?1", "NOT number <= ?1",
    "number = ?1 + 1 OR number > ?1 + 1", "number > ?1 OR number > 9223372036854775807",
    "number > ?1 OR number < -9223372036854775808", "number > ?1 OR number = NULL",
    "number > CAST(?1 AS TEXT)", "number > max(?1, -1) AND number >= -5 AND number > -9e300",
    "number IN (SELECT DISTINCT number FROM history_changes WHERE number > ?1)",
    "number > ?1 AND number < 1e300 AND number IS NOT NULL",
    "number > ?1 AND number < (SELECT ifnull(max(number), 0) + 1 FROM history_changes)",
    "number > ?1 AND number <= (SELECT ifnull(max(number), 0) + 0.5 FROM history_changes)",
    "number > ?1 OR number > 5 AND number < 3",
    "number > ?1" + String(repeating: " AND number > -9", count: 12),
  ]

  /// Reads all columns of `history_changes`, and returns the transactions in them as lines of text.
  ///
  /// Here `query.page` is no page size: the number selects an SQL condition and the sort order. The
  /// lines do not show all columns; the other columns are compared with those of a fetch.
  func tableLines(
    after number: Int64,
    _ query: PlannedQuery,
    _ planStore: PlanStore
  ) throws(HistoryError) -> [String] {
    let condition = Self.afterConditions[query.page % Self.afterConditions.count]
    let isDescending = query.page % 5 == 3
    let order = isDescending ? "number DESC, place DESC" : "number, place"
    let answer = try store.query(
      "SELECT * FROM history_changes WHERE \(condition) ORDER BY \(order)",
      [.int(number)]
    )
    let rows = isDescending ? answer.rows.reversed() : answer.rows
    var held: [Int64: HistoryTransaction] = [:]
    for transaction in try planStore.heldByNumber(store) {
      held[transaction.number.rawValue] = transaction
    }
    var lines: [String] = []
    if answer.columns != Self.tableColumns {
      lines.append("the table has the columns \(answer.columns)")
    }
    var transactions: [CommittedTransaction] = []
    var count = 0
    for row in rows {
      guard case .int(let number) = row[0], case .int(let place) = row[1],
        let transaction = held[number], transaction.changes.indices.count > Int(place)
      else { return lines + ["the table has a row that history lacks: \(row)"] }
      count = transactions.last?.name == String(number) ? count + 1 : 0
      if Int64(count) != place { lines.append("#\(number): row \(count) has place \(place)") }
      let change = transaction.changes[transaction.changes.startIndex + Int(place)]
      if let column = Self.difference(row, transaction, change, store.model) {
        lines.append("#\(number), place \(place): \(column) is \(row[column])")
      }
      let described = planStore.committed(transaction)
      if transactions.last?.name != described.name {
        transactions.append(described)
        transactions[transactions.count - 1].changes = []
      }
      transactions[transactions.count - 1].changes.append(
        CommittedChange(
          change.type,
          planStore.objects.name(change.objectID, in: store.model),
          columns: change.updatedProperties
        )
      )
    }
    return lines + transactions.map(line)
  }

  private static let tableColumns = [
    "number", "place", "timestamp", "author", "context", "bundle", "process", "entity", "key",
    "type", "properties", "tombstone",
  ]

  /// Returns the index of the first column in which a row differs from a fetched change, or `nil`.
  private static func difference(
    _ row: [Value],
    _ transaction: HistoryTransaction,
    _ change: HistoryChange,
    _ model: Model
  ) -> Int? {
    func text(_ text: String?) -> Value { text.map(Value.string) ?? .null }
    let properties = change.updatedProperties.map { "\"\($0)\"" }.joined(separator: ",")
    let expected: [Value?] = [
      .int(transaction.number.rawValue), nil,
      .double(transaction.timestamp.timeIntervalSinceReferenceDate),
      text(transaction.author), text(transaction.contextName), text(transaction.bundleID),
      text(transaction.processID), text(model.entity(change.objectID.entity)?.name),
      .int(change.objectID.key),
      .string(["insert", "update", "delete"][Int(change.type.rawValue)]),
      change.type == .update ? .string("[\(properties)]") : .null,
    ]
    for (column, value) in expected.enumerated() where value.map({ $0 != row[column] }) ?? false {
      return column
    }
    guard case .string(let shown) = row[11] else { return change.tombstone == nil ? nil : 11 }
    guard let tombstone = change.tombstone else { return 11 }
    let isShown = tombstone.allSatisfy { name, value in
      switch value {
      case .string(let text) where text.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7a }:
        shown.contains("\"\(name)\":\"\(text)\"")
      case .int(let number): shown.contains("\"\(name)\":\(number)")
      case .bool(let flag): shown.contains("\"\(name)\":\(flag)")
      case .uuid(let id): shown.contains("\"\(name)\":\"\(id.uuidString)\"")
      default: shown.contains("\"\(name)\":")
      }
    }
    return isShown ? nil : 11
  }

  // MARK: Refusals

  /// SQL statements with their values; `isAccepted` is `true` if a store must answer the statement.
  private static let statements: [(sql: String, values: [Value], isAccepted: Bool)] = [
    ("SELECT 1", [], true), ("SELECT 1;", [], true), ("SELECT 1; -- the end", [], true),
    ("SELECT 1; SELECT 2", [], false), ("", [], false), ("-- nothing", [], false),
    ("SELECT ?1", [], false), ("SELECT 1", [1], false), ("SELECT ?1", [1, 2], false),
    ("SELECT * FROM nowhere", [], false), ("DELETE FROM history_metadata", [], false),
    ("UPDATE history_metadata SET value = 1", [], false), ("BEGIN", [], false),
    ("CREATE TEMP TABLE t(x)", [], false), ("ATTACH ':memory:' AS other", [], false),
    ("SELECT number FROM history_changes LIMIT 1", [], true),
    ("INSERT INTO history_changes(number) VALUES(1)", [], false),
    ("SELECT (SELECT count(*) FROM history_metadata) > 0", [], true),
    (
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT * FROM n",
      [], true
    ),
    ("SELECT number FROM history_changes WHERE json('{') = place", [], false),
  ]

  /// Returns a line for each statement or edit that the store wrongly accepts or wrongly refuses.
  func refusalLines() throws(HistoryError) -> [String] {
    var lines: [String] = []
    for (sql, values, isAccepted) in Self.statements {
      let answer = word { () throws(HistoryError) in _ = try store.query(sql, values) }
      // SQLite evaluates no condition on a table without rows, so no error can occur.
      if sql.contains("json("), try store.currentToken().number == 0 { continue }
      if (answer == "accepted") != isAccepted, !(sql.contains("json(") && answer == "accepted") {
        lines.append("\"\(sql)\" with \(values): \(answer)")
      }
    }
    for (sql, part) in [("SELECT * FROM nowhere", "nowhere"), ("", "no SQL statement")] {
      let answer = word { () throws(HistoryError) in _ = try store.query(sql) }
      if !answer.dropFirst(sql.count).contains(part) { lines.append("\"\(sql)\": \(answer)") }
    }
    let values: [Value] = [
      .null, .int(.min), .int(-1), .double(0.1), .string(""), .string("a\u{0}ü"), .data(Data()),
      .data(Data([0, 1, 255])),
    ]
    let places = values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let echo = try store.query("SELECT \(places), 1 AS one", values)
    if echo.rows != [values + [.int(1)]] { lines.append("echo \(echo.rows)") }
    if echo.columns.last != "one" { lines.append("columns \(echo.columns)") }
    return try lines + editRefusals()
  }

  /// Returns the invalid edits that the store accepts.
  private func editRefusals() throws(HistoryError) -> [String] {
    var lines: [String] = []
    func refuse(_ what: String, _ body: () throws(HistoryError) -> Void) {
      if word(body) == "accepted" { lines.append("accepted: \(what)") }
    }
    let context = ObjectContext(store: store, author: nil, name: "query")
    let by = BatchAuthor(nil, contextName: batchContextName)
    refuse("an unknown entity") { () throws(HistoryError) in _ = try context.insert("Nowhere") }
    refuse("objects of an unknown entity") { () throws(HistoryError) in
      _ = try context.objects("Nowhere")
    }
    refuse("a filter by an unknown entity") { () throws(HistoryError) in
      _ = try store.fetch(HistoryRequest(after: nil, filter: .entity("Nowhere")))
    }
    for entity in store.model.entities.prefix(2) {
      let object = try context.insert(entity.name)
      refuse("an unknown attribute") { () throws(HistoryError) in
        try object.set(1, for: "nothing")
      }
      refuse("a batch of an unknown attribute") { () throws(HistoryError) in
        _ = try store.batchUpdate(entity.name, where: .all([]), set: ["nothing": 1], by: by)
      }
      for attribute in entity.attributes.prefix(8) {
        let wrong: Value = attribute.type == .string ? .int(1) : .string("1")
        refuse("\(wrong) for \(attribute.type)") { () throws(HistoryError) in
          try object.set(wrong, for: attribute.name)
        }
        refuse("a batch that sets \(wrong) for \(attribute.type)") { () throws(HistoryError) in
          _ = try store.batchUpdate(
            entity.name,
            where: .all([]),
            set: [attribute.name: wrong],
            by: by
          )
        }
      }
    }
    return lines
  }
}

extension PlanStore {
  /// Returns all transactions in history, read through the process's own connection.
  fileprivate func heldByNumber(_ store: Store) throws(HistoryError) -> [HistoryTransaction] {
    var held: [HistoryTransaction] = []
    var request = HistoryRequest(after: nil)
    while true {
      let page = try store.fetch(request)
      held += page.transactions
      guard page.hasMore else { return held }
      request = request.next(after: page)
    }
  }
}

public import HistoryTypes
import SQLiteStorage

/// The result of an SQL query.
public struct QueryResult: Sendable, Hashable {
  /// The names of the result's columns.
  public let columns: [String]
  /// The values of each row: integers, doubles, strings, data and nulls, by SQLite's storage class.
  public let rows: [[Value]]
}

extension Store {
  /// Runs an SQL query over the history, the objects and the other tables of the file.
  ///
  /// With any ``HistoryLayout``, each change of the history is a row of the table `history_changes`:
  /// `number` (of the transaction), `place` (in the transaction; `number` and `place` identify a
  /// change), `timestamp` (seconds since 2001-01-01 UTC), `author`, `context`, `bundle`, `process`,
  /// `entity`, `key`, `type` (`insert`, `update`, `delete`), `properties` (of an update, a JSON array
  /// of names) and `tombstone` (of a delete, a JSON object). The rows are ordered by number, and a
  /// comparison of `number` limits the rows that are read:
  ///
  /// ```swift
  /// try store.query(
  ///   "SELECT author, count(*) FROM history_changes WHERE number > ? GROUP BY author",
  ///   [.int(40)]
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - sql: A single statement of SQL that only reads.
  ///   - values: The values of the parameters, in the order of their numbers. The default is none.
  /// - Returns: The names of the columns, and all rows.
  /// - Throws: ``HistoryError/Code/sqlite`` when the text is not a single query that only reads, or
  ///   has more or fewer parameters than `values`; ``HistoryError/Code/damagedTransaction`` when
  ///   the changes of a transaction cannot be read. The file is not changed in any case.
  /// - Complexity: linear in the changes within the limits on `number`, with one page of them and
  ///   all rows of the result in memory.
  public func query(_ sql: String, _ values: [Value] = []) throws(HistoryError) -> QueryResult {
    var names: [String] = []
    var rows: [[Value]] = []
    try query(sql, values, showsTombstones: true, columns: { names = $0 }, row: { rows.append($0) })
    return QueryResult(columns: names, rows: rows)
  }

  /// Runs an SQL query row by row; without `showsTombstones`, values of deleted objects read as null.
  ///
  /// - Returns: `true` if the query reads a column whose values are hidden.
  /// - Throws: the errors of ``query(_:_:)`` and of the closures.
  @discardableResult
  package func query(
    _ sql: String,
    _ values: [Value] = [],
    showsTombstones: Bool,
    columns: ([String]) throws -> Void,
    row: ([Value]) throws -> Void
  ) throws(HistoryError) -> Bool {
    try lockedHistory { core in
      try core.read {
        try core.connection.withTable(HistoryChangeRows.table) {
          HistoryChangeRows(core)
        } _: {
          var hides = false
          let statement = try Statement(core.connection, reading: sql) { table, column in
            let isHidden = !showsTombstones && HistoryLayout.holdsTombstones(table, column)
            hides = hides || isHidden
            return isHidden
          }
          try statement.answer(values, columns, row)
          return hides
        }
      }
    }
  }
}

extension HistoryLayout {
  /// Returns whether a column contains values of deleted objects.
  fileprivate static func holdsTombstones(_ table: String, _ column: String) -> Bool {
    switch table.lowercased() {
    case HistoryChangeRows.table.name: column == HistoryChangeRows.tombstoneColumn
    case "achange": column.lowercased().hasPrefix("ztombstone")
    case "history_transaction", "history_chunk": column == "changes"
    default: false
    }
  }
}

extension Statement {
  /// Binds the values, and passes the column names and each row to closures.
  fileprivate borrowing func answer(
    _ values: [Value],
    _ columns: ([String]) throws -> Void,
    _ row: ([Value]) throws -> Void
  ) throws {
    try checkPlaces(values.count)
    for (offset, value) in values.enumerated() { bind(value, at: Int32(offset + 1)) }
    try columns((0..<columnCount).map { name($0) })
    while try step() { try row((0..<columnCount).map { value($0) }) }
  }

  /// Returns the value of a column in its storage class.
  private borrowing func value(_ column: Int32) -> Value {
    switch storage(column) {
    case .null: .null
    case .integer: .int(int(column))
    case .real: .double(real(column))
    case .text: .string(String(decoding: bytes(column), as: UTF8.self))
    case .blob: .data(Data(bytes(column)))
    }
  }
}

/// The changes of a history as rows for SQL, one row per change in either layout.
///
/// Changes are fetched page by page, so that a query that stops early unpacks only the pages that
/// it reads.
final class HistoryChangeRows: TableRows {
  /// The columns of the SQL table, in order; `number` and `place` together identify a change.
  private enum Column: Int32, CaseIterable {
    case number
    case place
    case timestamp
    case author
    case context
    case bundle
    case process
    case entity
    case key
    case type
    case properties
    case tombstone

    var declaration: String {
      switch self {
      case .number, .place, .key: "\(self) INTEGER"
      case .timestamp: "\(self) REAL"
      default: "\(self) TEXT"
      }
    }
  }

  /// The declaration of the SQL table `history_changes`, which has a column for each ``Column``.
  static let table = TableDescription(
    name: "history_changes",
    columns: Column.allCases.map(\.declaration),
    keyCount: 2
  )
  /// The column with the values of deleted objects.
  static let tombstoneColumn = "\(Column.tombstone)"

  /// The names of change types, by raw value; `String(describing:)` took ten times as long.
  private static let words = ["insert", "update", "delete"]

  /// The number of changes of the first page, and the maximum of later pages.
  private static let changeCounts = (first: 64, most: 16 * 1024)

  private unowned let core: StoreCore
  private var request = HistoryRequest(after: nil)
  private var page: HistoryPage?
  private var hasMore = false
  /// The index of the current row's transaction in the page.
  private var transaction = 0
  private var change = -1

  init(_ core: StoreCore) { self.core = core }

  func start(in numbers: ClosedRange<Int64>) throws {
    request = HistoryRequest(after: nil, filter: .numbers(HistoryFilter.range(numbers)))
    request.streaming = StreamingLimits()
    request.changeCountMax = Self.changeCounts.first
    page = nil
    hasMore = true
  }

  func next() throws -> Bool {
    change += 1
    while change >= page?.changeRecords.count ?? 0 {
      guard hasMore else { return false }
      try readPage()
    }
    while let record = page?.records[transaction], change >= record.firstChange + record.count {
      transaction += 1
    }
    return true
  }

  private func readPage() throws {
    if let page { request = request.next(after: page) }
    let read = try core.fetch(request)
    request.changeCountMax = min(4 * request.changeCountMax, Self.changeCounts.most)
    hasMore = read.hasMore
    page = read
    (transaction, change) = (0, 0)
  }

  func give(_ column: Int32, to answer: ColumnAnswer) {
    guard let page, let column = Column(rawValue: column) else { return }
    let record = page.records[transaction]
    let changed = page.changeRecords[change]
    switch column {
    case .number: answer.set(record.number)
    case .place: answer.set(Int64(record.firstPlace + change - record.firstChange))
    case .timestamp: answer.set(record.timestamp)
    case .author: answer.set(page.string(record.author))
    case .context: answer.set(page.string(record.contextName))
    case .bundle: answer.set(page.string(record.bundle))
    case .process: answer.set(HistoryTransaction(page: page, index: transaction).processID)
    case .entity: answer.set(page.model.entity(changed.entity)?.name ?? "#\(changed.entity)")
    case .key: answer.set(changed.key)
    case .type: answer.set(Self.words[Int(changed.type.rawValue)])
    case .properties:
      guard changed.type == .update else { return }
      answer.set(ValueJSON.array(HistoryChange(page: page, index: change).updatedProperties))
    case .tombstone:
      answer.set(HistoryChange(page: page, index: change).tombstone.map(ValueJSON.object))
    }
  }
}

/// Names and values as JSON for SQL's JSON functions (https://sqlite.org/json1.html).
enum ValueJSON {
  /// Returns strings as a JSON array.
  static func array(_ texts: [String]) -> String {
    "[" + texts.map(quoted).joined(separator: ",") + "]"
  }

  /// Returns values by name as a JSON object, with sorted names.
  static func object(_ values: [String: Value]) -> String {
    let members = values.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(text($0.value))" }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// Returns a value as JSON.
  ///
  /// Data becomes a base64 string, a date the number of seconds since 2001-01-01 UTC, and NaN and
  /// infinities become the strings `NaN`, `Infinity` and `-Infinity`.
  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .int(let value): String(value)
    case .double(let value): number(value)
    case .string(let value): quoted(value)
    case .data(let value): quoted(value.base64EncodedString())
    case .date(let value): number(value.timeIntervalSinceReferenceDate)
    case .bool(let value): String(value)
    case .uuid(let value): quoted(value.uuidString)
    }
  }

  private static func number(_ value: Double) -> String {
    if value.isFinite { return String(value) }
    return quoted(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

import HistoryStore
import PersistentHistory
import Reporting

/// Prints the rows of an SQL query as they arrive: as text columns, JSON Lines or CSV.
struct QueryRendering {
  /// The number of rows from which the widths of the text columns are computed.
  private static let measuredMax = 1000

  let format: InspectOptions.Format
  let print: (String) -> Void
  private var columns: [String] = []
  /// The rows held back until the column widths are known; only for text.
  private var waiting: [[Value]] = []
  private var widths: [Int]?
  /// The number of rows so far.
  private(set) var count = 0

  init(_ format: InspectOptions.Format, print: @escaping (String) -> Void) {
    self.format = format
    self.print = print
  }

  /// Starts the output with the names of the columns.
  mutating func begin(_ columns: [String]) {
    self.columns = columns
    if format == .csv { print(columns.map(CSVWriter.quoted).joined(separator: ",")) }
  }

  /// Adds a row.
  mutating func add(_ row: [Value]) throws {
    count += 1
    switch format {
    case .csv: print(row.map { CSVWriter.quoted($0.isNull ? "" : $0.plain) }.joined(separator: ","))
    case .json: try print(json(row))
    case .text where widths == nil:
      waiting.append(row)
      if waiting.count == Self.measuredMax { flush() }
    case .text: printLine(row)
    }
  }

  /// Prints the rows that are still held back.
  mutating func end() {
    guard format == .text else { return }
    if widths == nil { flush() }
  }

  private mutating func flush() {
    let rows = [columns.map(Value.string)] + waiting
    widths = columns.indices.map { column in rows.map { $0[column].shown.count }.max() ?? 0 }
    for row in rows { printLine(row) }
    waiting = []
  }

  private func printLine(_ row: [Value]) {
    let cells = row.enumerated().map { column, value in
      let text = value.shown
      let blanks = String(repeating: " ", count: max(0, (widths?[column] ?? 0) - text.count))
      return value.isNumber ? blanks + text : text + blanks
    }
    let line = cells.joined(separator: "  ")
    print(String(line.reversed().drop { $0 == " " }.reversed()))
  }

  private func json(_ row: [Value]) throws -> String {
    try JSONCell.line(
      Dictionary(zip(columns, row.map(JSONCell.init)), uniquingKeysWith: { first, _ in first })
    )
  }
}

extension Value {
  fileprivate var isNull: Bool { self == .null }

  fileprivate var isNumber: Bool {
    switch self {
    case .int, .double: true
    default: false
    }
  }

  /// The value without quotes; data as an SQL blob literal.
  fileprivate var plain: String {
    switch self {
    case .string(let text): text
    case .data(let bytes):
      "x'"
        + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    default: description
    }
  }

  /// The value in one line, safe on a terminal; `NULL` for a null value.
  fileprivate var shown: String { isNull ? "NULL" : plain.visible }
}

import HistoryStore
import PersistentHistory
import Reporting

/// Writes the rows of an SQL query as they come: text in columns, JSON with an object a line, or CSV.
struct QueryRendering {
  /// How many rows the widths of the text's columns are taken from.
  private static let measuredMax = 1000

  let format: InspectOptions.Format
  let print: (String) -> Void
  private var columns: [String] = []
  /// The first rows of the text, until the widths are known.
  private var waiting: [[Value]] = []
  private var widths: [Int]?
  /// How many rows there were.
  private(set) var count = 0

  init(_ format: InspectOptions.Format, print: @escaping (String) -> Void) {
    self.format = format
    self.print = print
  }

  /// Takes the names of the columns.
  mutating func begin(_ columns: [String]) {
    self.columns = columns
    if format == .csv { print(columns.map(CSVWriter.quoted).joined(separator: ",")) }
  }

  /// Takes the next row.
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

  /// Writes what still waits.
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

  /// The value without quotes; bytes as SQL writes them.
  fileprivate var plain: String {
    switch self {
    case .string(let text): text
    case .data(let bytes):
      "x'"
        + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    default: description
    }
  }

  /// The value in one line in which nothing acts on a terminal.
  fileprivate var shown: String { isNull ? "NULL" : plain.visible }
}

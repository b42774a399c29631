import Commands
import HistoryStore
import HistoryTypes
import Reporting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
  /// The number of rows that the query has returned so far.
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

  /// Ends the output: prints the column names and text rows if they were held back until now.
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

  /// The value as text without quotes; data are written as an SQL blob literal.
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

/// A value as JSON.
///
/// Data is encoded in base64, a date as seconds since 2001-01-01 UTC, and NaN and infinities as
/// strings.
struct JSONCell: Encodable, Hashable {
  let value: Value

  init(_ value: Value) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .null: try container.encodeNil()
    case .int(let value): try container.encode(value)
    case .double(let value): try Self.encode(value, into: &container)
    case .date(let value): try Self.encode(value.timeIntervalSinceReferenceDate, into: &container)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value.base64EncodedString())
    case .bool(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value.uuidString)
    }
  }

  private static func encode(
    _ value: Double,
    into container: inout any SingleValueEncodingContainer
  ) throws {
    if value.isFinite {
      try container.encode(value)
    } else {
      try container.encode(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }
  }

  /// Returns a JSON object on one line, with its keys sorted.
  ///
  /// - Throws: the errors of the encoder.
  static func line(_ members: [String: JSONCell]) throws -> String {
    try JSONText.line(members)
  }
}

/// The findings of a history validation, rendered as text, JSON or CSV.
struct VerificationRendering {
  /// The path of the store file, as the user gave it.
  let path: String
  let findings: [HistoryFinding]

  /// Whether any finding means that the file is damaged.
  var isWrong: Bool { findings.contains(where: \.isWrong) }

  /// The result of the validation: the history is sound, damaged, or sound with missing objects.
  private var conclusion: String {
    guard isWrong else { return "the history is sound" }
    let isHistory = findings.contains { $0.isWrong && $0.kind != .danglingReferences }
    return isHistory ? "the history is damaged" : "the history is sound, but objects are missing"
  }

  /// Returns one line for each finding, and a line with the result.
  func text() -> String {
    let lines = findings.map { finding in
      "\(finding.isWrong ? "wrong" : "note ")  \(finding.kind.sentence(of: Int(finding.count))), "
        + (finding.object.map { "the first in \($0)" } ?? "the first at #\(finding.first)")
    }
    return (lines + ["\(path): \(conclusion)"]).joined(separator: "\n")
  }

  /// Returns a JSON object with the list of findings and the result.
  func json() -> String {
    let items = findings.map { finding in
      #"{"count":\#(finding.count),"first":\#(finding.first),"kind":"\#(finding.kind.rawValue)","#
        + (finding.object.map { #""object":"\#($0)","# } ?? "") + #""wrong":\#(finding.isWrong)}"#
    }
    return #"{"findings":[\#(items.joined(separator: ","))],"sound":\#(!isWrong)}"#
  }

  /// Returns a header and one row for each finding.
  func csv() -> String {
    let rows = findings.map { "\($0.kind.rawValue),\($0.count),\($0.first),\($0.isWrong)" }
    return (["kind,count,first,wrong"] + rows).joined(separator: "\n")
  }
}

/// Writes rows as comma-separated values (RFC 4180, lines ended by a line feed).
package struct CSVWriter: Sendable {
  /// What was written so far.
  package private(set) var text = ""

  /// Makes a writer whose first line names the columns.
  package init(columns: [String]) { append(columns) }

  /// Writes one row.
  package mutating func append(_ fields: [String]) {
    text += fields.map(Self.quoted).joined(separator: ",") + "\n"
  }

  /// Writes a field as it stands, or in quotes where a reader would misread it.
  package static func quoted(_ field: String) -> String {
    let needsQuotes = field.utf8.contains { byte in
      [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
    }
    let hasOuterSpace = field.first == " " || field.last == " "
    guard needsQuotes || hasOuterSpace else { return field }
    return "\""
      + field.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}

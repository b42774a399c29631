/// A writer of comma-separated values (RFC 4180, except that lines end with a line feed).
package struct CSVWriter: Sendable {
  /// The text written so far.
  package private(set) var text = ""

  /// Creates a writer and writes the column names as the first line.
  package init(columns: [String]) { append(columns) }

  /// Writes one row.
  package mutating func append(_ fields: [String]) {
    text += fields.map(Self.quoted).joined(separator: ",") + "\n"
  }

  /// Returns a field as it is, or in quotes if it contains special characters or outer spaces.
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

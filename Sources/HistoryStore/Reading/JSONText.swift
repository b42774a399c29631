import PersistentHistory

/// Names and values as JSON for SQL's JSON functions (https://sqlite.org/json1.html).
enum JSONText {
  /// Returns an array of strings.
  static func array(_ texts: [String]) -> String {
    "[" + texts.map(quoted).joined(separator: ",") + "]"
  }

  /// Returns an object of values by name, with sorted names.
  static func object(_ values: [String: Value]) -> String {
    let members = values.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(text($0.value))" }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// Returns a value as JSON.
  ///
  /// Data is base64, a date is seconds since 2001-01-01 UTC, and NaN and infinities are their
  /// names.
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

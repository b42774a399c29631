import PersistentHistory

/// Names and values as JSON, so that SQL can take them apart (https://sqlite.org/json1.html).
enum JSONText {
  /// An array of texts.
  static func array(_ texts: [String]) -> String {
    "[" + texts.map(quoted).joined(separator: ",") + "]"
  }

  /// An object of values by name, the names sorted.
  static func object(_ values: [String: Value]) -> String {
    let members = values.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(text($0.value))" }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// A value: data in base64, a date in seconds since 2001-01-01 UTC, and what no JSON number is by its
  /// name.
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

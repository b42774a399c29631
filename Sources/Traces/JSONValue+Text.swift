extension JSONValue {
  /// The value as one line of JSON, without spaces and with keys in byte order.
  ///
  /// It is written without Foundation because the bytes are compared and digested: Foundation
  /// orders keys differently on Apple's systems, and writes -0.0 as an integer, which is then read
  /// as 0.
  ///
  /// - Complexity: linear in the text, plus sorting the keys of each object.
  var line: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The line, truncated to 40 characters for error messages.
  var excerpt: String {
    let whole = line
    return whole.count > 40 ? whole.prefix(37) + "..." : whole
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let truth): bytes += (truth ? "true" : "false").utf8
    case .integer(let integer): bytes += String(integer).utf8
    case .number(let number): bytes += number.description.utf8
    case .string(let text): Self.append(text, to: &bytes)
    case .array(let elements): Self.append(elements, to: &bytes)
    case .object(let members): Self.append(members, to: &bytes)
    }
  }

  private static func append(_ elements: [JSONValue], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    for (position, element) in elements.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      element.append(to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private static func append(_ members: [String: JSONValue], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (position, member) in sorted.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      append(member.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.append(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0a: bytes += "\\n".utf8
      case 0x0d: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x00...0x1f: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

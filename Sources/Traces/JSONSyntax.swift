/// A validator that finds the first line of a text that is not valid JSON (RFC 8259).
///
/// Foundation's decoder does not report the position on every platform.
struct JSONSyntax {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  /// The nesting limit.
  ///
  /// It exceeds the depth of every plan and configuration, and keeps a text of brackets alone from
  /// exhausting the stack.
  private static let depthMax = 512

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// Returns the line of the first invalid byte, counted from 1, or `nil` for one valid JSON value.
  ///
  /// - Complexity: linear in the text.
  static func wrongLine(of text: String) -> Int? {
    var syntax = JSONSyntax(text)
    if syntax.value(), syntax.peek() == nil { return nil }
    return 1 + syntax.bytes[..<syntax.position].count { $0 == UInt8(ascii: "\n") }
  }

  /// Returns the next byte that is not whitespace, without consuming it.
  private mutating func peek() -> UInt8? {
    while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) {
      position += 1
    }
    return position < bytes.count ? bytes[position] : nil
  }

  private mutating func take(_ wanted: Character) -> Bool {
    guard let byte = peek(), byte == wanted.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func value() -> Bool {
    switch peek() {
    case UInt8(ascii: "{"): list("{", "}") { $0.text() && $0.take(":") && $0.value() }
    case UInt8(ascii: "["): list("[", "]") { $0.value() }
    case UInt8(ascii: "\""): text()
    case UInt8(ascii: "t"): word("true")
    case UInt8(ascii: "f"): word("false")
    case UInt8(ascii: "n"): word("null")
    default: number()
    }
  }

  private mutating func list(
    _ opening: Character,
    _ closing: Character,
    _ item: (inout JSONSyntax) -> Bool
  ) -> Bool {
    guard depth < Self.depthMax, take(opening) else { return false }
    depth += 1
    defer { depth -= 1 }
    if take(closing) { return true }
    repeat { guard item(&self) else { return false } } while take(",")
    return take(closing)
  }

  private mutating func text() -> Bool {
    guard take("\"") else { return false }
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x20 { return false }
      position += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte == UInt8(ascii: "\\") {
        guard position < bytes.count, "\"\\/bfnrtu".utf8.contains(bytes[position]) else {
          return false
        }
        position += 1
      }
    }
    return false
  }

  private mutating func word(_ word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func number() -> Bool {
    let start = position
    while position < bytes.count, "+-.0123456789eE".utf8.contains(bytes[position]) { position += 1 }
    guard Double(String(decoding: bytes[start..<position], as: UTF8.self)) == nil else {
      return true
    }
    position = start
    return false
  }
}

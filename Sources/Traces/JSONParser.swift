/// A parser for one line of JSON that this program has written itself.
///
/// The parser is about ten times as fast as Foundation's decoder, which matters because traces of real
/// processes have millions of lines. Integers are exact up to 64 bits.
struct JSONParser {
  private let bytes: UnsafeRawBufferPointer
  private let place: Place
  private var position = 0
  private var depth = 0
  private static let depthMax = 64

  private init(_ bytes: UnsafeRawBufferPointer, _ place: Place) {
    self.bytes = bytes
    self.place = place
  }

  /// Returns the value that the bytes encode.
  ///
  /// - Throws: ``FormatError`` unless the bytes are exactly one JSON value.
  static func parse(
    _ bytes: UnsafeRawBufferPointer,
    at place: Place
  ) throws(FormatError) -> JSONValue {
    var text = JSONParser(bytes, place)
    let value = try text.value()
    guard text.peek() == 0 else { throw text.error() }
    return value
  }

  private func error() -> FormatError {
    place.error(
      "this is not JSON: byte \(position + 1) is not expected",
      "Copy the file again: the lab did not write this line, or the line was damaged later."
    )
  }

  /// Skips whitespace, and returns the next byte without consuming it; 0 at the end.
  private mutating func peek() -> UInt8 {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d else { return byte }
      position += 1
    }
    return 0
  }

  private mutating func take(_ wanted: UInt8) -> Bool {
    guard peek() == wanted else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(FormatError) -> JSONValue {
    switch peek() {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func enter() throws(FormatError) {
    position += 1
    depth += 1
    if depth > Self.depthMax { throw error() }
  }

  private mutating func object() throws(FormatError) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var members: [String: JSONValue] = [:]
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      guard peek() == UInt8(ascii: "\"") else { throw error() }
      let key = try string()
      guard take(UInt8(ascii: ":")) else { throw error() }
      members[key] = try value()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw error() }
    return .object(members)
  }

  private mutating func array() throws(FormatError) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw error() }
    return .array(elements)
  }

  private mutating func word(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(FormatError) -> JSONValue {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count,
      bytes[position..<end].elementsEqual(
        UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
      )
    else { throw error() }
    position = end
    return value
  }

  private mutating func number() throws(FormatError) -> JSONValue {
    let start = position
    while position < bytes.count, Self.isOfNumber(bytes[position]) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if text != "-0", let whole = Int64(text) { return .integer(whole) }
    guard let number = Double(text), number.isFinite else {
      position = start
      throw error()
    }
    return JSONValue(number)
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}

extension JSONParser {
  private mutating func string() throws(FormatError) -> String {
    position += 1
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw error()
      default: position += 1
      }
    }
    throw error()
  }

  /// Parses the rest of a string, starting at its first backslash.
  private mutating func escapedString(from start: Int) throws(FormatError) -> String {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape()
      case 0..<0x20: throw error()
      default: text.append(byte)
      }
    }
    throw error()
  }

  /// Parses an escape sequence after its backslash.
  ///
  /// All escape sequences that ``JSONValue/line`` writes are accepted. The sequences `\b` and `\f`,
  /// and codes above U+00FF, are errors.
  private mutating func escape() throws(FormatError) -> [UInt8] {
    guard position < bytes.count else { throw error() }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "u"):
      let digits = bytes[position..<min(position + 4, bytes.count)]
      guard digits.count == 4,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw error() }
      position += 4
      return [code]
    default: throw error()
    }
  }
}

/// A validator for JSON (RFC 8259) that finds the line of the first invalid byte in a text.
///
/// Foundation's decoder does not report the position on every platform.
struct JSONSyntax {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  /// The nesting limit.
  ///
  /// The limit exceeds the depth of every plan and configuration. Without a limit, a long row of
  /// opening brackets would exhaust the stack.
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

  /// Skips whitespace, and returns the next byte without consuming it; `nil` at the end.
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

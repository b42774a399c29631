internal import HistoryTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A whole number; the initializers use this case only for magnitudes up to 2^53.
  case integer(Int64)
  /// A number that is no ``integer(_:)``, such as one with a fraction, as a double.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// 2^53: a double represents every whole number up to this one exactly.
  static let exactMax: Int64 = 1 << 53
}

extension JSONValue: Decodable {
  // A decoder does not report the kind of the next value. Each kind is therefore tried in turn, the
  // most frequent first; a failed attempt means only that the value is of another kind.
  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if let text = try? single.decode(String.self) {
      self = .string(text)
    } else if let number = try? single.decode(Double.self) {
      self.init(number)
    } else if let values = try? single.decode([String: JSONValue].self) {
      self = .object(values)
    } else if let values = try? single.decode([JSONValue].self) {
      self = .array(values)
    } else if single.decodeNil() {
      self = .null
    } else {
      self = .bool(try single.decode(Bool.self))
    }
  }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(Dictionary(uniqueKeysWithValues: members))
  }
}

extension JSONValue {
  /// Creates a JSON number, which is an integer if it is whole; NaN and infinities become strings.
  init(_ number: Double) {
    if number.isNaN {
      self = .string("NaN")
    } else if number.isInfinite {
      self = .string(number < 0 ? "-Infinity" : "Infinity")
    } else if number.magnitude <= Double(Self.exactMax), number.rounded() == number,
      number.sign == .plus || number != 0
    {
      self = .integer(Int64(number))
    } else {
      self = .number(number)
    }
  }

  /// Creates a number that every JSON reader reads exactly: beyond 2^53, a decimal string.
  init(_ integer: Int64) {
    self = integer.magnitude <= UInt64(Self.exactMax) ? .integer(integer) : .string(String(integer))
  }

  init(strings: [String]) { self = .array(strings.map(JSONValue.string)) }

  /// The string, or `nil` if the value is not a string.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The Boolean value, or `nil` if the value is not a Boolean.
  var truth: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  /// The elements, or `nil` if the value is not an array.
  var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, or `nil` if the value is not an object.
  var members: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The integer of a whole number or of a decimal string; `nil` for other values.
  var whole: Int64? {
    switch self {
    case .integer(let integer): integer
    case .string(let text): Int64(text)
    default: nil
    }
  }

  /// The value as a double, or `nil` if the value is not a JSON number.
  var finite: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// A number, or a NaN or infinity that is written as a string; `nil` for other values.
  var double: Double? {
    switch self {
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: finite
    }
  }

  /// The value as one line of JSON, without spaces and with keys in byte order.
  ///
  /// Foundation is not used because the bytes are compared and hashed. Foundation orders keys
  /// differently on Apple's systems, and writes -0.0 as an integer, which is read back as 0.
  ///
  /// - Complexity: linear in the text, plus sorting the keys of each object.
  var line: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value as one line of JSON, truncated to 40 characters, for error messages.
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

extension Value {
  /// The attribute value as JSON; its type is not written, because the model declares it.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .int(let integer): JSONValue(integer)
    case .double(let number): JSONValue(number)
    case .string(let text): .string(text)
    case .data(let data): .string(data.base64EncodedString())
    case .date(let date): JSONValue(date.timeIntervalSinceReferenceDate)
    case .bool(let truth): .bool(truth)
    case .uuid(let uuid): .string(uuid.uuidString)
    }
  }

  /// Reads an attribute value of the given type from JSON; `nil` if the JSON has another type.
  init?(_ json: JSONValue, as type: AttributeType) {
    if json == .null {
      self = .null
      return
    }
    let value: Value? =
      switch type {
      case .int: json.whole.map(Value.int)
      case .double: json.double.map(Value.double)
      case .string: json.text.map(Value.string)
      case .data: json.text.flatMap { Data(base64Encoded: $0) }.map(Value.data)
      case .date: json.double.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .bool: json.truth.map(Value.bool)
      case .uuid: json.text.flatMap { UUID(exactly: $0) }.map(Value.uuid)
      }
    guard let value else { return nil }
    self = value
  }
}

extension AttributeType {
  /// A phrase that describes how a value of the type is written in JSON.
  var spelling: String {
    switch self {
    case .int: "An int is a whole number up to 2^53, beyond that a decimal string."
    case .double: "A double is a number, \"NaN\", \"Infinity\" or \"-Infinity\"."
    case .string: "A string is in quotes."
    case .data: "Data is a base64 string."
    case .date: "A date is a number of seconds since 2001-01-01 UTC."
    case .bool: "A bool is true or false."
    case .uuid: "A uuid is a string such as \"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"."
    }
  }
}

extension ChangeType {
  /// The word for the type in plans and traces.
  package var word: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }
}

extension Fields {
  /// Reads the type of a change under the key `op`.
  func changeType() throws(FormatError) -> ChangeType {
    let text = try string("op")
    guard let type = ChangeType.allCases.first(where: { $0.word == text }) else {
      let words = ChangeType.allCases.map(\.word)
      throw place.error("\"op\" of \(what) cannot be \"\(text)\"", Self.advice(text, words))
    }
    return type
  }
}

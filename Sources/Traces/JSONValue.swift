/// One JSON value.
enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A whole number; the initializers create it only up to 2^53 in magnitude.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The bound up to which a double represents every whole number exactly: 2^53.
  static let exactMax: Int64 = 1 << 53
}

extension JSONValue: Decodable {
  // A decoder does not reveal the kind of the next value, so each kind is tried in turn, the most
  // frequent first; a failed attempt only means another kind.
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
  /// Creates a number, an integer if it is a whole one; NaN and infinities become strings.
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

  /// Creates a number that every reader reads exactly: a decimal string beyond 2^53.
  init(_ integer: Int64) {
    self = integer.magnitude <= UInt64(Self.exactMax) ? .integer(integer) : .string(String(integer))
  }

  init(strings: [String]) { self = .array(strings.map(JSONValue.string)) }

  /// The string, or `nil` for other kinds.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The Boolean value, or `nil` for other kinds.
  var truth: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  /// The elements of an array, or `nil` for other kinds.
  var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object, or `nil` for other kinds.
  var members: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// A whole number or one written as a decimal string, or `nil` for other values.
  var whole: Int64? {
    switch self {
    case .integer(let integer): integer
    case .string(let text): Int64(text)
    default: nil
    }
  }

  /// A finite number, or `nil` for other kinds.
  var finite: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// A number, or NaN or an infinity written as a string; `nil` for other values.
  var double: Double? {
    switch self {
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: finite
    }
  }
}

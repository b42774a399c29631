/// One JSON value; the parsing of bytes is left to Foundation's decoder.
enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A whole number that a double holds exactly.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The greatest whole number up to which every one is exact in a double: 2^53.
  static let exactMax: Int64 = 1 << 53
}

extension JSONValue: Decodable {
  // The decoder does not tell what comes next, so each kind is tried in turn, the frequent first; a
  // failed try only says that it is another kind.
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
  /// A number, as an integer if it is one; what JSON has no number for is a string.
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

  /// A number that is exact in every reader: a decimal string beyond 2^53.
  init(_ integer: Int64) {
    self = integer.magnitude <= UInt64(Self.exactMax) ? .integer(integer) : .string(String(integer))
  }

  init(strings: [String]) { self = .array(strings.map(JSONValue.string)) }

  /// The text, or nothing for another kind.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The truth value, or nothing for another kind.
  var truth: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  /// The elements, or nothing for another kind.
  var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, or nothing for another kind.
  var members: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// A whole number or its decimal string, or nothing for another kind.
  var whole: Int64? {
    switch self {
    case .integer(let integer): integer
    case .string(let text): Int64(text)
    default: nil
    }
  }

  /// A finite number, or nothing for another kind.
  var finite: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// A number or the name of one that JSON cannot write, or nothing for another kind.
  var double: Double? {
    switch self {
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: finite
    }
  }
}

/// A Vega-Lite specification, or a part of one, as a value.
package enum ChartSpec: Sendable, Hashable, Encodable {
  /// A string.
  case text(String)
  /// A number.
  case number(Double)
  /// A Boolean value.
  case flag(Bool)
  /// A null value.
  case null
  /// A list.
  case list([ChartSpec])
  /// An object.
  case object([String: ChartSpec])

  /// Encodes the value as the JSON that it represents.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .null: try container.encodeNil()
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// Returns the object merged with other members, which take precedence.
  func with(_ other: [String: ChartSpec]) -> ChartSpec {
    guard case .object(let object) = self else { return .object(other) }
    return .object(object.merging(other) { $1 })
  }
}

extension ChartSpec: ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Creates a string.
  package init(stringLiteral value: String) { self = .text(value) }

  /// Creates a number.
  package init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a number.
  package init(integerLiteral value: Int) { self = .number(Double(value)) }

  /// Creates a Boolean value.
  package init(booleanLiteral value: Bool) { self = .flag(value) }

  /// Creates a list.
  package init(arrayLiteral elements: ChartSpec...) { self = .list(elements) }

  /// Creates an object; the last value of a repeated key is used.
  package init(dictionaryLiteral elements: (String, ChartSpec)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  /// Creates a null value.
  package init(nilLiteral: ()) { self = .null }
}

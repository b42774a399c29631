/// A Vega-Lite specification, or any part of one, as a value.
package enum ChartSpec: Sendable, Hashable, Encodable {
  /// A text.
  case text(String)
  /// A number.
  case number(Double)
  /// True or false.
  case flag(Bool)
  /// No value.
  case null
  /// A list.
  case list([ChartSpec])
  /// An object.
  case object([String: ChartSpec])

  /// Encodes the specification as the JSON that it stands for.
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

  /// Adds the members of another object; its values win.
  func with(_ other: [String: ChartSpec]) -> ChartSpec {
    guard case .object(let object) = self else { return .object(other) }
    return .object(object.merging(other) { $1 })
  }
}

extension ChartSpec: ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Makes a text.
  package init(stringLiteral value: String) { self = .text(value) }

  /// Makes a number.
  package init(floatLiteral value: Double) { self = .number(value) }

  /// Makes a number.
  package init(integerLiteral value: Int) { self = .number(Double(value)) }

  /// Makes a flag.
  package init(booleanLiteral value: Bool) { self = .flag(value) }

  /// Makes a list.
  package init(arrayLiteral elements: ChartSpec...) { self = .list(elements) }

  /// Makes an object; of a key that comes twice the last counts.
  package init(dictionaryLiteral elements: (String, ChartSpec)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  /// Makes no value.
  package init(nilLiteral: ()) { self = .null }
}

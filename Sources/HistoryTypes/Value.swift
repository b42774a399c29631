/// The value of one attribute of one object.
public enum Value: Hashable, Sendable {
  /// The absence of a value, as SQL's `NULL`.
  case null
  /// A signed 64-bit integer.
  case int(Int64)
  /// A double; stores reject NaN, because SQLite stores it as null.
  case double(Double)
  /// Text in UTF-8.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A point in time, in seconds since 2001-01-01 UTC.
  case date(Date)
  /// A Boolean value.
  case bool(Bool)
  /// A UUID of 16 bytes.
  case uuid(UUID)

  /// The attribute type of this value, or `nil` for null, which every type accepts.
  public var type: AttributeType? {
    switch self {
    case .null: nil
    case .int: .int
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .bool: .bool
    case .uuid: .uuid
    }
  }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Creates an integer value.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// Creates a double value.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a string value.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a null value.
  public init(nilLiteral: ()) { self = .null }
}

extension Value: CustomStringConvertible {
  /// A short text form for reports and errors.
  public var description: String {
    switch self {
    case .null: "null"
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .string(let value): "\"\(value)\""
    case .data(let value): value.count.counted("byte")
    case .date(let value): "\(value.timeIntervalSinceReferenceDate) s"
    case .bool(let value): String(value)
    case .uuid(let value): value.uuidString
    }
  }
}

extension Int {
  /// Returns the number with a noun: `1 command`, `1,200 commands`.
  ///
  /// The default plural is the noun with an `s`.
  package func counted(_ one: String, _ many: String? = nil) -> String {
    "\(inGroups) \(magnitude == 1 ? one : many ?? one + "s")"
  }

  /// The number with a comma between groups of three digits.
  package var inGroups: String {
    var digits = String(magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits.removeLast(3)
    }
    groups.insert(digits[...], at: 0)
    return (self < 0 ? "-" : "") + groups.joined(separator: ",")
  }
}

import CSQLite

/// The part of a table that a query asks for by its first column, as far as SQLite tells it: what lies
/// outside need not be read, what lies inside is compared again.
struct NumberRange {
  /// How a query compares the first column with a value.
  enum Comparison: Int32 {
    case equal = 1
    case greater
    case greaterOrEqual
    case less
    case lessOrEqual

    /// The comparison with SQLite's code for it, or nothing for others.
    init?(code: UInt8) {
      switch Int32(code) {
      case SQLITE_INDEX_CONSTRAINT_EQ: self = .equal
      case SQLITE_INDEX_CONSTRAINT_GT: self = .greater
      case SQLITE_INDEX_CONSTRAINT_GE: self = .greaterOrEqual
      case SQLITE_INDEX_CONSTRAINT_LT: self = .less
      case SQLITE_INDEX_CONSTRAINT_LE: self = .lessOrEqual
      default: return nil
      }
    }

    /// Whether it says where to begin.
    var isLower: Bool { self != .less && self != .lessOrEqual }
    /// Whether it says where to end.
    var isUpper: Bool { self != .greater && self != .greaterOrEqual }
  }

  private var lower = Int64.min
  private var upper = Int64.max
  private var isEmpty = false

  /// The numbers that are asked for, or nothing when there are none.
  var numbers: ClosedRange<Int64>? { isEmpty || lower > upper ? nil : lower...upper }

  /// Takes what lies on the other side of a value out.
  mutating func limit(_ comparison: Comparison, to value: OpaquePointer?) {
    switch sqlite3_value_numeric_type(value) {
    case SQLITE_INTEGER: limit(comparison, to: sqlite3_value_int64(value))
    case SQLITE_FLOAT: limit(comparison, to: sqlite3_value_double(value))
    case SQLITE_NULL: isEmpty = true
    default: break
    }
  }

  private mutating func limit(_ comparison: Comparison, to value: Int64) {
    let isExclusive = comparison == .greater || comparison == .less
    if comparison.isLower {
      isEmpty = isEmpty || isExclusive && value == .max
      lower = max(lower, isExclusive ? value &+ 1 : value)
    }
    if comparison.isUpper {
      isEmpty = isEmpty || isExclusive && value == .min
      upper = min(upper, isExclusive ? value &- 1 : value)
    }
  }

  /// A value between two numbers leaves both in.
  private mutating func limit(_ comparison: Comparison, to value: Double) {
    if comparison.isLower { lower = max(lower, Int64(exactly: value.rounded(.down)) ?? .min) }
    if comparison.isUpper { upper = min(upper, Int64(exactly: value.rounded(.up)) ?? .max) }
  }
}

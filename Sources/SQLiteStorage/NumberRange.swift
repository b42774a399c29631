import CSQLite

/// The range of first-column values that a query needs, as far as SQLite reports its constraints.
///
/// Rows outside of the range need not be read; SQLite checks the rows inside again.
struct NumberRange {
  /// A comparison of the first column with a value.
  enum Comparison: Int32 {
    case equal = 1
    case greater
    case greaterOrEqual
    case less
    case lessOrEqual

    /// Creates the comparison for SQLite's constraint code, or returns `nil` for other constraints.
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

    /// A Boolean value that indicates whether the comparison sets a lower bound.
    var isLower: Bool { self != .less && self != .lessOrEqual }
    /// A Boolean value that indicates whether the comparison sets an upper bound.
    var isUpper: Bool { self != .greater && self != .greaterOrEqual }
  }

  private var lower = Int64.min
  private var upper = Int64.max
  private var isEmpty = false

  /// The range of numbers, or `nil` if it is empty.
  var numbers: ClosedRange<Int64>? { isEmpty || lower > upper ? nil : lower...upper }

  /// Excludes the numbers that do not satisfy a comparison with a value.
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

  /// Limits the range by a double; if it is fractional, both neighboring integers remain included.
  private mutating func limit(_ comparison: Comparison, to value: Double) {
    if comparison.isLower { lower = max(lower, Int64(exactly: value.rounded(.down)) ?? .min) }
    if comparison.isUpper { upper = min(upper, Int64(exactly: value.rounded(.up)) ?? .max) }
  }
}

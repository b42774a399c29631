import HistoryTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Aggregates over a list of values of one type, computed in plain code.
struct PlainValues {
  /// The values other than null, in ascending order.
  let present: [Value]
  private let hasNull: Bool

  init(_ values: [Value]) {
    present = values.filter { $0 != .null }.sorted { Self.order($0, $1) < 0 }
    hasNull = values.contains(.null)
  }

  var least: Value { present.first ?? .null }
  var greatest: Value { present.last ?? .null }

  /// The distinct values in ascending order, null first.
  var distinct: [Value] {
    var distinct: [Value] = hasNull ? [.null] : []
    for value in present where distinct.last != value { distinct.append(value) }
    return distinct
  }

  var average: Double? {
    let numbers = present.map { $0.double ?? Double($0.int ?? 0) }
    return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
  }

  func sum(_ type: AttributeType) -> Value {
    type == .int
      ? .int(present.reduce(0) { $0 + ($1.int ?? 0) })
      : .double(present.reduce(0) { $0 + ($1.double ?? 0) })
  }

  /// Compares two values of one type as SQL does: null first, text and data by their bytes.
  static func order(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.null, _), (_, .null): sign(left != .null ? 1 : 0, right != .null ? 1 : 0)
    case (.int(let left), .int(let right)): sign(left, right)
    case (.double(let left), .double(let right)): sign(left, right)
    case (.date(let left), .date(let right)): sign(left, right)
    case (.bool(let left), .bool(let right)): sign(left ? 1 : 0, right ? 1 : 0)
    default: order(bytes(left), bytes(right))
    }
  }

  private static func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    for (one, other) in zip(left, right) where one != other { return one < other ? -1 : 1 }
    return sign(left.count, right.count)
  }

  private static func bytes(_ value: Value) -> [UInt8] {
    switch value {
    case .string(let text): Array(text.utf8)
    case .data(let data): Array(data)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Array($0) }
    default: []
    }
  }
}

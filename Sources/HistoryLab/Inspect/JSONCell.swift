import PersistentHistory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value as JSON.
///
/// Data is encoded in base64, a date as seconds since 2001-01-01 UTC, and NaN and infinities as
/// strings.
struct JSONCell: Encodable, Hashable {
  let value: Value

  init(_ value: Value) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .null: try container.encodeNil()
    case .int(let value): try container.encode(value)
    case .double(let value): try Self.encode(value, into: &container)
    case .date(let value): try Self.encode(value.timeIntervalSinceReferenceDate, into: &container)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value.base64EncodedString())
    case .bool(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value.uuidString)
    }
  }

  private static func encode(
    _ value: Double,
    into container: inout any SingleValueEncodingContainer
  ) throws {
    if value.isFinite {
      try container.encode(value)
    } else {
      try container.encode(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }
  }

  /// Returns values by name as one line of JSON with sorted names.
  ///
  /// - Throws: the errors of the encoder.
  static func line(_ members: [String: JSONCell]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(members), as: UTF8.self)
  }
}

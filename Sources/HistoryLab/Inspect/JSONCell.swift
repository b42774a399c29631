import PersistentHistory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value in JSON: data in base64, a date in seconds since 2001-01-01 UTC, and what no JSON number is
/// by its name.
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

  /// Values by name as one line, the names sorted.
  ///
  /// - Throws: what the encoder throws.
  static func line(_ members: [String: JSONCell]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(members), as: UTF8.self)
  }
}

import Foundation

/// Writes JSON for other programs: keys sorted, one line a member, no escaped slashes.
enum JSONText {
  /// - Throws: `EncodingError`, for a number that is none.
  static func of(_ value: some Encodable) throws -> String { try text(value, .useDefaultKeys) }

  /// The same with the names of members, not the keys of dictionaries, written as `real_time`.
  ///
  /// - Throws: `EncodingError`, for a number that is none.
  static func snakeCased(_ value: some Encodable) throws -> String {
    try text(value, .convertToSnakeCase)
  }

  private static func text(
    _ value: some Encodable,
    _ keys: JSONEncoder.KeyEncodingStrategy
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = keys
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}

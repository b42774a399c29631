import Foundation

/// Writes JSON for other programs: sorted keys, one line per member, no escaped slashes.
enum JSONText {
  /// - Throws: `EncodingError` for NaN and infinity.
  static func of(_ value: some Encodable) throws -> String { try text(value, .useDefaultKeys) }

  /// Returns JSON with the names of members, but not dictionary keys, written as `real_time`.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
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

import Foundation

/// Writes JSON for other programs: keys sorted, one line a member, no escaped slashes.
enum JSONText {
  /// - Throws: `EncodingError`, for a number that is none.
  static func of(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}

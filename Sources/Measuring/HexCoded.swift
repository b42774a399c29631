/// A 64-bit number encoded as `"0x2a"`, because JSON readers in other languages round numbers.
@propertyWrapper
package struct HexCoded: Sendable, Hashable, Codable {
  /// The number.
  package var wrappedValue: UInt64

  /// Wraps a number.
  package init(wrappedValue: UInt64) { self.wrappedValue = wrappedValue }

  /// Decodes text such as `"0x2a"`.
  ///
  /// - Throws: `DecodingError` for any other text.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.hasPrefix("0x"), let number = UInt64(text.dropFirst(2), radix: 16) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\(text) is not a number like 0x2a"
      )
    }
    wrappedValue = number
  }

  /// Encodes the number as hexadecimal text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("0x" + String(wrappedValue, radix: 16))
  }
}

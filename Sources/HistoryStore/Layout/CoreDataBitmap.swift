package import PersistentHistory

/// The bitmap of updated columns in Core Data's format.
///
/// The most significant bit of each byte comes first; trailing zero bytes are left out.
package enum CoreDataBitmap {
  /// Returns the first 64 columns, and the bytes of the others, least significant bits first.
  package static func split(_ bytes: UnsafeRawBufferPointer) -> (columns: UInt64, rest: [UInt8]) {
    var columns: UInt64 = 0
    for (index, byte) in bytes.prefix(8).enumerated() {
      columns |= UInt64(reversed(byte)) << UInt64(8 * index)
    }
    var rest = bytes.dropFirst(8).map(reversed)
    while rest.last == 0 { rest.removeLast() }
    return (columns, rest)
  }

  /// Appends the bitmap of columns in the form that ``split(_:)`` returns.
  package static func append(
    _ columns: UInt64,
    _ rest: UnsafeRawBufferPointer,
    to bytes: inout ByteWriter
  ) {
    var columns = columns
    var written = 0
    while columns != 0 || (written < 8 && !rest.isEmpty) {
      bytes.append(reversed(UInt8(truncatingIfNeeded: columns)))
      columns >>= 8
      written += 1
    }
    for byte in rest { bytes.append(reversed(byte)) }
  }

  private static func reversed(_ byte: UInt8) -> UInt8 {
    (0..<8).reduce(0) { $0 << 1 | (byte >> UInt8($1) & 1) }
  }
}

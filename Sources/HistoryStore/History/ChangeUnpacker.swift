package import HistoryTypes

/// Unpacks the output of a ``ChangePacker`` into flat buffers.
///
/// A blob is first copied, followed by a padding of zeros. Every change that starts inside the blob
/// then ends at the latest inside the padding, whatever the bytes are. The numbers of a change are
/// therefore read without a bounds check for each byte. A change that ends after the blob is
/// detected afterwards.
package struct ChangeUnpacker {
  package let changes = PageBuffer<ChangeRecord>()
  package let tombstones = PageBuffer<UInt8>()
  private let copy = PageBuffer<UInt8>()

  /// The number of zeros after a copied blob: the maximum size in bytes of a change's four numbers.
  ///
  /// The numbers are the head (entity and type), the key, the columns and a length.
  private static let paddingCount = 4 * PackedNumber.byteCountMax
  /// The size in bytes of the shortest change: one byte for its entity and type, one for its key.
  private static let changeBytesMin = 2

  package init() {}

  /// Appends the changes of one blob, and returns whether the whole blob could be read.
  ///
  /// - Complexity: linear in the bytes.
  package func append(_ blob: UnsafeRawBufferPointer) -> Bool {
    guard let first = blob.first, first == ChangePacker.version else { return false }
    copy.truncate(to: 0)
    let bytes = copy.reserve(blob.count + Self.paddingCount)
    UnsafeMutableRawBufferPointer(start: bytes, count: blob.count).copyMemory(from: blob)
    (bytes + blob.count).update(repeating: 0, count: Self.paddingCount)
    return unpack(bytes + 1, through: bytes + blob.count)
  }

  private func unpack(_ start: UnsafePointer<UInt8>, through end: UnsafePointer<UInt8>) -> Bool {
    var next = start
    let room = changes.reserve((end - start) / Self.changeBytesMin + 1)
    var count = 0
    // Changes that could be read are kept, so that a damaged file can be inspected.
    defer { changes.advance(by: next > end ? count - 1 : count) }
    var key: Int64 = 0
    while next < end {
      guard let head = PackedNumber.read(&next), head >> 2 <= UInt64(Int32.max),
        let difference = PackedNumber.read(&next)
      else { return false }
      key &+= PackedNumber.signed(difference)
      var record = ChangeRecord(
        key: key,
        columns: 0,
        entity: Int32(truncatingIfNeeded: head >> 2),
        tombstoneStart: 0,
        tombstoneLength: 0,
        type: .insert
      )
      switch head & 3 {
      case 0: break
      case 1:
        guard let columns = PackedNumber.read(&next) else { return false }
        record.type = .update
        record.columns = columns
      case 2:
        record.type = .delete
        guard readBytes(&next, end, into: &record) else { return false }
      default:
        guard let columns = PackedNumber.read(&next) else { return false }
        record.type = .update
        record.columns = columns
        guard readBytes(&next, end, into: &record) else { return false }
      }
      (room + count).initialize(to: record)
      count += 1
    }
    return next == end
  }

  /// Reads the tombstone of a delete, or the bits of an update's columns beyond the first 64.
  private func readBytes(
    _ next: inout UnsafePointer<UInt8>,
    _ end: UnsafePointer<UInt8>,
    into record: inout ChangeRecord
  ) -> Bool {
    guard let length = PackedNumber.read(&next), next <= end, length <= UInt64(end - next)
    else { return false }
    defer { next += Int(length) }
    return keep(UnsafeRawBufferPointer(start: next, count: Int(length)), for: &record)
  }

  /// Copies the tombstone of a delete, or the bits of an update's columns beyond the first 64.
  ///
  /// - Returns: `false` if there are more than 2^31 - 1 bytes, or if the buffer already contains
  ///   2^32 bytes or more.
  func keep(_ bytes: UnsafeRawBufferPointer, for record: inout ChangeRecord) -> Bool {
    guard tombstones.count <= Int(UInt32.max), bytes.count <= Int(Int32.max) else { return false }
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
    record.tombstoneStart = UInt32(tombstones.count)
    record.tombstoneLength = UInt32(bytes.count)
    UnsafeMutableRawPointer(tombstones.reserve(bytes.count))
      .copyMemory(from: start, byteCount: bytes.count)
    tombstones.advance(by: bytes.count)
    return true
  }
}

/// Decodes variable-length numbers of seven bits a byte, low bits first.
///
/// The high bit of a byte marks that more bytes follow. The caller guarantees enough readable
/// bytes.
private enum PackedNumber {
  /// The maximum size of a number in bytes.
  static let byteCountMax = 10

  @inline(__always)
  static func read(_ next: inout UnsafePointer<UInt8>) -> UInt64? {
    let first = next.pointee
    next += 1
    return first < 0x80 ? UInt64(first) : readRest(&next, UInt64(first & 0x7f))
  }

  @inline(__always)
  static func signed(_ raw: UInt64) -> Int64 {
    Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  /// Reads the rest of a number, or returns `nil` if it has more than ten bytes or 64 bits.
  private static func readRest(_ next: inout UnsafePointer<UInt8>, _ low: UInt64) -> UInt64? {
    var value = low
    for shift in stride(from: UInt64(7), through: 63, by: 7) {
      let byte = next.pointee
      next += 1
      guard shift < 63 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }
}

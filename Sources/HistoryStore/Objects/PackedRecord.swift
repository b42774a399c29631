public import HistoryTypes
import SQLiteStorage

/// The packed form of an object in memory: record size, key, row version and ``PackedRow``.
///
/// Records are adjacent in an array of bytes, and each starts at a multiple of ``unit`` bytes. The first
/// byte is the size in units, or 0 if the record is longer than 255 units and must be read to find its end.
/// A batch of rows from the store consists of records, so a context adopts them without conversion.
@usableFromInline
package struct PackedRecord {
  /// The alignment of records, in bytes.
  ///
  /// The property is computed, because a stored constant of another module would be initialized at
  /// run time, with a check at each access.
  @inlinable
  package static var unit: Int { 4 }
  /// The length in bytes of the size at the start of a record, before the key.
  @inlinable
  package static var sizeByteCount: Int { 1 }
  /// The minimum number of bytes that a record reserves for the version of the row.
  ///
  /// While versions are small enough for these bytes, a save can replace the version in place.
  private static let versionByteCountMin = 3
  /// The size in bytes of the temporary buffer that gathers parts of a record to append together.
  private static let roomByteCount = 1000
  /// The number of bytes at the end of the temporary buffer that are kept free.
  ///
  /// While these bytes are free, a number, the length of a text or the padding of the record can be
  /// appended without a check of the remaining space.
  private static let reserveByteCount = PackedRow.numberByteCountMax + unit

  @usableFromInline
  package let key: Int64
  @usableFromInline
  package let version: Int64
  @usableFromInline
  package let row: UnsafeRawPointer

  /// Reads the record at an address.
  @inlinable
  @inline(__always)
  package init(at start: UnsafeRawPointer) {
    var place = start + Self.sizeByteCount
    key = PackedRow.zigzag(at: &place)
    version = PackedRow.zigzag(at: &place)
    row = place
  }

  /// Returns the key of the record at an address.
  @inlinable
  @inline(__always)
  package static func key(at start: UnsafeRawPointer) -> Int64 {
    var place = start + sizeByteCount
    return PackedRow.zigzag(at: &place)
  }

  /// Returns the number of bytes from the record at an address to the next record.
  @inlinable
  @inline(__always)
  package static func byteCount(at start: UnsafeRawPointer, _ types: [AttributeType]) -> Int {
    let units = Int(start.load(as: UInt8.self))
    return units > 0 ? units &* unit : longByteCount(at: start, types)
  }

  @usableFromInline
  @inline(never)
  static func longByteCount(at start: UnsafeRawPointer, _ types: [AttributeType]) -> Int {
    let row = PackedRecord(at: start).row
    let count = row + PackedRow.byteCount(of: row, types) - start
    return (count + unit - 1) / unit * unit
  }

  /// Calls a closure with the address and the number of bytes of each record.
  @inlinable
  @inline(__always)
  package static func visit(
    _ bytes: UnsafeRawBufferPointer,
    _ types: [AttributeType],
    _ body: (UnsafeRawPointer, Int) -> Void
  ) {
    guard var place = bytes.baseAddress else { return }
    let end = place + bytes.count
    while place < end {
      let count = byteCount(at: place, types)
      body(place, count)
      place += count
    }
  }

  /// Appends the size byte, key and version of a record, and returns the record's offset.
  package static func begin(_ key: Int64, _ version: Int64, in bytes: inout [UInt8]) -> Int {
    let start = bytes.count
    let byteCountMax = sizeByteCount + 2 * PackedRow.numberByteCountMax
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCountMax) { room in
      guard let begin = room.baseAddress else { return }
      let end = put(key, version, at: begin)
      bytes.append(contentsOf: UnsafeBufferPointer(start: begin, count: end - begin))
    }
    return start
  }

  /// Pads the last record, which starts at the offset `start`, and sets its size byte.
  package static func end(in bytes: inout [UInt8], from start: Int) {
    while bytes.count % unit != 0 { bytes.append(0) }
    bytes[start] = size(bytes.count - start)
  }

  /// Returns the size byte of a record of `byteCount` bytes: its size in units, or 0 if above 255.
  @inline(__always)
  private static func size(_ byteCount: Int) -> UInt8 { UInt8(exactly: byteCount / unit) ?? 0 }

  /// Writes a size byte of 0, the key and the version, and returns the address after them.
  private static func put(
    _ key: Int64,
    _ version: Int64,
    at place: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    place.pointee = 0
    return ByteWriter.put(
      ByteWriter.zigzag(version),
      countMin: versionByteCountMin,
      at: ByteWriter.put(ByteWriter.zigzag(key), at: place + sizeByteCount)
    )
  }

  /// Appends a record with the columns of a row of SQLite: its key, its version, then its values.
  ///
  /// Numbers and short texts are gathered and appended together, because each append checks the array's
  /// owner and capacity.
  @inline(__always)
  static func append(
    _ row: borrowing some RowValues & ~Copyable,
    of types: [AttributeType],
    to bytes: inout [UInt8]
  ) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: roomByteCount) { room in
      guard let begin = room.baseAddress else { return }
      let full = begin + (roomByteCount - reserveByteCount)
      var end = put(row.int(0), row.int(1), at: begin)
      let start = bytes.count
      let masks = start + (end - begin)
      // The place of the masks until they are appended, with the record's first byte.
      var gathered: UnsafeMutablePointer<UInt8>? = end
      let maskByteCount = (types.count + 7) >> 3
      for _ in 0..<maskByteCount {
        end.pointee = 0
        end += 1
      }
      var mask: UInt64 = 0
      for attribute in types.indices {
        let column = Int32(truncatingIfNeeded: attribute) + 2
        let type = types[attribute]
        if end > full {
          bytes.append(contentsOf: UnsafeBufferPointer(start: begin, count: end - begin))
          (end, gathered) = (begin, nil)
        }
        var isSet = true
        switch (row.storage(column), type) {
        case (.null, _): isSet = false
        case (.integer, .int): end = ByteWriter.put(ByteWriter.zigzag(row.int(column)), at: end)
        case (.real, .double), (.real, .date):
          let bits = row.real(column).bitPattern.littleEndian
          UnsafeMutableRawPointer(end).storeBytes(of: bits, as: UInt64.self)
          end += 8
        case (.text, .string), (.blob, .data):
          let value = row.bytes(column)
          end = ByteWriter.put(UInt64(value.count), at: end)
          if value.count <= full - end, let start = value.baseAddress {
            UnsafeMutableRawPointer(end).copyMemory(from: start, byteCount: value.count)
            end += value.count
          } else {
            bytes.append(contentsOf: UnsafeBufferPointer(start: begin, count: end - begin))
            bytes.append(contentsOf: value)
            (end, gathered) = (begin, nil)
          }
        default:
          bytes.append(contentsOf: UnsafeBufferPointer(start: begin, count: end - begin))
          (end, gathered) = (begin, nil)
          isSet = PackedRow.append(row.value(column, as: type), of: type, to: &bytes)
        }
        if isSet { mask |= 1 << UInt64(attribute) }
      }
      while (bytes.count + (end - begin)) % unit != 0 {
        end.pointee = 0
        end += 1
      }
      let size = size(bytes.count + (end - begin) - start)
      if gathered == nil { bytes[start] = size } else { begin.pointee = size }
      for index in 0..<maskByteCount {
        let byte = UInt8(truncatingIfNeeded: mask >> UInt64(8 * index))
        if let gathered { gathered[index] = byte } else { bytes[masks + index] = byte }
      }
      bytes.append(contentsOf: UnsafeBufferPointer(start: begin, count: end - begin))
    }
  }
}

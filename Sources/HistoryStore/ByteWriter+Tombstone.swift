import PersistentHistory
import SQLiteStorage

extension ByteWriter {
  /// Packs the values of the attributes in a bitmap, read from consecutive columns of a row.
  ///
  /// A null value is left out.
  mutating func append<Row: RowValues & ~Copyable>(
    tombstoneOf preserved: UInt64,
    in row: borrowing Row,
    from first: Int32
  ) {
    var column = first
    var left = preserved
    while left != 0 {
      pack(UInt8(left.trailingZeroBitCount), in: row, column)
      left &= left - 1
      column += 1
    }
  }

  private mutating func pack<Row: RowValues & ~Copyable>(
    _ attribute: UInt8,
    in row: borrowing Row,
    _ column: Int32
  ) {
    switch row.storage(column) {
    case .null: break
    case .integer:
      append(attribute)
      append(Tombstone.Tag.integer.rawValue)
      append(zigzag: row.int(column))
    case .real:
      append(attribute)
      append(Tombstone.Tag.real.rawValue)
      append(double: row.real(column))
    case .text: pack(attribute, .text, row.bytes(column))
    case .blob: pack(attribute, .blob, row.bytes(column))
    }
  }

  private mutating func pack(
    _ attribute: UInt8,
    _ tag: Tombstone.Tag,
    _ value: UnsafeRawBufferPointer
  ) {
    append(attribute)
    append(tag.rawValue)
    append(varint: UInt64(value.count))
    append(contentsOf: value)
  }
}

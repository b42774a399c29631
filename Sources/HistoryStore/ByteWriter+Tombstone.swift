import PersistentHistory
import SQLiteStorage

extension ByteWriter {
  /// Packs the values of a row's columns from one on, which are those of the attributes in a bitmap; a
  /// null leaves nothing.
  mutating func append(
    tombstoneOf preserved: UInt64,
    in row: borrowing Statement,
    from first: Int32
  ) {
    var column = first
    for attribute in UInt8(0)..<64 where preserved >> UInt64(attribute) & 1 == 1 {
      let storage = row.storage(column)
      if storage != .null { append(attribute) }
      switch storage {
      case .null: break
      case .integer:
        append(Tombstone.Tag.integer.rawValue)
        append(zigzag: row.int(column))
      case .real:
        append(Tombstone.Tag.real.rawValue)
        append(double: row.real(column))
      case .text, .blob:
        append((storage == .text ? Tombstone.Tag.text : .blob).rawValue)
        let value = row.bytes(column)
        append(varint: UInt64(value.count))
        append(contentsOf: value)
      }
      column += 1
    }
  }
}

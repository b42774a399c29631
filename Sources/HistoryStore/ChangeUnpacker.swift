import PersistentHistory

/// Reads what a ``ChangePacker`` wrote into flat arrays.
struct ChangeUnpacker {
  var changes: [ChangeRecord] = []
  var tombstones: [UInt8] = []

  /// Appends the changes of one blob, and answers whether all of it could be read.
  mutating func append(_ blob: UnsafeRawBufferPointer) -> Bool {
    var reader = ByteReader(blob)
    guard reader.byte() == ChangePacker.version else { return false }
    var key: Int64 = 0
    while !reader.isAtEnd {
      guard let head = reader.varint(), head >> 2 <= UInt64(Int32.max),
        let type = ChangeType(rawValue: UInt8(truncatingIfNeeded: head & 3)),
        let difference = reader.zigzag()
      else { return false }
      key &+= difference
      var record = ChangeRecord(
        key: key,
        columns: 0,
        entity: Int32(truncatingIfNeeded: head >> 2),
        tombstoneStart: 0,
        tombstoneLength: 0,
        type: type
      )
      switch type {
      case .insert: break
      case .update:
        guard let columns = reader.varint() else { return false }
        record.columns = columns
      case .delete:
        guard readTombstone(&reader, into: &record) else { return false }
      }
      changes.append(record)
    }
    return true
  }

  private mutating func readTombstone(
    _ reader: inout ByteReader,
    into record: inout ChangeRecord
  ) -> Bool {
    guard let length = reader.varint(), length <= UInt64(Int32.max),
      let bytes = reader.take(Int(length)), tombstones.count <= Int(UInt32.max)
    else { return false }
    record.tombstoneStart = UInt32(tombstones.count)
    record.tombstoneLength = UInt32(length)
    tombstones.append(contentsOf: bytes)
    return true
  }
}

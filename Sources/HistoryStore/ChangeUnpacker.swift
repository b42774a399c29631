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
        let difference = reader.zigzag()
      else { return false }
      key &+= difference
      let code = UInt8(truncatingIfNeeded: head & 3)
      var record = ChangeRecord(
        key: key,
        columns: 0,
        entity: Int32(truncatingIfNeeded: head >> 2),
        tombstoneStart: 0,
        tombstoneLength: 0,
        type: ChangeType(rawValue: code) ?? .update
      )
      if record.type == .update {
        guard let columns = reader.varint() else { return false }
        record.columns = columns
      }
      if code >= ChangeType.delete.rawValue {
        guard readBytes(&reader, into: &record) else { return false }
      }
      changes.append(record)
    }
    return true
  }

  /// Reads the tombstone of a delete, or the columns of an update beyond the first 64.
  private mutating func readBytes(
    _ reader: inout ByteReader,
    into record: inout ChangeRecord
  ) -> Bool {
    guard let length = reader.varint(), length <= UInt64(Int32.max),
      let bytes = reader.take(Int(length))
    else { return false }
    return keep(bytes, for: &record)
  }

  /// Copies bytes that belong to a change, and answers whether they still fit.
  mutating func keep(_ bytes: UnsafeRawBufferPointer, for record: inout ChangeRecord) -> Bool {
    guard tombstones.count <= Int(UInt32.max), bytes.count <= Int(Int32.max) else { return false }
    record.tombstoneStart = UInt32(tombstones.count)
    record.tombstoneLength = UInt32(bytes.count)
    tombstones.append(contentsOf: bytes)
    return true
  }
}

import PersistentHistory

/// Reads what a ``ChangePacker`` wrote into flat arrays.
struct ChangeUnpacker {
  var changes: [ChangeRecord] = []
  var tombstones: [UInt8] = []

  /// Appends the changes of one blob, and answers whether all of it could be read and no more than
  /// so many were there.
  mutating func append(_ blob: UnsafeRawBufferPointer, countMax: Int = .max) -> Bool {
    // A change has two bytes at least. Each blob is read into memory of its own, on the stack for a
    // small one, and appended at once: an append a change costs half as much again.
    let capacity = min(countMax, blob.count / 2)
    return withUnsafeTemporaryAllocation(of: ChangeRecord.self, capacity: capacity) { room in
      guard let count = unpack(blob, into: room) else { return false }
      changes.append(contentsOf: UnsafeBufferPointer(rebasing: room[..<count]))
      return true
    }
  }

  /// Reads the changes of one blob into memory that is not initialized yet.
  ///
  /// - Returns: how many there were, or nothing when the blob is damaged or has too many.
  private mutating func unpack(
    _ blob: UnsafeRawBufferPointer,
    into room: UnsafeMutableBufferPointer<ChangeRecord>
  ) -> Int? {
    var reader = ByteReader(blob)
    guard reader.byte() == ChangePacker.version else { return nil }
    var key: Int64 = 0
    var count = 0
    while !reader.isAtEnd {
      guard count < room.count, let head = reader.varint(), head >> 2 <= UInt64(Int32.max),
        let difference = reader.zigzag()
      else { return nil }
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
        guard let columns = reader.varint() else { return nil }
        record.columns = columns
      }
      if code >= ChangeType.delete.rawValue {
        guard readBytes(&reader, into: &record) else { return nil }
      }
      room.initializeElement(at: count, to: record)
      count += 1
    }
    return count
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

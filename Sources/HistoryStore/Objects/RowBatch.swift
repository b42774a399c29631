package import HistoryTypes
import SQLiteStorage

/// Rows of one entity, packed into one array of bytes without an allocation per row.
///
/// Keys and versions are part of the records. In arrays of their own, they would take more memory
/// than the rows of an entity with few attributes, and the process would keep that memory after a
/// context has registered the rows.
package struct RowBatch: Sendable {
  /// The entity's number.
  package let entity: Int32
  /// The types of the entity's attributes.
  package let types: [AttributeType]
  /// The number of rows.
  package private(set) var count = 0
  /// A ``PackedRecord`` for each row, one after another.
  package private(set) var bytes: [UInt8] = []

  package init(entity: Int32, types: [AttributeType]) {
    self.entity = entity
    self.types = types
  }

  /// The keys of the rows.
  ///
  /// - Complexity: linear in the number of rows.
  package var keys: [Int64] {
    var keys: [Int64] = []
    keys.reserveCapacity(count)
    bytes.withUnsafeBytes { bytes in
      PackedRecord.visit(bytes, types) { record, _ in keys.append(PackedRecord.key(at: record)) }
    }
    return keys
  }

  /// Appends a row, whose columns are its key, its version, then its values.
  @inline(__always)
  mutating func append(_ row: borrowing some RowValues & ~Copyable) {
    count += 1
    PackedRecord.append(row, of: types, to: &bytes)
  }
}

extension RowBatch: Sequence {
  /// A row with its values, one for each attribute.
  package struct Row: Sendable {
    package let key: Int64
    /// The number of the transaction that last wrote the row; negative in a store without history.
    package let version: Int64
    package let values: [Value]
  }

  package struct Iterator: IteratorProtocol {
    private let bytes: [UInt8]
    private let types: [AttributeType]
    private var start = 0

    fileprivate init(_ batch: RowBatch) { (bytes, types) = (batch.bytes, batch.types) }

    package mutating func next() -> Row? {
      guard start < bytes.count else { return nil }
      let (row, byteCount): (Row?, Int) = bytes.withUnsafeBytes { bytes in
        guard let first = bytes.baseAddress else { return (nil, 0) }
        let record = PackedRecord(at: first + start)
        let values = PackedRow.values(in: record.row, of: types)
        return (
          Row(key: record.key, version: record.version, values: values),
          PackedRecord.byteCount(at: first + start, types)
        )
      }
      start += byteCount
      return row
    }
  }

  package func makeIterator() -> Iterator { Iterator(self) }

  package var underestimatedCount: Int { count }
}

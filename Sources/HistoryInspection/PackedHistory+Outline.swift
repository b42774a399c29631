import HistoryStore
import HistoryTypes
import SQLiteStorage

extension PackedHistory {
  /// Reads the transactions by number, and unpacks their changes one blob at a time.
  func outline(
    _ connection: borrowing Connection,
    into builder: inout OutlineBuilder
  ) throws {
    let purged = try Self.purgedByAuthor(connection)
    let rows = try Statement(
      connection,
      "SELECT number, timestamp, author, changes FROM history_transaction ORDER BY number"
    )
    let chunks = try Statement(connection, StoreStatement.chunks.sql(.packed))
    let names = try Statement(connection, "SELECT text FROM history_string WHERE number = ?1")
    var (entities, attributes) = (EntityTally(), AttributeTally())
    let unpacker = ChangeUnpacker()
    func count(_ blob: UnsafeRawBufferPointer) -> Int {
      unpacker.changes.truncate(to: 0)
      unpacker.tombstones.truncate(to: 0)
      _ = unpacker.append(blob)
      for change in unpacker.changes {
        entities.add(entity: Int64(change.entity), type: Int64(change.type.rawValue))
        guard change.type == .update else { continue }
        let (start, length) = (Int(change.tombstoneStart), Int(change.tombstoneLength))
        unpacker.tombstones.withBytes(at: start, count: length) { rest in
          attributes.add(entity: Int64(change.entity), columns: change.columns, rest: rest)
        }
      }
      return unpacker.changes.count
    }
    while try rows.step() {
      guard rows.int(0) > purged[rows.int(2)] ?? 0 else { continue }
      var weight = RowWeight(transaction: Self.rowBytes.transaction)
      var changes = 0
      if rows.isNull(3) {
        try eachChunk(of: rows.int(0), chunks) { blob in
          changes += count(blob)
          weight.changes += Self.rowBytes.chunk + Double(blob.count)
        }
      } else {
        let blob = rows.bytes(3)
        changes = count(blob)
        weight.transaction += Double(blob.count)
      }
      try builder.append(
        rows.int(0),
        timestamp: rows.time(1),
        author: rows.int(2) == 0 ? .absent : .string(rows.int(2)),
        changes: changes,
        weight,
        name: { try names.text(for: $0) }
      )
    }
    let model = try model(connection)
    let name = { (number: Int64) in model?.entity(Int32(truncatingIfNeeded: number))?.name }
    builder.outline.entities = entities.finish(name)
    builder.outline.attributes = attributes.finish(
      entity: name,
      attribute: { model?.attributeName($0, $1) }
    )
  }
}

extension Model {
  /// Returns the name of an attribute by the numbers of its entity and of its column.
  func attributeName(_ entity: Int64, _ column: Int) -> String? {
    let attributes = self.entity(Int32(truncatingIfNeeded: entity))?.attributes ?? []
    return column < attributes.count ? attributes[column].name : nil
  }
}

import HistoryTypes

extension ChangePacker {
  /// Repacks the changes as one net change per object, in the order of each object's first change.
  ///
  /// An insert followed by updates becomes an insert, several updates become one update of all
  /// their columns, and updates followed by a delete become a delete. An object that was inserted
  /// and deleted has no change.
  ///
  /// - Complexity: linear in the changes.
  mutating func combine() {
    var changes = CombinedChanges()
    for index in 0..<chunkCount { changes.append(chunk(index)) }
    guard changes.hasRepeats else { return }
    begin(keepingObjects: keepsObjects)
    for (id, change) in changes.net { pack(id, change) }
  }

  private mutating func pack(_ id: ObjectID, _ change: CombinedChanges.Change) {
    switch change.type {
    case .insert: insert(id.entity, id.key)
    case .update: update(id.entity, id.key, change.columns)
    case .delete: change.tombstone.withUnsafeBytes { delete(id.entity, id.key, tombstone: $0) }
    }
  }
}

/// The packed changes of one transaction, combined to one for each object.
private struct CombinedChanges {
  struct Change {
    var type: ChangeType
    var columns: UInt64
    var tombstone: [UInt8]
  }

  private var order: [ObjectID] = []
  private var changes: [ObjectID: Change] = [:]
  /// The objects that the transaction both inserted and deleted.
  private var vanished: Set<ObjectID> = []
  private(set) var hasRepeats = false

  var net: [(ObjectID, Change)] {
    order.compactMap { id in
      guard !vanished.contains(id) else { return nil }
      return changes[id].map { (id, $0) }
    }
  }

  /// Adds the changes of a chunk, whose updates must not set columns beyond the first 64.
  mutating func append(_ chunk: UnsafeRawBufferPointer) {
    let unpacker = ChangeUnpacker()
    guard unpacker.append(chunk) else {
      fatalError("A packed chunk of \(chunk.count) bytes is damaged.")
    }
    for index in 0..<unpacker.changes.count {
      let record = unpacker.changes[index]
      let start = Int(record.tombstoneStart)
      let bytes = (start..<start + Int(record.tombstoneLength)).map { unpacker.tombstones[$0] }
      add(
        Change(type: record.type, columns: record.columns, tombstone: bytes),
        ObjectID(entity: record.entity, key: record.key)
      )
    }
  }

  private mutating func add(_ change: Change, _ id: ObjectID) {
    guard let known = changes[id] else {
      changes[id] = change
      return order.append(id)
    }
    hasRepeats = true
    switch (known.type, change.type) {
    case (.insert, .delete): vanished.insert(id)
    case (.insert, _): break
    case (.update, .update): changes[id]?.columns |= change.columns
    case (.update, _), (.delete, _): changes[id] = change
    }
  }
}

import PersistentHistory
import SQLiteStorage

/// The outcome of a write of rows.
struct ChangeOutcome {
  /// The transaction; `nil` when no row changed, or when the store keeps no history.
  var transaction: WrittenTransaction?
  /// The version of the changed rows.
  var version: Int64
  /// The number of objects that changed.
  var count: Int
  /// The objects that changed, in order, if they were requested.
  var objects: [ObjectID] = []
}

extension StoreCore {
  /// Runs a closure that changes rows and packs the changes, and writes the history if tracked.
  ///
  /// The closure receives the version of the changed rows. If it changes no row, the file is not
  /// changed.
  func writeChanges(
    by authorship: Authorship,
    _ result: BatchResultType = .status,
    _ body: (_ version: Int64, inout ChangePacker) throws -> Void
  ) throws -> ChangeOutcome {
    let keepsObjects = result == .objectIDs
    guard tracksHistory else { return try writeUntracked(keepsObjects, body) }
    var version: Int64 = 0
    let written = try writeTransaction(by: authorship, keepingObjects: keepsObjects) {
      version = $0
      try body($0, &$1)
    }
    return ChangeOutcome(
      transaction: written,
      version: version,
      count: written?.count ?? 0,
      objects: written == nil ? [] : packed.objects
    )
  }

  /// Versions without history count down from -1, so that they never equal a transaction's number.
  private func writeUntracked(
    _ keepsObjects: Bool,
    _ body: (_ version: Int64, inout ChangePacker) throws -> Void
  ) throws -> ChangeOutcome {
    try write {
      // Another process may have turned tracking on since this store was opened.
      guard try metadata(FileHeader.untrackedName) == 1 else {
        throw HistoryError.readOnly(path: path)
      }
      let version = try metadata(FileHeader.versionName) - 1
      packed.begin(keepingObjects: keepsObjects)
      try body(version, &packed)
      guard packed.count > 0 else { return ChangeOutcome(version: version, count: 0) }
      let raise = try query("UPDATE history_metadata SET value = ?2 WHERE name = ?1")
      raise.statement.bind(FileHeader.versionName, at: 1)
      raise.statement.bind(version, at: 2)
      try raise.statement.run()
      return ChangeOutcome(version: version, count: Int(packed.count), objects: packed.objects)
    }
  }
}

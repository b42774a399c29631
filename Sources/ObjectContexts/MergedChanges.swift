import HistoryStore
import PersistentHistory

/// The net change of one object by the merged transactions.
struct MergedChange {
  /// The effect on the context.
  ///
  /// The greatest effect wins: a deleted object stays deleted, since keys are not reused, and an
  /// inserted object is read once.
  enum Effect: UInt8 {
    /// The registered row is older than the change and must be read again.
    case update
    /// The object is not registered yet.
    case insert
    /// The object was deleted.
    case delete
  }

  let key: Int64
  /// The slot of the object's row in the context, or a negative number if it is not registered.
  let place: Int32
  var effect: Effect
}

/// The changes of the merged transactions by entity, in the order of arrival.
///
/// They are sorted at the end instead of kept in a dictionary, which halves the time to merge a
/// page of ten thousand changes.
struct MergedChanges {
  private var changes: [[MergedChange]]

  init(entityCount: Int) {
    changes = Array(repeating: [], count: entityCount)
  }

  /// Adds the changes of a transaction that require reading or removing rows.
  mutating func note(_ transaction: HistoryTransaction, in state: borrowing ContextState) {
    let record = transaction.record
    let page = transaction.page
    for index in record.firstChange..<record.firstChange + record.count {
      let change = page.changeRecords[index]
      guard change.entity > 0, change.entity <= Int32(changes.count) else { continue }
      guard let merged = Self.merged(change, record.number, state) else { continue }
      changes[Int(change.entity) - 1].append(merged)
    }
  }

  private static func merged(
    _ change: ChangeRecord,
    _ version: Int64,
    _ state: borrowing ContextState
  ) -> MergedChange? {
    if change.type == .delete { return MergedChange(key: change.key, place: -1, effect: .delete) }
    guard let known = state.tables[Int(change.entity) - 1].known(change.key) else {
      return change.type == .insert
        ? MergedChange(key: change.key, place: -1, effect: .insert) : nil
    }
    // A row version from this transaction or a later one is already up to date.
    guard change.type == .update, known.version < version else { return nil }
    return MergedChange(key: change.key, place: Int32(known.place), effect: .update)
  }

  /// Returns the net effect on each object of each entity, in key order.
  ///
  /// - Complexity: proportional to the number of changes, and to the digits in which their keys
  ///   differ.
  consuming func net() -> [[MergedChange]] {
    for index in changes.indices {
      changes[index].sortByKey()
      changes[index].keepGreatestEffects()
    }
    return changes
  }
}

extension [MergedChange] {
  /// Keeps the greatest effect for each object; changes of one object must be adjacent.
  fileprivate mutating func keepGreatestEffects() {
    guard var last = first else { return }
    var kept = 0
    for change in self {
      if change.key == last.key {
        if change.effect.rawValue > last.effect.rawValue { last.effect = change.effect }
      } else {
        self[kept] = last
        kept += 1
        last = change
      }
    }
    self[kept] = last
    removeSubrange((kept + 1)...)
  }
}

import HistoryStore
import PersistentHistory

/// What some transactions did to one object that concerns a context.
struct MergedChange {
  /// What is to be done in the context.
  ///
  /// The greater effect stands for all: what was deleted stays so,
  /// since keys are not used again, and what was inserted is read once.
  enum Effect: UInt8 {
    /// The row is older than the change and is read anew.
    case update
    /// The object is not known yet.
    case insert
    /// The object is gone.
    case delete
  }

  let key: Int64
  /// The place of the object's row in the context, or less than 0.
  let place: Int32
  var effect: Effect
}

/// The changes of the transactions of one merge, by entity, as they come.
///
/// They are sorted in the end, not kept in a dictionary: a page of ten thousand changes is merged in
/// half the time.
struct MergedChanges {
  private var changes: [[MergedChange]]

  init(entityCount: Int) {
    changes = Array(repeating: [], count: entityCount)
  }

  /// Notes what must be read anew or forgotten because of one transaction.
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
    // A row that was written by this transaction or a later one is not read again.
    guard change.type == .update, known.version < version else { return nil }
    return MergedChange(key: change.key, place: Int32(known.place), effect: .update)
  }

  /// The net effect on each object of each entity, in the order of the keys.
  ///
  /// - Complexity: proportional to the changes, and to the digits by which their keys differ.
  consuming func net() -> [[MergedChange]] {
    for index in changes.indices {
      changes[index].sortByKey()
      changes[index].keepGreatestEffects()
    }
    return changes
  }
}

extension [MergedChange] {
  /// Leaves one change of each object, where those of one object lie together.
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

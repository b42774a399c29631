import HistoryStore
import PersistentHistory

/// What some transactions did to one object that concerns a context.
struct MergedChange: Comparable {
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
  let entity: Int32
  let effect: Effect

  var id: ObjectID { ObjectID(entity: entity, key: key) }

  /// Orders by object, then by effect.
  static func < (left: MergedChange, right: MergedChange) -> Bool {
    if left.entity != right.entity { return left.entity < right.entity }
    if left.key != right.key { return left.key < right.key }
    return left.effect.rawValue < right.effect.rawValue
  }
}

/// The changes of the transactions of one merge, as they come.
///
/// They are sorted in the end, not kept in a dictionary: a page of ten thousand changes is merged in
/// half the time.
struct MergedChanges {
  private var changes: [MergedChange] = []

  /// Notes what must be read anew or forgotten because of one transaction.
  mutating func note(_ transaction: HistoryTransaction, in state: ContextState) {
    let record = transaction.record
    let page = transaction.page
    for index in record.firstChange..<record.firstChange + record.count {
      let change = page.changeRecords[index]
      guard change.entity > 0, change.entity <= Int32(state.tables.count) else { continue }
      guard let effect = effect(of: change, record.number, state) else { continue }
      changes.append(MergedChange(key: change.key, entity: change.entity, effect: effect))
    }
  }

  private func effect(
    of change: ChangeRecord,
    _ number: Int64,
    _ state: ContextState
  ) -> MergedChange.Effect? {
    if change.type == .delete { return .delete }
    guard let known = state.tables[Int(change.entity) - 1].version(of: change.key) else {
      return change.type == .insert ? .insert : nil
    }
    // A row that was written by this transaction or a later one is not read again.
    return change.type == .update && known < number ? .update : nil
  }

  /// The net effect on each object, in the order of the objects.
  ///
  /// - Complexity: O(n log n) in the changes.
  consuming func net() -> [MergedChange] {
    changes.sort()
    var net: [MergedChange] = []
    net.reserveCapacity(changes.count)
    for change in changes {
      if let last = net.last, last.id == change.id { net.removeLast() }
      net.append(change)
    }
    return net
  }
}

import PersistentHistory

/// The changes of one kind in one transaction, which an observer receives in one call.
struct ObserverGroup: Sendable {
  let kind: ObservedKind
  let position: GroupPosition
  /// The indices of the changes in the page.
  fileprivate(set) var changes: [Int]
}

/// Groups the changes of transactions by kind, and skips kinds that no observer receives.
struct ObserverGroups {
  private let isObserved: [Bool]
  /// For each kind, the index of its group in the current transaction plus one; 0 for none.
  private var slots: [Int]

  /// Creates the grouping for the observed kinds in a model with `entityCount` entities.
  init(_ kinds: some Sequence<ObservedKind>, entityCount: Int) {
    var isObserved = Array(repeating: false, count: entityCount * ChangeType.allCases.count)
    for kind in kinds { isObserved[kind.place] = true }
    self.isObserved = isObserved
    slots = Array(repeating: 0, count: isObserved.count)
  }

  /// Returns the groups of a transaction, in the order of their first changes.
  ///
  /// - Complexity: linear in the number of changes.
  mutating func groups(of transaction: HistoryTransaction) -> [ObserverGroup] {
    let (record, page) = (transaction.record, transaction.page)
    var groups: [ObserverGroup] = []
    for index in record.firstChange..<record.firstChange + record.count {
      let change = page.changeRecords[index]
      let kind = ObservedKind(entity: change.entity, operation: change.type)
      guard isObserved.indices.contains(kind.place), isObserved[kind.place] else { continue }
      if slots[kind.place] == 0 {
        let place = index - record.firstChange
        groups.append(
          ObserverGroup(
            kind: kind,
            position: GroupPosition(number: record.number, place: place),
            changes: []
          )
        )
        slots[kind.place] = groups.count
      }
      groups[slots[kind.place] - 1].changes.append(index)
    }
    for group in groups { slots[group.kind.place] = 0 }
    return groups
  }
}

import PersistentHistory

/// Changes of one kind in one transaction, which observers are told in one call.
struct ObserverGroup: Sendable {
  let kind: ObservedKind
  let position: GroupPosition
  /// The changes, by their positions in the page.
  fileprivate(set) var changes: [Int]
}

/// Sorts the changes of transactions into groups, those only that somebody observes.
struct ObserverGroups {
  private let isObserved: [Bool]
  /// Where the group of a kind stands among those of the transaction, plus one; 0 for none.
  private var slots: [Int]

  /// Prepares for the kinds that are observed, in a model with so many entities.
  init(_ kinds: some Sequence<ObservedKind>, entityCount: Int) {
    var isObserved = Array(repeating: false, count: entityCount * ChangeType.allCases.count)
    for kind in kinds { isObserved[kind.place] = true }
    self.isObserved = isObserved
    slots = Array(repeating: 0, count: isObserved.count)
  }

  /// The groups of a transaction, in the order in which their first changes appear.
  ///
  /// - Complexity: linear in the changes.
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

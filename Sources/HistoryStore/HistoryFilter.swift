public import PersistentHistory

/// Which transactions and changes a history request is about.
///
/// A filter is asked of each change. What it says of the transaction, its author for example, is the
/// same for all changes of one; what it says of the change, its entity for example, may differ. A
/// transaction matches when any of its changes does: `.not(.entity("Note"))` lets through what changed
/// anything else, whatever it did to notes besides. A transaction without changes matches when the
/// filter holds for it whatever a change may be.
///
/// A request for transactions returns those that match with all of their changes; one for
/// ``HistoryContents/changesOnly`` returns the changes that match.
public indirect enum HistoryFilter: Sendable, Hashable {
  /// Transactions of one author, or of none.
  case author(String?)
  /// Transactions of a context with a name, or without one.
  case contextName(String?)
  /// Transactions of a process of one bundle, or of none.
  case bundleID(String?)
  /// Transactions of one process, or of none.
  case processID(String?)
  /// Transactions whose numbers lie in a range.
  case numbers(ClosedRange<Int64>)
  /// Transactions that were written within a range of time, by the store's clock.
  case timestamps(ClosedRange<Date>)
  /// Changes of objects of the entity with a name.
  case entity(String)
  /// Changes of one type.
  case type(ChangeType)
  /// Changes of one object.
  ///
  /// No index leads from an object to its history, since every commit would pay for it: all changes
  /// after the position are looked at. Over 1,000,000 transactions of 10 changes that took 0.3 s of
  /// the processor in the packed layout (30 ns a change, 6 ns where no change is of an entity like the
  /// object's) and 3.9 s in the one of Core Data (390 ns a row).
  case object(ObjectID)
  /// What matches all of some filters; all of none is everything.
  case all([HistoryFilter])
  /// What matches any of some filters; any of none is nothing.
  case any([HistoryFilter])
  /// What does not match a filter.
  case not(HistoryFilter)
}

extension HistoryFilter {
  /// Whether the transactions of an author with some numbers, otherwise unknown, can and can fail to
  /// match.
  func verdict(
    forAuthor author: String?,
    numbers gone: ClosedRange<Int64>
  ) -> (canMatch: Bool, canFail: Bool) {
    switch self {
    case .author(let wanted): return (wanted == author, wanted != author)
    case .numbers(let wanted):
      let isInside = wanted.lowerBound <= gone.lowerBound && gone.upperBound <= wanted.upperBound
      return (wanted.overlaps(gone), !isInside)
    case .contextName, .bundleID, .processID, .timestamps, .entity, .type, .object:
      return (true, true)
    case .all(let filters):
      let verdicts = filters.map { $0.verdict(forAuthor: author, numbers: gone) }
      return (verdicts.allSatisfy(\.canMatch), verdicts.contains(where: \.canFail))
    case .any(let filters):
      let verdicts = filters.map { $0.verdict(forAuthor: author, numbers: gone) }
      return (verdicts.contains(where: \.canMatch), verdicts.allSatisfy(\.canFail))
    case .not(let filter):
      let verdict = filter.verdict(forAuthor: author, numbers: gone)
      return (verdict.canFail, verdict.canMatch)
    }
  }
}

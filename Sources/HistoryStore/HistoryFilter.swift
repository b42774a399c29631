public import PersistentHistory

/// A condition on the transactions and changes that a history request returns.
///
/// A filter is evaluated for each change. Conditions on the transaction, such as its author, are
/// the same for all changes of one transaction; conditions on the change, such as its entity, may
/// differ. A transaction matches when any of its changes does: `.not(.entity("Note"))` matches
/// transactions that changed another entity, even if they changed notes as well. A transaction
/// without changes matches when the filter holds for every possible change.
///
/// A request for transactions returns the matching ones with all of their changes; a request for
/// ``HistoryContents/changesOnly`` returns only the matching changes.
public indirect enum HistoryFilter: Sendable, Hashable {
  /// Transactions of one author; `nil` matches transactions without one.
  case author(String?)
  /// Transactions of contexts with one name; `nil` matches transactions without one.
  case contextName(String?)
  /// Transactions of processes of one bundle; `nil` matches transactions without one.
  case bundleID(String?)
  /// Transactions of one process; `nil` matches transactions without one.
  case processID(String?)
  /// Transactions whose numbers lie in a range.
  case numbers(ClosedRange<Int64>)
  /// Transactions that were written within a range of time, according to the store's clock.
  case timestamps(ClosedRange<Date>)
  /// Changes of objects of one entity, by name.
  case entity(String)
  /// Changes of one type.
  case type(ChangeType)
  /// Changes of one object.
  ///
  /// No index leads from an object to its history, since every commit would pay for it: the fetch
  /// reads all changes after the position. With 1,000,000 transactions of 10 changes that took 0.3
  /// s of CPU time in the packed layout (30 ns a change, 6 ns where no change is of an entity like
  /// the object's) and 3.9 s in Core Data's layout (390 ns a row).
  case object(ObjectID)
  /// Changes that match all of some filters; an empty list matches everything.
  case all([HistoryFilter])
  /// Changes that match any of some filters; an empty list matches nothing.
  case any([HistoryFilter])
  /// Changes that do not match a filter.
  case not(HistoryFilter)
}

extension HistoryFilter {
  /// Returns whether transactions known only by author and number range can match or fail.
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

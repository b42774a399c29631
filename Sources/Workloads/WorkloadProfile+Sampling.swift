package import PersistentHistory

extension WorkloadProfile {
  /// Returns the number of changes, at least 1, of the transaction at a quantile.
  ///
  /// It counts only transactions with changes. All quantiles are from 0 to 1, and a lower one gives
  /// the simpler result.
  package func changesPerTransaction(at quantile: Double) -> Int {
    changesPerTransaction.integer(at: quantile)
  }

  /// Returns the time before the transaction at a quantile, in seconds, rounded to microseconds.
  package func gap(at quantile: Double) -> Double {
    (gapSeconds.value(at: quantile) * 1e6).rounded() / 1e6
  }

  /// Returns the type of the change at a quantile.
  package func operation(at quantile: Double) -> ChangeType {
    let shares = [operations.insert, operations.update, operations.delete]
    return [.insert, .update, .delete][Self.index(at: quantile, in: shares)]
  }

  /// Returns whether the transaction at a quantile has no changes.
  package func isWithoutChanges(at quantile: Double) -> Bool { quantile >= 1 - withoutChanges }

  /// Returns the index of the author of the transaction at a quantile; `nil` for no author.
  ///
  /// If the profile has more authors than `count`, those with the greatest shares are used.
  package func author(at quantile: Double, among count: Int) -> Int? {
    let named = 1 - withoutAuthor
    guard count > 0, quantile < named else { return nil }
    return Self.index(at: quantile / named, in: Self.shares(authors, count))
  }

  /// Returns the index of the entity of the change at a quantile.
  package func entity(at quantile: Double, among count: Int) -> Int {
    Self.index(at: quantile, in: Self.shares(entities, count))
  }

  /// Returns the first `count` shares; missing ones get the least positive share.
  private static func shares(_ known: [Share], _ count: Int) -> [Double] {
    let shares = known.prefix(max(1, count)).map(\.share)
    let least = shares.last { $0 > 0 } ?? 1
    return shares + Array(repeating: least, count: max(0, max(1, count) - shares.count))
  }

  /// Returns the index of the share that contains a quantile of their sum.
  private static func index(at quantile: Double, in shares: [Double]) -> Int {
    var rest = min(max(quantile, 0), 1) * shares.reduce(0, +)
    for (index, share) in shares.enumerated() {
      if rest < share { return index }
      rest -= share
    }
    return shares.lastIndex { $0 > 0 } ?? 0
  }
}

extension WorkloadProfile {
  /// The mean number of changes of the transactions that have changes.
  package var meanChangesPerTransaction: Double {
    let buckets = changesPerTransaction.buckets
    let sum = buckets.reduce(0) { $0 + ($1.from + $1.to) / 2 * Double($1.count) }
    return sum / Double(max(1, changesPerTransaction.count))
  }

  /// The greatest number of changes of a transaction.
  package var mostChangesPerTransaction: Int { Int(changesPerTransaction.buckets.last?.to ?? 0) }

  /// Returns times between transactions in seconds, at the middles of equal quantile steps.
  package func gaps(_ count: Int) -> [Double] {
    (0..<count).map { gap(at: (Double($0) + 0.5) / Double(count)) }
  }

  /// The share of deletes among updates and deletes.
  package var deleteShare: Double {
    let others = operations.update + operations.delete
    return others > 0 ? operations.delete / others : 0
  }
}

package import PersistentHistory

extension WorkloadProfile {
  /// How many changes the transaction at a quantile has, if it has any: from 1 up.
  ///
  /// All quantiles are from 0 to 1, and a lower one gives the simpler answer.
  package func changesPerTransaction(at quantile: Double) -> Int {
    changesPerTransaction.integer(at: quantile)
  }

  /// The time before the transaction at a quantile, in seconds, whole microseconds.
  package func gap(at quantile: Double) -> Double {
    (gapSeconds.value(at: quantile) * 1e6).rounded() / 1e6
  }

  /// What the change at a quantile does.
  package func operation(at quantile: Double) -> ChangeType {
    let shares = [operations.insert, operations.update, operations.delete]
    return [.insert, .update, .delete][Self.index(at: quantile, in: shares)]
  }

  /// Whether the transaction at a quantile changes nothing.
  package func isWithoutChanges(at quantile: Double) -> Bool { quantile >= 1 - withoutChanges }

  /// Which of some authors, from 0 up, writes the transaction at a quantile, or nothing for no
  /// author; the greatest shares count where the profile knows more authors.
  package func author(at quantile: Double, among count: Int) -> Int? {
    let named = 1 - withoutAuthor
    guard count > 0, quantile < named else { return nil }
    return Self.index(at: quantile / named, in: Self.shares(authors, count))
  }

  /// Which of some entities, from 0 up, the object changed at a quantile belongs to.
  package func entity(at quantile: Double, among count: Int) -> Int {
    Self.index(at: quantile, in: Self.shares(entities, count))
  }

  /// The shares of so many; who is not known to the profile gets the least known one.
  private static func shares(_ known: [Share], _ count: Int) -> [Double] {
    let shares = known.prefix(max(1, count)).map(\.share)
    let least = shares.last { $0 > 0 } ?? 1
    return shares + Array(repeating: least, count: max(0, max(1, count) - shares.count))
  }

  /// The position of the share that a quantile of their sum falls into.
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
  /// The mean number of changes of the transactions that have some.
  package var meanChangesPerTransaction: Double {
    let buckets = changesPerTransaction.buckets
    let sum = buckets.reduce(0) { $0 + ($1.from + $1.to) / 2 * Double($1.count) }
    return sum / Double(max(1, changesPerTransaction.count))
  }

  /// The greatest number of changes of a transaction.
  package var mostChangesPerTransaction: Int { Int(changesPerTransaction.buckets.last?.to ?? 0) }

  /// So many times between transactions, in seconds, in the middle of equal steps of quantiles.
  package func gaps(_ count: Int) -> [Double] {
    (0..<count).map { gap(at: (Double($0) + 0.5) / Double(count)) }
  }

  /// The share of deletes in the changes to objects that are there.
  package var deleteShare: Double {
    let others = operations.update + operations.delete
    return others > 0 ? operations.delete / others : 0
  }
}

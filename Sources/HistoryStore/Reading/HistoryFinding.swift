internal import PersistentHistory

/// A kind of irregularity that the validation of a history found, and its number.
package struct HistoryFinding: Sendable, Hashable {
  /// The kinds of irregularities.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Transactions whose changes cannot be read, or whose number of changes is wrong.
    case damaged
    /// Changes, or chunks of them, whose transaction is missing.
    case orphans
    /// Transactions with more than one change of the same object.
    case duplicates
    /// Transactions that refer to a missing string.
    case unknownStrings
    /// Transactions whose timestamp is not a number.
    case unreadableTimes
    /// Transactions with an earlier timestamp than the one before.
    case stepsBack
    /// Missing numbers between the first and the last transaction.
    case gaps
    /// Strings that no transaction refers to.
    case unusedStrings
  }

  /// The kind of irregularity.
  package let kind: Kind
  /// The number of occurrences.
  package let count: Int64
  /// The lowest number of an affected transaction or string.
  package let first: Int64
  /// Whether a sound history cannot have it.
  ///
  /// Raw clocks may step back, and purges may leave gaps and unused strings.
  package let isWrong: Bool

  package init(kind: Kind, count: Int64, first: Int64, isWrong: Bool) {
    self.kind = kind
    self.count = count
    self.first = first
    self.isWrong = isWrong
  }
}

extension HistoryFinding.Kind {
  /// Returns the count with its noun: `2 changes without a transaction`.
  package func sentence(of count: Int) -> String {
    let (noun, rest) =
      switch self {
      case .damaged: ("transaction", "with changes that cannot be read")
      case .orphans: ("change", "without a transaction")
      case .duplicates: ("transaction", "with two changes of one object")
      case .unknownStrings: ("transaction", "with a name that is not among the strings")
      case .unreadableTimes: ("transaction", "without a readable time")
      case .stepsBack: ("transaction", "with an earlier time than the one before")
      case .gaps: ("number", "missing")
      case .unusedStrings: ("string", "used by no transaction")
      }
    return "\(count.counted(noun)) \(rest)"
  }
}

internal import PersistentHistory

/// Something about a history that a validation found, and how often.
package struct HistoryFinding: Sendable, Hashable {
  /// What was found.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Transactions whose changes cannot be read, or are not as many as they should be.
    case damaged
    /// Changes, or chunks of them, whose transaction is not there.
    case orphans
    /// Transactions with more than one change of the same object.
    case duplicates
    /// Transactions that name a string that is not there.
    case unknownStrings
    /// Transactions whose timestamp is no number.
    case unreadableTimes
    /// Transactions with an earlier timestamp than the one before.
    case stepsBack
    /// Numbers between the first and the last transaction that are not there.
    case gaps
    /// Strings that no transaction names.
    case unusedStrings
  }

  /// What was found.
  package let kind: Kind
  /// How often.
  package let count: Int64
  /// The least number of a transaction, or of a string, that it was found at.
  package let first: Int64
  /// Whether no sound history has it: raw clocks step back, and purges leave gaps and strings.
  package let isWrong: Bool

  package init(kind: Kind, count: Int64, first: Int64, isWrong: Bool) {
    self.kind = kind
    self.count = count
    self.first = first
    self.isWrong = isWrong
  }
}

extension HistoryFinding.Kind {
  /// The count with what is counted: `2 changes without a transaction`.
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

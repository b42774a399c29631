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
  /// What is counted, in words.
  package var sentence: String {
    switch self {
    case .damaged: "transactions whose changes cannot be read"
    case .orphans: "changes without a transaction"
    case .duplicates: "transactions that change an object twice"
    case .unknownStrings: "transactions that name a string that is not there"
    case .unreadableTimes: "transactions without a readable time"
    case .stepsBack: "transactions with an earlier time than the one before"
    case .gaps: "numbers that are not there"
    case .unusedStrings: "strings that no transaction names"
    }
  }
}

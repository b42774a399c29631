/// Which transactions a history request is about.
public indirect enum HistoryFilter: Sendable, Hashable {
  /// Transactions of one author, or of none.
  case author(String?)
  /// Transactions of a context with a name, or without one.
  case contextName(String?)
  /// Transactions that match all of some filters; all of none is everything.
  case all([HistoryFilter])
  /// Transactions that match any of some filters; any of none is nothing.
  case any([HistoryFilter])
  /// Transactions that do not match a filter.
  case not(HistoryFilter)
}

extension HistoryFilter {
  /// The filter in SQL.
  ///
  /// Strings appear as their numbers, absent ones as 0, so there is no null to
  /// trip over and nothing to quote.
  func sql(_ layout: HistoryLayout, _ number: (String?) -> Int32?) -> String {
    switch self {
    case .author(let author): Self.equals(layout.author, number(author))
    case .contextName(let name): Self.equals(layout.contextName, number(name))
    case .all(let filters):
      Self.join(filters.map { $0.sql(layout, number) }, by: " AND ", empty: "1")
    case .any(let filters):
      Self.join(filters.map { $0.sql(layout, number) }, by: " OR ", empty: "0")
    case .not(let filter): "NOT \(filter.sql(layout, number))"
    }
  }

  /// A string without a number occurs in no transaction.
  private static func equals(_ column: String, _ number: Int32?) -> String {
    number.map { "\(column) = \($0)" } ?? "0"
  }

  private static func join(_ parts: [String], by word: String, empty: String) -> String {
    parts.isEmpty ? empty : "(" + parts.joined(separator: word) + ")"
  }

  /// Whether a transaction of an author, otherwise unknown, can and can fail to match.
  func verdict(forAuthor author: String?) -> (canMatch: Bool, canFail: Bool) {
    switch self {
    case .author(let wanted): return (wanted == author, wanted != author)
    case .contextName: return (true, true)
    case .all(let filters):
      let verdicts = filters.map { $0.verdict(forAuthor: author) }
      return (verdicts.allSatisfy(\.canMatch), verdicts.contains(where: \.canFail))
    case .any(let filters):
      let verdicts = filters.map { $0.verdict(forAuthor: author) }
      return (verdicts.contains(where: \.canMatch), verdicts.allSatisfy(\.canFail))
    case .not(let filter):
      let verdict = filter.verdict(forAuthor: author)
      return (verdict.canFail, verdict.canMatch)
    }
  }
}

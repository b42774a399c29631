public import PersistentHistory

/// The outcome of importing a member's date from PersistentHistoryTrackingKit.
public enum CursorImport: Sendable, Hashable {
  /// The member starts at a position through which everything is certainly merged.
  case imported(HistoryToken, date: Date)
  /// The date was not used; the member starts or continues as if there were none.
  case ignored(Reason)

  /// The reason why a date was not used.
  public enum Reason: Sendable, Hashable {
    /// The member is already in the registry: its own cursor counts, and dates are imported once.
    case alreadyAMember
    /// The author has no date.
    case noDate(author: String?)
    /// Some of the history after the date is purged, so that it cannot be read from there on.
    case historyIsGone(date: Date)
  }
}

extension CursorImport: CustomStringConvertible {
  /// The outcome and its consequence.
  public var description: String {
    switch self {
    case .imported(let token, let date):
      "The date \(Self.text(date)) was imported: everything through #\(token.number) is certainly "
        + "merged."
    case .ignored(.alreadyAMember):
      "The date was not imported: the member is known already, and its own cursor counts. Leave the "
        + "old dates out from now on."
    case .ignored(.noDate(let author)):
      "There is no date for \(author.map { "the author \"\($0)\"" } ?? "a member without an author"): "
        + "the member starts at the newest transaction."
    case .ignored(.historyIsGone(let date)):
      "History after the date \(Self.text(date)) is purged: the member starts at the newest "
        + "transaction, and reads its data anew as at every launch."
    }
  }

  private static func text(_ date: Date) -> String {
    "\(date.timeIntervalSinceReferenceDate) s after 2001-01-01"
  }
}

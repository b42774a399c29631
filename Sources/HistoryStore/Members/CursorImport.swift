public import PersistentHistory

/// What became of the date that a member brought from PersistentHistoryTrackingKit.
public enum CursorImport: Sendable, Hashable {
  /// The member starts at a position behind which lies all that is not certainly merged.
  case imported(HistoryToken, date: Date)
  /// The date was not used, and the member starts, or goes on, as without it.
  case ignored(Reason)

  /// Why a date was not used.
  public enum Reason: Sendable, Hashable {
    /// The member is or was known to the registry: its own cursor counts, and dates are imported once.
    case alreadyAMember
    /// There is no date for the author.
    case noDate(author: String?)
    /// Some of the history after the date is purged: nothing could be told from there on.
    case historyIsGone(date: Date)
  }
}

extension CursorImport: CustomStringConvertible {
  /// What happened, and what follows from it.
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

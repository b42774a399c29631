import HistoryTypes

/// The rule by which a published cleaner chooses the date before which it deletes.
enum PurgeBound {
  /// The least date, if every author has one.
  case everyone
  /// The least date if every author has one; else, if the least is older, seven days ago.
  case everyoneOrAge
  /// The least of the stored dates.
  case known
  /// The least of the stored dates, or seven days ago if there are none.
  case knownOrAge
  /// Seven days ago.
  case age

  /// Seven days, in seconds.
  static let maximumAge = 604_800.0

  /// Returns the date to delete before, or `nil` if no transaction may be deleted.
  func date(_ dates: [String: Date], of authors: Set<String>, now: Date) -> Date? {
    let kept = authors.compactMap { dates[$0] }
    let limit = now.addingTimeInterval(-Self.maximumAge)
    let isWhole = kept.count == authors.count
    return switch self {
    case .everyone: isWhole ? kept.min() : nil
    case .everyoneOrAge: kept.min().flatMap { isWhole ? $0 : $0 < limit ? limit : nil }
    case .known: kept.min()
    case .knownOrAge: kept.min() ?? limit
    case .age: limit
    }
  }
}

import PersistentHistory

/// How a published cleaner finds the date before which it deletes.
enum PurgeBound {
  /// The least of the dates, once every author has one.
  case everyone
  /// The same; where only some have one and the least is older than seven days, seven days ago.
  case everyoneOrAge
  /// The least of the dates that are kept.
  case known
  /// The same; seven days ago where nobody has one.
  case knownOrAge
  /// Seven days ago.
  case age

  /// Seven days, in seconds.
  static let maximumAge = 604_800.0

  /// The date to delete before, or nothing when nothing may be deleted.
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

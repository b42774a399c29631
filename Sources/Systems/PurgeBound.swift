import HistoryTypes

/// The rule by which a design chooses the bound before which a purge deletes.
enum PurgeBound: String, DesignChoice {
  /// The least position, if every author or process that the purge waits for has a position.
  case everyone
  /// The least position if all have one; else seven days ago if the oldest position is older.
  case everyoneOrAge
  /// The least of the stored positions.
  case known
  /// The least of the stored positions, or seven days ago if there are none.
  case knownOrAge
  /// Seven days ago.
  case age

  var sentence: String {
    switch self {
    case .everyone: "purges before the least position, once everyone has one"
    case .everyoneOrAge:
      "purges before the least position once everyone has one, else what is older than seven days"
    case .known: "purges before the least of the positions that are known"
    case .knownOrAge:
      "purges before the least of the positions that are known, else what is older than seven days"
    case .age: "purges what is older than seven days"
    }
  }

  /// The age limit of purges: seven days, in seconds.
  static let maximumAge = 604_800.0

  /// Whether the rule compares the times of positions with the clock.
  var usesAge: Bool { self != .everyone && self != .known }

  /// Returns the bound, or `nil` if no transaction may be deleted.
  ///
  /// `positions` has one element for each author or process that the purge waits for; `nil` is no position.
  func point(
    _ positions: [StoredPosition?],
    _ kind: PositionKind,
    now: Date
  ) -> PurgePoint? {
    let known = positions.compactMap(\.self)
    let limit = now.addingTimeInterval(-Self.maximumAge)
    let least = known.map { $0.point(kind) }.min()
    let isWhole = known.count == positions.count
    return switch self {
    case .everyone: isWhole ? least : nil
    case .everyoneOrAge:
      least.flatMap { least in
        if isWhole { return least }
        let oldest = known.map(\.date).min()
        return oldest.map { $0 < limit } == true ? .date(limit) : nil
      }
    case .known: least
    case .knownOrAge: least ?? .date(limit)
    case .age: .date(limit)
    }
  }
}

/// A bound before which a purge deletes.
enum PurgePoint: Hashable, Comparable {
  case date(Date)
  case number(Int64)
}

/// A position in history: a transaction's token and its time.
struct StoredPosition: Hashable {
  var token: HistoryToken
  var date: Date

  var number: Int64 { token.number }

  /// Returns the position as the bound of a purge, by date or by number.
  func point(_ kind: PositionKind) -> PurgePoint {
    kind == .date ? .date(date) : .number(number)
  }
}

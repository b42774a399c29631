import HistoryStore

/// The kept transactions of a history with what several analyses derive from them.
struct PastHistory: Sendable {
  let outline: HistoryOutline
  /// Whether a purge keeps the transactions of each author, by the author's index.
  let isProtected: [Bool]
  /// The timestamp of the newest transaction that has one, in seconds since 2001-01-01 UTC.
  let newestTime: Double?
  /// The index of the oldest transaction that a purge may delete, or `nil` without one.
  let oldestIndex: Int?
  /// The number of transactions that were deleted before that one.
  let goneCount: Int64
  /// The total number of changes.
  let changeCount: Int

  /// - Complexity: one visit to each transaction.
  init(_ outline: HistoryOutline) {
    self.outline = outline
    let protected = outline.authors.map(\.isProtected)
    isProtected = protected
    newestTime = outline.timestamps.last { $0.isFinite }
    let oldest = outline.authorIndexes.firstIndex { !protected[Int($0)] }
    oldestIndex = oldest
    goneCount = oldest.map { outline.numbers[$0] - 1 - Int64($0) } ?? 0
    changeCount = outline.changeCounts.reduce(0) { $0 + Int($1) }
  }

  /// Whether some history was purged in the past.
  var wasPurged: Bool { goneCount > 0 }

  /// The seconds from the oldest transaction that a purge may delete to the newest.
  var keptSeconds: Double? {
    guard let oldestIndex, let newestTime else { return nil }
    let oldest = outline.timestamps[oldestIndex...].first { $0.isFinite }
    return oldest.map { max(0, newestTime - $0) }
  }

  /// The number of the newest transaction; 0 without one.
  var head: Int64 { outline.numbers.last ?? 0 }

  /// Returns whether history after a position was deleted already.
  ///
  /// A date counts as cut off when it is before the oldest transaction that is still kept.
  func isGone(after position: Consumer.Position) -> Bool {
    guard wasPurged, let oldestIndex else { return false }
    let first = outline.numbers[oldestIndex]
    switch position {
    case .number(let number):
      let kept = oldestIndex - outline.firstIndex(after: number)
      return number < first - 1 && first - 1 - number > Int64(max(0, kept))
    case .date(let date):
      let oldest = outline.timestamps[oldestIndex]
      return oldest.isFinite && date < oldest
    case .unknown: return false
    }
  }
}

public import HistoryStore

extension HistoryTracker {
  /// Purges what every member has merged.
  @discardableResult
  public func purge() async throws(HistoryError) -> PurgeResult {
    try launched().purge()
  }

  /// What purges by hand, apart from the tracker and its passes
  /// (in the kit: `cleanerBuilder()`).
  public nonisolated var purger: HistoryPurger { HistoryPurger(store: store) }
}

/// Whether it is a pass's turn to purge, by the strategy.
struct PurgeTurn {
  /// How many passes have found something new.
  private var newsCount = 0

  mutating func isDue(
    _ strategy: PurgeStrategy,
    _ report: PassReport,
    _ store: Store
  ) throws(HistoryError) -> Bool {
    switch strategy {
    case .none: return false
    case .whenMerged: return true
    case .byNotification(let times):
      guard report.pageCount > 0 else { return false }
      newsCount += 1
      return newsCount % max(1, times) == 0
    case .byDuration, .whenLargerThan: return false
    }
  }
}

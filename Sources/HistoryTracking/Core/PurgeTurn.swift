import HistoryStore

/// Whether it is a pass's turn to purge, by the strategy.
struct PurgeTurn {
  /// How many passes have found something new.
  private(set) var newsCount = 0

  /// When the store is to purge at the end of a pass, or nothing if it is not to.
  mutating func trigger(_ strategy: PurgeStrategy, _ report: PassReport) -> PurgeTrigger? {
    switch strategy {
    case .none: return nil
    case .whenMerged: return .always
    case .byDuration(let seconds): return .atIntervals(seconds: seconds)
    case .whenLargerThan(let share): return .whenLargerThan(share: share)
    case .byNotification(let times):
      guard report.pageCount > 0 else { return nil }
      newsCount += 1
      return newsCount % max(1, times) == 0 ? .always : nil
    }
  }
}

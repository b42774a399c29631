import HistoryStore

/// Decides by the strategy whether a pass purges.
struct PurgeTurn {
  /// The number of passes that found new transactions.
  ///
  /// Counted only under ``PurgeStrategy/byNotification(times:)``.
  private(set) var newsCount = 0

  /// Returns the trigger for the purge at the end of a pass, or `nil` if the pass does not purge.
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

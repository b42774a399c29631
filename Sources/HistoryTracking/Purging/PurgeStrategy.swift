/// When a tracker purges history after a pass; whatever the strategy, a purge ends at what every
/// member has merged.
public enum PurgeStrategy: Sendable, Hashable {
  /// Never; somebody calls ``HistoryTracker/purge()`` or uses a ``HistoryPurger``.
  case none
  /// After every pass.
  case whenMerged
  /// After a pass when so many seconds have gone by since the last purge of the store, whichever
  /// process made it: the store remembers when that was.
  case byDuration(seconds: Double)
  /// After every so many passes that found something new, counted by this tracker.
  case byNotification(times: Int)
  /// After a pass when history takes up more than this share of the store, from 0 to 1.
  case whenLargerThan(share: Double)
}

extension PurgeStrategy: CustomStringConvertible {
  /// The strategy in words, as the registry keeps it.
  public var description: String {
    switch self {
    case .none: "none"
    case .whenMerged: "whenMerged"
    case .byDuration(let seconds): "byDuration(\(seconds) s)"
    case .byNotification(let times): "byNotification(\(times))"
    case .whenLargerThan(let share): "whenLargerThan(\(share))"
    }
  }
}

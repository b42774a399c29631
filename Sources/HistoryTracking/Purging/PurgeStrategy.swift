/// The condition under which a tracker purges after a pass.
///
/// Under every strategy, a purge removes only history that every member has merged.
public enum PurgeStrategy: Sendable, Hashable {
  /// Never; call ``HistoryTracker/purge()`` or use a ``HistoryPurger``.
  case none
  /// After every pass.
  case whenMerged
  /// After a pass, if no process has purged the store for this many seconds.
  ///
  /// The store keeps the time of the last purge.
  case byDuration(seconds: Double)
  /// After every `times` passes that found new transactions, counted by this tracker.
  case byNotification(times: Int)
  /// After a pass, if history takes up more than this share of the store, from 0 to 1.
  case whenLargerThan(share: Double)
}

extension PurgeStrategy: CustomStringConvertible {
  /// The strategy as text, in the form that the registry stores.
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

import PersistentHistory
import SQLiteStorage

extension Store {
  /// Returns whether a purge is due; measurements for that run without the write lock.
  func isDue(_ trigger: PurgeTrigger) throws(HistoryError) -> Bool {
    switch trigger {
    case .always:
      return true
    case .atIntervals(let seconds):
      return try lockedHistory { core in try core.read { try core.isPurgeDue(every: seconds) } }
    case .whenLargerThan(let share):
      return try historySize().share > share
    }
  }
}

extension StoreCore {
  /// The metadata name of the time of the last purge, in milliseconds since 2001-01-01 UTC.
  private static let purgeTimeName = "purgedAtMs"

  /// Returns whether the last purge was long enough ago, or in the future, by another clock.
  fileprivate func isPurgeDue(every seconds: Double) throws -> Bool {
    guard let last = try knownMetadata(Self.purgeTimeName) else { return true }
    let nowMs = currentTimeMs
    return nowMs < last || Double(nowMs - last) >= seconds * 1000
  }

  /// Records the time of a purge.
  ///
  /// The time of a purge that changed nothing is recorded only for `atIntervals`; with other
  /// triggers, such a purge writes nothing.
  func rememberPurge(_ trigger: PurgeTrigger, isRaised: Bool) throws {
    let isCounted = if case .atIntervals = trigger { true } else { isRaised }
    if isCounted { try putMetadata(Self.purgeTimeName, currentTimeMs) }
  }

  /// The current time in milliseconds since 2001-01-01 UTC, clamped to the range of an integer.
  private var currentTimeMs: Int64 {
    let nowMs = configuration.clock().timeIntervalSinceReferenceDate * 1000
    return Int64(max(-0x1p62, min(0x1p62, nowMs.rounded(.down))))
  }
}

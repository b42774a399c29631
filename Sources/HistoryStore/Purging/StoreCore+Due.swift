import PersistentHistory
import SQLiteStorage

extension Store {
  /// Whether a purge takes place; what is measured for that is measured without the write lock.
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
  /// The name of the time of the last purge, in milliseconds since 2001-01-01 UTC.
  private static let purgeTimeName = "purgedAtMs"

  /// Whether the last purge is so long ago; one in the future was made under another clock.
  fileprivate func isPurgeDue(every seconds: Double) throws -> Bool {
    guard let last = try knownMetadata(Self.purgeTimeName) else { return true }
    let nowMs = currentTimeMs
    return nowMs < last || Double(nowMs - last) >= seconds * 1000
  }

  /// Remembers the time of a purge; one that changed nothing only where somebody counts the time, so
  /// that it writes nothing otherwise.
  func rememberPurge(_ trigger: PurgeTrigger, isRaised: Bool) throws {
    let isCounted = if case .atIntervals = trigger { true } else { isRaised }
    if isCounted { try putMetadata(Self.purgeTimeName, currentTimeMs) }
  }

  /// The clock's reading; one that no number can hold is as good as the furthest.
  private var currentTimeMs: Int64 {
    let nowMs = configuration.clock().timeIntervalSinceReferenceDate * 1000
    return Int64(max(-0x1p62, min(0x1p62, nowMs.rounded(.down))))
  }
}

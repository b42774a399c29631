public import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// Purges what every member has merged, whatever the strategy says.
  ///
  /// - Throws: ``HistoryError/superseded(_:)`` and its like when the tracker is launched and was
  ///   replaced; nothing is purged then.
  @discardableResult
  public func purge() async throws(HistoryError) -> PurgeResult {
    let limits = configuration.retention ?? RetentionLimits()
    let result =
      if let session { try session.purge(retaining: limits) } else {
        try store.purge(retaining: limits)
      }
    tellCut(result.lostMembers, result.timestampJumps)
    return result
  }

  /// What purges by hand, apart from the tracker and its passes (in the kit: `cleanerBuilder()`).
  public nonisolated var purger: HistoryPurger {
    HistoryPurger(store: store, retention: configuration.retention)
  }

  /// Ends a pass: purges if it is its turn, and otherwise records the last page alone.
  func purge(
    _ session: MemberSession,
    _ report: inout PassReport
  ) throws(HistoryError) {
    guard let trigger = purges.trigger(configuration.strategy, report) else {
      report.cursor = try session.record()
      return
    }
    let limits = configuration.retention ?? RetentionLimits()
    report.note(
      try session.recordAndPurge(when: trigger, retaining: limits),
      session.recordedThrough
    )
    tellCut(report.lostMembers, report.timestampJumps)
  }

  private func tellCut(_ lost: [ActorID], _ jumps: [TimestampJump]) {
    for actor in lost {
      log.event(.fault, "\(actor) was cut off by a retention limit; it must resync")
    }
    for jump in jumps {
      log.event(
        .notice,
        "time moves by \(jump.seconds) s at #\(jump.number); retention leaves it out"
      )
    }
  }
}

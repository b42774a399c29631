package import HistoryStore
import PersistentHistory

extension MemberSession {
  /// Fetches, merges and records page by page until nothing is new, then purges if asked to.
  ///
  /// The report tells what was done, also when a later step throws.
  ///
  /// - Throws: what a step throws; what was recorded before stays, so that the next pass goes on there.
  /// - Complexity: proportional to what is new, and to what is purged.
  package func pass(
    purging: Bool,
    retaining limits: RetentionLimits = RetentionLimits(),
    _ report: inout PassReport
  ) throws(HistoryError) {
    let steps = PassSteps(store.configuration.rules.passSteps, purging: purging)
    var before: HistoryToken
    repeat {
      before = mergedThrough
      for step in steps.each { try perform(step, steps, &report) }
    } while hasMore && mergedThrough != before
    if steps.purges { report.note(try purge(steps, .always, limits), recordedThrough) }
  }

  private func perform(
    _ step: PassStep,
    _ steps: PassSteps,
    _ report: inout PassReport
  ) throws(HistoryError) {
    switch step {
    case .fetch:
      if try !fetch().isEmpty { report.pageCount += 1 }
    case .merge: report.note(try merge())
    case .record: if steps.records(beforeMore: hasMore) { report.cursor = try record() }
    case .purge: break
    }
  }

  /// Ends a pass: purges, and records the last page in the same SQLite transaction if that is left.
  func purge(
    _ steps: PassSteps,
    _ trigger: PurgeTrigger,
    _ limits: RetentionLimits
  ) throws(HistoryError) -> PurgeResult {
    guard steps.recordsWithPurge else {
      return try store.purge(by: registration, when: trigger, retaining: limits)
    }
    return try recordAndPurge(when: trigger, retaining: limits)
  }
}

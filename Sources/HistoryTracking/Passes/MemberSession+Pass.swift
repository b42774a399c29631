package import HistoryStore
import PersistentHistory

extension MemberSession {
  /// Fetches, merges and records page by page until nothing is new, then purges if asked to.
  ///
  /// The report tells what was done, also when a later step throws.
  ///
  /// - Throws: what a step throws; what was recorded before stays, so that the next pass goes on there.
  /// - Complexity: proportional to what is new, and to what is purged.
  package func pass(purging: Bool, _ report: inout PassReport) throws(HistoryError) {
    var before: HistoryToken
    repeat {
      before = mergedThrough
      for step in store.configuration.rules.passSteps where step != .purge {
        try perform(step, &report)
      }
    } while hasMore && mergedThrough != before
    if purging, store.configuration.rules.passSteps.contains(.purge) {
      report.note(try purge())
    }
  }

  private func perform(_ step: PassStep, _ report: inout PassReport) throws(HistoryError) {
    switch step {
    case .fetch:
      if try !fetch().isEmpty { report.pageCount += 1 }
    case .merge: report.note(try merge())
    case .record: report.cursor = try record()
    case .purge: break
    }
  }
}

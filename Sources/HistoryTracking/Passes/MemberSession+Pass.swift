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
    var before: HistoryToken
    repeat {
      before = mergedThrough
      if try !fetch().isEmpty { report.pageCount += 1 }
      report.note(try merge())
      // The purge that ends a pass records its last page.
      if hasMore || !purging { report.cursor = try record() }
    } while hasMore && mergedThrough != before
    if purging { report.note(try recordAndPurge(retaining: limits), recordedThrough) }
  }
}

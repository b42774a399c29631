package import HistoryStore
public import PersistentHistory

/// What one pass did.
public struct PassReport: Sendable, Hashable {
  /// How many transactions were merged.
  public internal(set) var transactionCount = 0
  /// How many changes they held.
  public internal(set) var changeCount = 0
  /// The numbers of the transactions that were merged, in order.
  package internal(set) var numbers: [Int64] = []
  /// The position that was recorded, if one was.
  public internal(set) var cursor: HistoryToken?
  /// The last number that is purged, if the pass purged.
  public internal(set) var purgedThrough: Int64?

  package init() {}
}

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
      report.purgedThrough = try purge().purgedThrough
    }
  }

  private func perform(_ step: PassStep, _ report: inout PassReport) throws(HistoryError) {
    switch step {
    case .fetch:
      _ = try fetch()
    case .merge:
      for transaction in try merge() {
        report.transactionCount += 1
        report.changeCount += transaction.record.count
        report.numbers.append(transaction.number)
      }
    case .record: report.cursor = try record()
    case .purge: break
    }
  }
}

import HistoryStore

/// The steps of a pass by the store's rules.
struct PassSteps {
  /// The steps of each page, in order.
  let each: [PassStep]
  /// Whether a purge ends the pass.
  let purges: Bool
  /// Whether that records the last page, as it does unless the rules have another order.
  let recordsWithPurge: Bool

  init(_ steps: [PassStep], purging: Bool) {
    each = steps.filter { $0 != .purge }
    purges = purging && steps.contains(.purge)
    recordsWithPurge = purges && steps.suffix(2) == [.record, .purge]
  }

  /// Whether a page is recorded by itself.
  func records(beforeMore hasMore: Bool) -> Bool { hasMore || !recordsWithPurge }
}

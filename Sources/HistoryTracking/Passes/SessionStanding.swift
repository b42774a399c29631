internal import PersistentHistory

/// Where one launch of a member stands: all that its next step depends on, besides the store.
package struct SessionStanding: Sendable, Hashable {
  /// The number through which the contexts have been brought.
  package let mergedThrough: Int64
  /// The number that the registry holds.
  package let recordedThrough: Int64
  /// The number through which the page was scanned that awaits its merge; nothing without a page.
  package let scannedThrough: Int64?
  /// The transactions of that page that a merge will bring in.
  package let awaitingMerge: [Int64]
}

extension MemberSession {
  /// Where the launch stands.
  package var standing: SessionStanding {
    SessionStanding(
      mergedThrough: mergedThrough.number,
      recordedThrough: recordedThrough.number,
      scannedThrough: scannedThrough?.number,
      awaitingMerge: awaitingMerge.map(\.number)
    )
  }
}

extension HistoryTracker {
  /// Where the launch stands that the tracker is in; nothing before it launches.
  package var standing: SessionStanding? { session?.standing }

  /// How many passes found something new, as far as its strategy counts them.
  package var newsCount: Int { purges.newsCount }

  /// Whether the last pass failed.
  package var hasFailed: Bool { failure != nil }
}

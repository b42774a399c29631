package import PersistentHistory

/// The decisions about how far a member has merged.
package struct RecordingRules: Sendable {
  /// What a record notes.
  package var position = RecordedPosition.merged
  /// Through where a member has merged once it has merged a page, or nothing if no further than
  /// before: the last transaction scanned, not the last that mattered.
  package var mergedThrough:
    @Sendable (_ page: HistoryPage, _ merged: [HistoryTransaction]) -> HistoryToken? = { page, _ in
      page.scannedThrough
    }
  /// Which row a record changes: the member's own, of this launch, kept, and not backwards.
  package var condition = "id = ?1 AND epoch = ?2 AND state = 0 AND cursor <= ?3"
  /// What a record changes.
  package var assignments = "cursor = ?3, mark = ?4, seen = ?5"
  /// Whether the record that a purge makes is kept.
  package var isKeptByPurge = true

  package init() {}
}

/// A position that a record may note.
package enum RecordedPosition: Sendable, Hashable {
  /// That through which the member has merged.
  case merged
  /// That through which it has fetched.
  case fetched
  /// The newest.
  case head
}

import HistoryTracking
import ObjectContexts
import PersistentHistory

/// Notes what a tracker has merged, between the merge and the record; it removes no duplicates.
struct StressMergeNotes: TransactionDeduplicator {
  let seams: StressSeams

  func deduplicate(_ transactions: [HistoryTransaction], in contexts: [ObjectContext]) {
    seams.note(merged: transactions.map(\.number))
  }
}

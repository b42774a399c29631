import HistoryTracking
import ObjectContexts
import PersistentHistory

/// Notes the transactions of a merge before the merge is recorded; it removes no duplicates.
struct StressMergeNotes: TransactionDeduplicator {
  let seams: StressSeams

  func deduplicate(_ transactions: [HistoryTransaction], in contexts: [ObjectContext]) {
    seams.note(merged: transactions.map(\.number))
  }
}

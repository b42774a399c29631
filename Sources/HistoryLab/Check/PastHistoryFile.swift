import Basics
import Commands
import HistoryStore
import HistoryTypes
import Workloads

/// Reads a history from a store file, for plans that repeat its writes.
enum PastHistoryFile {
  /// Returns the newest transactions of a file's history.
  ///
  /// With `isAnonymous`, numbered names replace the names of authors and entities.
  ///
  /// - Throws: a usage error for a file without a readable history or without a transaction.
  /// - Complexity: one pass over the history; memory for the newest 100,000 transactions.
  static func read(_ path: String, isAnonymous: Bool) throws(LabError) -> PastHistory {
    try FilePath.checkReadable(path, for: "--history")
    var records: [PastRecord] = []
    do throws(HistoryError) {
      let store = try Store(reading: path, stopCheck: Interruption.stopCheck)
      var request = HistoryRequest(after: nil)
      var hasMore = true
      while hasMore {
        let page = try store.fetch(request)
        records += page.transactions.map { record(of: $0, in: page, store.model) }
        // Old records are removed only above twice the limit, because each removal is slow.
        if records.count > 2 * PastHistory.transactionCountMax { keepNewest(&records) }
        request = request.next(after: page)
        hasMore = page.hasMore
      }
    } catch {
      throw .usage("--history: \(error.message)")
    }
    keepNewest(&records)
    guard !records.isEmpty else {
      throw .usage("--history: the history of \(path.quoted) is empty. Give a file with history.")
    }
    do throws(ModelError) { return try PastHistory(records, isAnonymous: isAnonymous) } catch {
      throw .usage("--history: \(path.quoted): \(error). Add --anonymous, which renames entities.")
    }
  }

  private static func keepNewest(_ records: inout [PastRecord]) {
    records.removeFirst(max(0, records.count - PastHistory.transactionCountMax))
  }

  private static func record(
    of transaction: HistoryTransaction,
    in page: HistoryPage,
    _ model: Model
  ) -> PastRecord {
    let changes = page.changeRecords[transaction.changes.indices].prefix(PastHistory.changeCountMax)
    return PastRecord(
      author: transaction.author,
      timestamp: transaction.timestamp.timeIntervalSinceReferenceDate,
      changes: changes.map {
        ($0.type, model.entity($0.entity)?.name ?? "Entity\($0.entity)", $0.key)
      }
    )
  }
}

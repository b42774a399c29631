import HistoryStore
import HistoryTypes
import Traces

/// The run as a member of the store, which reads all history.
extension StressSession {
  /// The number of transactions that the run remembers at least.
  private static let rememberedCount = 20_000

  /// Reads the new transactions, and adds those of the Python script to its trace.
  ///
  /// The run is a member of the store, so that no transaction is purged before the run has read it.
  func readHistory() throws {
    guard let registration else { return }
    var request = HistoryRequest(after: readPosition.token)
    while true {
      let page = try store.fetch(request)
      let now = MonotonicClock.now
      if readTransactions.count > 2 * Self.rememberedCount {
        let oldest = page.scannedThrough.number - Int64(Self.rememberedCount)
        readTransactions = readTransactions.filter { $0.key.rawValue > oldest }
      }
      for transaction in page.transactions {
        readTransactions[transaction.number] = transaction
        guard let plainSQL, transaction.author?.hasPrefix(PlainSQLWriter.authorPrefix) == true
        else { continue }
        try trace(transaction, of: plainSQL, until: now)
      }
      readPosition.token = page.scannedThrough
      guard page.hasMore else {
        readPosition.readAt = now
        break
      }
      request = request.next(after: page)
    }
    result.plainSQL = plainSQL?.counts
    guard let token = readPosition.token else { return }
    do throws(HistoryError) { try store.record(registration, through: token) } catch {
      // The next reading records a later position.
      guard error.isBusy else { throw error }
    }
  }

  /// Adds a captured transaction to the trace; it was committed after the last reading.
  private func trace(
    _ transaction: HistoryTransaction,
    of script: PlainSQLWriter,
    until now: Int64
  ) throws {
    let command = Command(.write(try script.write(of: transaction)))
    let place = readPosition.readAt...now
    plainSQLTrace?.add(
      [
        .init(
          .called(command: script.counts.written, word: command.action.word),
          at: readPosition.readAt,
          given: command
        ), .init(.committed(CommittedTransaction(store.model, transaction)), place),
        .init(.ended(command: nil, .ok), place),
      ],
      about: members[0].id
    )
  }
}

import Foundation
import HistoryStore
import PersistentHistory
import Traces

/// Determines the outcome of the write that was in progress when a process was killed.
///
/// Before a process can commit, it notes the number that the write's transaction will have. The
/// transaction with that number in history is that write if the author matches. It is still there,
/// because history is kept for the dead member.
struct StressSettler {
  let store: Store

  /// Returns the outcome, and the number of the last transaction that the process has committed.
  func settle(
    _ role: StressRole,
    after last: Int64
  ) throws -> (settlement: TraceLife.Settlement, last: Int64) {
    guard FileManager.default.fileExists(atPath: role.writerTrace) else { return (.nothing, last) }
    let tail = try LifeTrace.tail(of: role.writerTrace, role.header)
    let told = tail.compactMap(\.event.happening.committedNumber).max() ?? last
    // A write without a number has no effect; a number noted for an earlier write proves nothing.
    guard let open = tail.last(where: { $0.event.happening.isCallOrEnd }), let given = open.given,
      case .called(let count?, _) = open.event.happening,
      let noted = StressNumberFile.read(role.numberFile), noted.write == Int64(count)
    else { return (.nothing, told) }
    guard let transaction = try store.transaction(noted.number) else {
      return (try isPurged(noted.number) ? .open : .nothing, told)
    }
    guard transaction.author == author(of: given, role) else { return (.nothing, told) }
    return (.committed(committed(transaction, role)), noted.number)
  }

  /// Returns whether a number is missing from history because it was committed and then purged.
  private func isPurged(_ number: Int64) throws -> Bool {
    try store.register().marks.contains { $0.purged >= number }
  }

  private func author(of command: Command, _ role: StressRole) -> String? {
    let author =
      switch command.action {
      case .write(let write): write.author
      case .batch(let batch): batch.author
      default: WriteAuthor.own
      }
    return if case .other(let name) = author { name } else { role.name }
  }

  private func committed(
    _ transaction: HistoryTransaction,
    _ role: StressRole
  ) -> CommittedTransaction {
    CommittedTransaction(store.model, transaction, writer: role.name)
  }
}

extension CommittedTransaction {
  /// Converts a transaction of history; objects are named by the store's own keys.
  init(_ model: Model, _ transaction: HistoryTransaction, writer: String? = nil) {
    self.init(
      name: String(transaction.number),
      author: transaction.author,
      context: transaction.contextName,
      writer: writer,
      timestamp: transaction.timestamp.timeIntervalSinceReferenceDate,
      changes: transaction.changes.map { change in
        let entity = model.entity(change.objectID.entity)?.name ?? "?"
        return CommittedChange(
          change.type,
          ObjectName(entity, change.objectID.key),
          columns: change.type == .update ? change.updatedProperties : [],
          tombstone: change.type == .delete ? change.tombstone ?? [:] : nil
        )
      }
    )
  }
}

extension Happening {
  fileprivate var committedNumber: Int64? {
    if case .committed(let transaction) = self { Int64(transaction.name) } else { nil }
  }

  /// Whether this is the start or the end of a command.
  fileprivate var isCallOrEnd: Bool {
    switch self {
    case .called, .ended: true
    default: false
    }
  }
}

import Foundation
import HistoryStore
import PersistentHistory
import Traces

/// Asks the store what became of the write that a process was in the middle of when it was killed.
///
/// The process has noted the number that the write would have, before it could commit; the transaction
/// of that number in history is the write if the author is. It still stands there, since history is
/// kept for the dead.
struct StressSettler {
  let store: Store

  /// What the store says, and the last number that the process is known to have committed.
  func settle(
    _ role: StressRole,
    after last: Int64
  ) throws -> (settlement: TraceLife.Settlement, last: Int64) {
    guard FileManager.default.fileExists(atPath: role.writerTrace) else { return (.nothing, last) }
    let tail = try LifeTrace.tail(of: role.writerTrace, role.header)
    let told = tail.compactMap(\.event.happening.committedNumber).max() ?? last
    // A write that has got no number is none, and an earlier one's is no sign of it.
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

  /// Whether history lacks a number because it was purged: then somebody committed it.
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
  /// A transaction as history holds it; objects have the store's own keys for names.
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

  /// Whether it is the call of a command, or its end.
  fileprivate var isCallOrEnd: Bool {
    switch self {
    case .called, .ended: true
    default: false
    }
  }
}

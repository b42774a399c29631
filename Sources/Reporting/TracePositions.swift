import PersistentHistory
package import Traces

/// The state after some events of a trace: cursors, watermark and the contents of history.
///
/// A cursor is the number of transactions at or below it, in commit order; 0 is before the first
/// one. Members are the actors and consumers that the trace registers, until they retire or are
/// lost.
package struct TracePositions: Sendable, Hashable {
  /// The committed transactions, in order.
  package private(set) var transactions: [TransactionName] = []
  /// The indices in `transactions` of those that were purged, or lost in a power-off.
  package private(set) var purged: Set<Int> = []
  /// The number of transactions up to each member's cursor.
  package private(set) var cursors: [ActorID: Int] = [:]
  /// The launched actors and consumers.
  package private(set) var running: Set<ActorID> = []
  private var positions: [TransactionName: Int] = [:]

  /// Creates the state before the first event.
  package init() {}

  /// The least cursor of all members, or `nil` without members.
  package var watermark: Int? { cursors.values.min() }

  /// The transactions in history, in order.
  package var held: [TransactionName] {
    transactions.indices.filter { !purged.contains($0) }.map { transactions[$0] }
  }

  /// Returns the position of a transaction, or `nil` if no event committed or listed it.
  package func position(of name: TransactionName) -> Int? { positions[name] }

  /// Returns the transaction at a cursor, or `nil` before the first one.
  package func name(at cursor: Int) -> TransactionName? {
    cursor > 0 ? transactions[cursor - 1] : nil
  }

  /// Updates the state with an event.
  ///
  /// - Complexity: linear in the transactions that the event names.
  package mutating func apply(_ event: Event) {
    switch event.happening {
    case .committed(let transaction): add(transaction.name)
    case .history(let held): for transaction in held { add(transaction.name) }
    case .purged(let names): purged.formUnion(names.compactMap { positions[$0] })
    case .recovered(let last): recover(through: last)
    default: break
    }
    guard let actor = event.actor else { return }
    switch event.happening {
    case .registered(let cursor), .launched(let cursor):
      running.insert(actor)
      cursors[actor] = count(through: cursor)
    case .recorded(let cursor) where cursors[actor] != nil: cursors[actor] = count(through: cursor)
    case .resynced(let cursor): cursors[actor] = count(through: cursor)
    case .consumed(let names): consume(actor, names)
    case .stopped, .crashed: running.remove(actor)
    case .lost: cursors[actor] = nil
    case .retired:
      running.remove(actor)
      cursors[actor] = nil
    default: break
    }
  }

  private mutating func add(_ name: TransactionName) {
    guard positions[name] == nil else { return }
    positions[name] = transactions.count
    transactions.append(name)
  }

  /// Removes the transactions lost in a power-off, whose names may be reused.
  private mutating func recover(through last: TransactionName?) {
    for position in count(through: last)..<transactions.count {
      purged.insert(position)
      positions[transactions[position]] = nil
    }
  }

  private func count(through cursor: TransactionName?) -> Int {
    cursor.flatMap { positions[$0] }.map { $0 + 1 } ?? 0
  }

  private mutating func consume(_ actor: ActorID, _ names: [TransactionName]) {
    guard let cursor = cursors[actor] else { return }
    cursors[actor] = max(cursor, names.map { count(through: $0) }.max() ?? 0)
  }
}

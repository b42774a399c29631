package import PersistentHistory
package import Traces

/// Where everyone stands after some events of a trace: cursors, watermark, and what history holds.
///
/// A cursor is told as the count of transactions at or below it, in commit order; 0 is before the
/// first. Members are those that the trace registers, until they retire or are lost.
package struct TracePositions: Sendable, Hashable {
  /// The transactions that were committed, in order.
  package private(set) var transactions: [TransactionName] = []
  /// The positions in that order of the transactions that were purged, or lost in a power-off.
  package private(set) var purged: Set<Int> = []
  /// How many transactions each member has merged through.
  package private(set) var cursors: [ActorID: Int] = [:]
  /// Those that are launched.
  package private(set) var running: Set<ActorID> = []
  private var positions: [TransactionName: Int] = [:]

  /// Stands before the first event.
  package init() {}

  /// The least cursor of all members, or nothing when there is none.
  package var watermark: Int? { cursors.values.min() }

  /// The transactions that history holds, in order.
  package var held: [TransactionName] {
    transactions.indices.filter { !purged.contains($0) }.map { transactions[$0] }
  }

  /// The position of a transaction, or nothing for one that no event told.
  package func position(of name: TransactionName) -> Int? { positions[name] }

  /// The transaction at a cursor, or nothing before the first.
  package func name(at cursor: Int) -> TransactionName? {
    cursor > 0 ? transactions[cursor - 1] : nil
  }

  /// Takes what happened into account.
  ///
  /// - Complexity: the transactions that the event names.
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

  /// After a power-off what came later is gone, and its names may be used again.
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

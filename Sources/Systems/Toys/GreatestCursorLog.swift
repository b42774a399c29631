import HistoryTypes
package import Traces

/// A design with one deliberate bug, for trying out the lab.
///
/// It purges the transactions that the fastest member has merged, so that the others lose updates.
package struct GreatestCursorLog: HistoryLog {
  package private(set) var held: [LoggedTransaction] = []
  private var cursors: [ActorID: Int] = [:]

  package init() {}

  package mutating func join(_ actor: ActorID, head: Int) { cursors[actor] = head }

  package mutating func leave(_ actor: ActorID) { cursors[actor] = nil }

  package mutating func append(_ transaction: LoggedTransaction) { held.append(transaction) }

  package func news(for actor: ActorID) -> [LoggedTransaction] {
    held.filter { $0.number > cursor(of: actor) && $0.writer != actor }
  }

  package mutating func record(_ actor: ActorID, through number: Int) {
    cursors[actor] = max(cursor(of: actor), number)
  }

  package func cursor(of actor: ActorID) -> Int { cursors[actor] ?? 0 }

  package mutating func purge() -> [LoggedTransaction] {
    let bound = cursors.values.max() ?? 0
    let gone = held.filter { $0.number <= bound }
    held.removeAll { $0.number <= bound }
    return gone
  }
}

import HistoryTesting

/// A log that several actors read, each after its own cursor.
struct MyLog: HistoryLog {
  private(set) var held: [LoggedTransaction] = []
  private var cursors: [ActorID: Int] = [:]

  mutating func join(_ actor: ActorID, head: Int) { cursors[actor] = head }

  mutating func leave(_ actor: ActorID) { cursors[actor] = nil }

  mutating func append(_ transaction: LoggedTransaction) { held.append(transaction) }

  func cursor(of actor: ActorID) -> Int { cursors[actor] ?? 0 }

  func news(for actor: ActorID) -> [LoggedTransaction] {
    held.filter { $0.number > cursor(of: actor) && $0.writer != actor }
  }

  mutating func record(_ actor: ActorID, through number: Int) { cursors[actor] = number }

  mutating func purge() -> [LoggedTransaction] {
    let bound = cursors.values.max() ?? 0
    let purged = held.filter { $0.number <= bound }
    held.removeAll { $0.number <= bound }
    return purged
  }
}

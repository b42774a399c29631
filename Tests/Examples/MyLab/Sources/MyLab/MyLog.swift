import HistoryLabCommand

/// A log that several members read, each after its own cursor; its purge has a bug.
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

/// An invariant of this package: a plan has at most two purges that delete something.
struct PurgesAreRare: HistoryChecker {
  static let verifies = "at most two purges delete something"
  static let doesNotVerify = "what they delete"
  private(set) var verdict = HistoryVerdict.undecided("No purge deleted anything.")
  private var count = 0

  init(_ plan: HistoryPlan) {}

  mutating func observe(_ event: HistoryEvent) {
    guard case .purged(let names) = event.kind, !names.isEmpty else { return }
    count += 1
    verdict = count > 2 ? .broken("\(count) purges deleted transactions") : .holds
  }
}

/// A condition of this package: whoever has passed also purges.
struct PurgeAfterEachPass: PlanCondition {
  let name = "purge-after-each-pass"

  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource) {
    plan.commands = plan.commands.flatMap { command -> [HistoryCommand] in
      guard command.word == "pass", let member = command.member else { return [command] }
      return [command, .purge(member)]
    }
  }
}

import PersistentHistory
package import Traces

/// What every invariant needs to know about a trace so far: the transactions in commit order, the
/// members, and which member must merge, has merged and has recorded which transaction.
///
/// Membership comes from the trace's own events, never from what a system believes. A member must
/// merge every transaction committed after it registered, except what its own view saved (in
/// whatever incarnation, and if it merges into no other context) and what an author wrote that it
/// ignores. What a merge hook finishes counts as merged. A crash takes back what it had
/// merged and not recorded. The members of one transaction are the bits of one word, so a trace
/// may name at most ``MemberSet/capacity`` of them.
///
/// - Complexity: an event costs its own names, and a record the transactions that it settles.
package struct Timeline: Sendable {
  /// The plan of the trace.
  package internal(set) var plan: Plan
  /// Everyone whom the plan or the trace names; members or not.
  package internal(set) var everyone: [Member] = []
  /// The transactions in commit order.
  package internal(set) var transactions: [TimelineTransaction] = []
  /// How the members stand to each transaction.
  package internal(set) var standings: [Standing] = []
  /// What the data must hold.
  package internal(set) var ledger: Ledger

  /// Those for whom history is kept: from their registration until they retire.
  package internal(set) var members: MemberSet = []
  /// Those that are launched.
  package internal(set) var running: MemberSet = []
  /// Those that a retention limit has cut off and that have not resynced.
  package internal(set) var lost: MemberSet = []
  /// Those that know that they miss history and have not resynced.
  package internal(set) var cutOff: MemberSet = []
  /// Those whose membership, loss or return from one a power-off may have taken back: history need not be
  /// kept for them until their next launch tells.
  package internal(set) var mayBeGone: MemberSet = []
  /// Those whose command was under way when the power went: their cursor may have moved untold.
  package internal(set) var mayHaveMoved: MemberSet = []
  /// Those that are no members as far as the trace tells, and that the store may hold for members since
  /// a power-off.
  package internal(set) var mayLinger: MemberSet = []
  /// Those that keep their token elsewhere, and whose record in the store a power-off may have taken back:
  /// their token tells nothing of it until they consume again.
  package internal(set) var mayLag: MemberSet = []
  /// Those that only consume.
  package internal(set) var consumers: MemberSet = []

  /// Who the current event happened to, if it was anyone.
  package internal(set) var actor: Int?
  /// The positions of the transactions that the current event names; -1 for an untold one.
  package internal(set) var named: [Int] = []
  /// The command under way, or the last one.
  package internal(set) var command = CurrentCommand()
  /// Whether the closing phase has come to its answers: views, data, history.
  package internal(set) var isClosed = false
  /// Whether a write ended with nobody knowing whether it took effect, so that a transaction may
  /// exist that no event told.
  package internal(set) var mayHoldUntold = false
  /// The last event that was applied.
  package internal(set) var lastAt = 0

  var positions: [TransactionName: Int] = [:]
  /// Those that have not been launched since the last power-off.
  var isDown: MemberSet = []
  /// Whether a disk has told that a sync was done which was not.
  var hasDelays = false
  var ignoring: [String: MemberSet] = [:]
  /// Those that merge into several contexts, each of which must get what the others saved.
  var several: MemberSet = []
  var hasTooMany = false

  /// Starts before the first event of a trace with this header.
  package init(_ header: TraceHeader) {
    plan = header.plan
    ledger = Ledger(header.plan)
    for actor in plan.header.actors {
      let position = position(of: actor.id)
      for author in actor.ignores ?? [] {
        ignoring[author, default: []].formUnion(everyone[position].bit)
      }
      if actor.contexts ?? 1 > 1 { several.formUnion(everyone[position].bit) }
    }
    for consumer in plan.header.consumers {
      consumers.formUnion(everyone[position(of: consumer)].bit)
    }
  }

  /// The verdict of every invariant on a trace that a timeline cannot hold.
  package var undecided: Verdict? {
    hasTooMany ? .unknown("The trace names more than \(MemberSet.capacity) members.") : nil
  }

  /// The members that are held to have merged everything at the end: those that run and have
  /// not been told that they miss history.
  package var watched: MemberSet {
    members.intersection(running).subtracting(cutOff).subtracting(mayBeGone)
  }

  /// The position of an actor, which is added if it is new.
  mutating func position(of id: ActorID) -> Int {
    if let known = everyone.firstIndex(where: { $0.id == id }) { return known }
    guard everyone.count < MemberSet.capacity else {
      hasTooMany = true
      return 0
    }
    everyone.append(Member(id, position: everyone.count))
    return everyone.count - 1
  }
}

extension Timeline {
  /// The members that a purge must wait for: those that are not lost, and whose cursor and membership
  /// no power-off has made uncertain.
  package var kept: MemberSet {
    members.subtracting(lost).subtracting(mayBeGone).subtracting(mayHaveMoved)
  }

  /// Folds the next event of the trace in: the only way in which a timeline changes.
  ///
  /// The closure reads the timeline as it was before the event, except that ``actor``, ``named`` and the
  /// ledger's answers are those of this event.
  package mutating func advance(_ event: Event, observe: (Timeline) -> Void = { _ in }) {
    lookUpNames(of: event)
    ledger.advance(event, named: named, position: transactions.count)
    observe(self)
    apply(event)
  }

  /// Looks up the actor and the transactions that an event names.
  private mutating func lookUpNames(of event: Event) {
    actor = event.actor.map { position(of: $0) }
    named.removeAll(keepingCapacity: true)
    switch event.happening {
    case .merged(let names), .finished(let names), .consumed(let names), .purged(let names),
      .observed(let names):
      for name in names { named.append(positions[name] ?? -1) }
    case .recorded(let cursor), .registered(let cursor), .launched(let cursor),
      .resynced(let cursor):
      if let cursor { named.append(positions[cursor] ?? toldBefore(cursor)) }
    case .recovered(let cursor):
      if let cursor { named.append(positions[cursor] ?? -1) }
    default: break
    }
  }

  /// The last transaction that was told before one that was not, where the number of each is its name; -1
  /// if there is none, or if every write's outcome is known.
  ///
  /// - Complexity: linear in the transactions that were told after it.
  private func toldBefore(_ name: TransactionName) -> Int {
    guard mayHoldUntold, let number = Int64(name) else { return -1 }
    return transactions.lastIndex { Int64($0.told.name).map { $0 < number } ?? false } ?? -1
  }

  /// Whether one of some members had to merge an effective write of somebody else: without one, a
  /// trace says nothing about what members merge.
  ///
  /// - Complexity: linear in the transactions until the first such write.
  package func hasForeignWork(for some: MemberSet) -> Bool {
    for (transaction, standing) in zip(transactions, standings)
    where !transaction.told.changes.isEmpty {
      var others = standing.required.intersection(some)
      if let writer = transaction.writer { others.remove(everyone[writer].bit) }
      if !others.isEmpty { return true }
    }
    return false
  }

  /// The transaction that last touched an object, or nothing.
  ///
  /// - Complexity: linear in the changes.
  package func lastWrite(of object: ObjectName) -> Int? {
    transactions.lastIndex { $0.told.changes.contains { $0.object == object } }
  }

  /// The position of the transaction with a name, or nothing.
  package func position(named name: TransactionName) -> Int? { positions[name] }

  /// Who wrote a transaction, for a sentence: "share".
  package func writer(of position: Int) -> String {
    transactions[position].writer.map { everyone[$0].id.name } ?? "somebody"
  }

  /// A transaction, for a sentence: "#3".
  package func label(_ position: Int) -> String { "#\(transactions[position].told.name)" }

  /// How far a member has recorded, for a sentence: "app had recorded #2".
  package func progress(of member: Int) -> String {
    let cursor = everyone[member].cursor.map(label) ?? "nothing"
    return "\(everyone[member].id) had recorded \(cursor)"
  }
}

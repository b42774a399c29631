import HistoryTypes
package import Traces

/// The state of a trace after the events so far: its transactions, and the members' progress.
///
/// For each member the timeline has the transactions that the member must merge, has merged and has
/// recorded.
///
/// Membership is derived from the trace's events, never from the system's own state. A member must
/// merge every transaction committed after it registered, with two exceptions. It need not merge
/// transactions of authors that it ignores. If it has only one context, it need not merge
/// transactions that its own view saved, before or after a crash. A transaction that a merge hook
/// handles counts as merged. A crash undoes the merges that the member had not recorded. A set of
/// members is stored as the bits of one word, so a trace may name at most ``MemberSet/capacity``
/// members.
///
/// - Complexity: an event is linear in the names that it contains and in the members. Recording a
///   cursor is linear in the transactions since the cursor that the member recorded before.
package struct Timeline: Sendable {
  /// The plan of the trace.
  package internal(set) var plan: Plan
  /// The actors and consumers that the plan or the trace names, registered or not.
  package internal(set) var everyone: [Member] = []
  /// The transactions in commit order, each with its merge and purge status.
  package internal(set) var log = CommitLog()
  /// The data that the plan's writes should have produced so far.
  package internal(set) var ledger: Ledger

  /// The index in ``everyone`` of the current event's actor or consumer; `nil` if the event has none.
  package internal(set) var actor: Int?
  /// The positions in ``log`` of the transactions that the current event names.
  ///
  /// A transaction that is not in ``log`` has the position -1, with one exception. After a write of
  /// unknown outcome, a member may record, or start at, a cursor whose transaction no event reported.
  /// Such a cursor has the position of the last known transaction before it.
  package internal(set) var named: [Int] = []
  /// The command that runs, or the last command that ran.
  package internal(set) var command = CurrentCommand()
  /// Whether a view, the data or history was reported after the plan's last command.
  package internal(set) var isClosed = false
  /// Whether the store may contain a transaction without an event, after a write of unknown outcome.
  package internal(set) var mayHoldUnreported = false
  /// The number of the last event that was applied.
  package internal(set) var lastAt = 0

  /// Whether a disk has acknowledged a sync that it has not performed yet.
  var hasDelays = false
  /// For each author, the members that ignore the author's transactions.
  var ignoring: [String: MemberSet] = [:]
  /// Whether the plan has hooks that may throw.
  let hasThrowingHooks: Bool
  /// Whether the trace names more members than ``MemberSet/capacity``.
  var hasTooMany = false

  /// Creates a timeline for a trace with this header, before the first event.
  package init(_ header: TraceHeader) {
    plan = header.plan
    ledger = Ledger(header.plan)
    let hooks = plan.header.actors.flatMap { $0.hooks ?? [] }.compactMap {
      PlannedHook(rawValue: $0)
    }
    hasThrowingHooks = hooks.contains { $0 != .observer }
    for actor in plan.header.actors {
      let position = position(of: actor.id)
      for author in actor.ignores ?? [] {
        ignoring[author, default: []].formUnion(everyone[position].bit)
      }
      if actor.contexts ?? 1 > 1 { everyone[position].hasSeveralContexts = true }
    }
    for consumer in plan.header.consumers {
      everyone[position(of: consumer)].status.isConsumer = true
    }
  }

  /// Returns the index of an actor in ``everyone``, and adds the actor if it is new.
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
  /// Updates the timeline with the next event; only this method and ``append(_:)`` change a timeline.
  ///
  /// The closure reads the timeline as it was before the event, with three exceptions that already
  /// reflect the event: ``actor``, ``named`` (the transactions that the event names) and ``ledger``
  /// (the expected data).
  package mutating func advance(_ event: Event, observe: (Timeline) -> Void = { _ in }) {
    lookUpNames(of: event)
    ledger.advance(event, named: named, position: log.count)
    observe(self)
    apply(event)
  }

  /// Sets ``actor`` and ``named`` to the actor and the transactions that an event names.
  private mutating func lookUpNames(of event: Event) {
    actor = event.actor.map { position(of: $0) }
    named.removeAll(keepingCapacity: true)
    switch event.kind {
    case .merged(let names), .finished(let names), .consumed(let names), .purged(let names),
      .observed(let names):
      for name in names { named.append(log.position(of: name) ?? -1) }
    case .recorded(let cursor), .registered(let cursor), .launched(let cursor),
      .resynced(let cursor):
      if let cursor { named.append(log.position(of: cursor) ?? lastPosition(before: cursor)) }
    case .recovered(let cursor), .passed(let cursor):
      if let cursor { named.append(log.position(of: cursor) ?? -1) }
    default: break
    }
  }

  /// Returns the position in ``log`` of the last transaction with a lower number than `name`.
  ///
  /// `name` is a cursor at a transaction that no event reported. The result is -1 if ``log`` has no
  /// such transaction, or if the outcomes of all writes are known.
  private func lastPosition(before name: TransactionName) -> Int {
    mayHoldUnreported ? log.lastPosition(before: name) : -1
  }
}

/// The command that runs, or the last command that ran.
package struct CurrentCommand: Sendable {
  /// The command's word in the plan format; empty before the first command.
  package let word: String
  /// Whether the command is one of the plan's commands and has not ended.
  ///
  /// The plan does not contain automatic commands: deliveries and polls that fall due, and commands
  /// before the plan's first command or after its last one.
  package internal(set) var isInPlan: Bool
  /// The index in ``Timeline/everyone`` of the command's actor or consumer; `nil` if there is none.
  let actor: Int?
  /// Whether the command committed a transaction.
  var hasCommitted = false
  /// Whether a fault was injected during the command.
  var hasFault = false
  /// Whether the store was opened again after a power-off during the command.
  var hasRecovered = false

  init(_ word: String = "", isInPlan: Bool = false, actor: Int? = nil) {
    self.word = word
    self.isInPlan = isInPlan
    self.actor = actor
  }

  /// Whether the command is a whole pass after the plan's last command.
  package var isClosingPass: Bool { !isInPlan && word == "pass" }

  /// Whether the command may make a whole pass.
  package var mayPass: Bool { Self.passing.contains(word) }

  /// The words of commands that may make a whole pass.
  static let passing: Set<String> = ["pass", "deliver", "poll", "launch"]
}

// MARK: Members

extension Timeline {
  /// Returns the set of the members whose status satisfies a condition.
  ///
  /// - Complexity: linear in the members.
  func members(where isIncluded: (MemberStatus) -> Bool) -> MemberSet {
    var set: MemberSet = []
    for position in everyone.indices where isIncluded(everyone[position].status) {
      set.formUnion(everyone[position].bit)
    }
    return set
  }

  /// The registered members; a member counts until it retires.
  package var members: MemberSet { members { $0.isMember } }
  /// The members that are launched.
  package var running: MemberSet { members { $0.isRunning } }
  /// The members that are consumers: they read history, but have no contexts to merge it into.
  package var consumers: MemberSet { members { $0.isConsumer } }
  /// The members whose unmerged transactions a purge must keep (``MemberStatus/isKept``).
  package var kept: MemberSet { members { $0.isKept } }
  /// The members that must have merged all their required transactions at the end of the trace.
  package var watched: MemberSet { members { $0.mustMerge } }

  /// The verdict `unknown` if the trace has more members than a timeline supports; otherwise `nil`.
  package var undecided: Verdict? {
    hasTooMany ? .unknown("The trace names more than \(MemberSet.capacity) members.") : nil
  }
}

// MARK: Failures

extension Timeline {
  /// Returns a command's failure if nothing in the plan explains it; otherwise `nil`.
  ///
  /// Injected faults and hooks that throw explain a failure. Errors that a correct system may
  /// return at any time, such as an expired position, a conflict, a lock or a full disk, have codes
  /// of their own and are not returned.
  func unexplainedFailure(_ event: Event) -> SystemFailure? {
    guard case .ended(let index?, .failed(let failure)) = event.kind,
      plan.commands.indices.contains(index), isUnexplained(failure), !command.hasFault,
      !hasThrowingHooks
    else { return nil }
    return failure
  }

  /// Returns whether only a fault or a throwing hook could explain a failure of the command.
  ///
  /// This is so for the code `failed`. It is also so for the codes with which a store refuses edits
  /// (`denied`, `duplicate`, `dangling` and `missing`) if the command is a query.
  private func isUnexplained(_ failure: SystemFailure) -> Bool {
    switch failure.code {
    case .failed: true
    case .denied, .duplicate, .dangling, .missing: command.word == "query"
    default: false
    }
  }
}

// MARK: Transactions

extension Timeline {
  /// Returns whether any of the given members had to merge changes of another actor or program.
  ///
  /// If none of them had to, the trace does not test the merges of these members.
  ///
  /// - Complexity: linear in the transactions up to the first one that makes the result `true`.
  package func hasForeignWork(for some: MemberSet) -> Bool {
    for (transaction, status) in zip(log.transactions, log.statuses)
    where !transaction.commit.changes.isEmpty {
      var others = status.required.intersection(some)
      if let writer = transaction.writer { others.remove(everyone[writer].bit) }
      if !others.isEmpty { return true }
    }
    return false
  }

  /// Returns whether a transaction changes anything that a member's model version contains.
  ///
  /// In a plan with one version of the model, the result is always `true`.
  func isKnown(_ position: Int, to member: Int) -> Bool {
    let header = plan.header
    guard header.hasOlderModel else { return true }
    let model = header.model(of: everyone[member].id)
    return log.transactions[position].commit.changes.contains { change in
      guard let entity = model.entities.first(where: { $0.name == change.object.entity }) else {
        return false
      }
      return change.columns.isEmpty || change.columns.contains { entity.index(of: $0) != nil }
    }
  }

  /// Returns the position of the transaction that last changed an object, or `nil`.
  ///
  /// - Complexity: linear in the changes.
  package func lastWrite(of object: ObjectName) -> Int? {
    log.transactions.lastIndex { $0.commit.changes.contains { $0.object == object } }
  }

  /// Returns the name of the actor that wrote a transaction, such as `share`.
  ///
  /// If the trace names no actor, the result is `another program`.
  package func writer(of position: Int) -> String {
    log.transactions[position].writer.map { everyone[$0].id.name } ?? "another program"
  }

  /// Returns the name of a transaction for messages, such as `#3`.
  ///
  /// If a power-off rolled the transaction back, the result says that it was lost.
  package func label(_ position: Int) -> String {
    guard log.transactions.indices.contains(position) else { return "a transaction that was lost" }
    return "#\(log.transactions[position].commit.name)"
  }

  /// Returns the last cursor that a member recorded, as a clause: "app had recorded #2".
  package func progress(of member: Int) -> String {
    let cursor = everyone[member].cursor.map(label) ?? "nothing"
    return "\(everyone[member].id) had recorded \(cursor)"
  }
}

import HistoryTypes
package import Traces

// MARK: Members

extension Timeline {
  /// Returns the members with a status, as a set.
  ///
  /// - Complexity: linear in the members.
  func members(where isIncluded: (MemberStatus) -> Bool) -> MemberSet {
    var set: MemberSet = []
    for position in everyone.indices where isIncluded(everyone[position].status) {
      set.formUnion(everyone[position].bit)
    }
    return set
  }

  /// The members that history is kept for: from their registration until they retire.
  package var members: MemberSet { members { $0.isMember } }
  /// The members that are launched.
  package var running: MemberSet { members { $0.isRunning } }
  /// The members that consume history without a view.
  package var consumers: MemberSet { members { $0.isConsumer } }
  /// The members that a purge must wait for.
  package var kept: MemberSet { members { $0.isKept } }
  /// The members that must have merged everything at the end.
  package var watched: MemberSet { members { $0.mustMerge } }

  /// The common verdict on a trace with more members than a timeline supports; otherwise `nil`.
  package var undecided: Verdict? {
    hasTooMany ? .unknown("The trace names more than \(MemberSet.capacity) members.") : nil
  }
}

// MARK: Failures

extension Timeline {
  /// Returns the failure of a command of the plan for which the plan gives no reason.
  ///
  /// A plan gives reasons by injected faults and by hooks that throw. Errors that a correct system
  /// may return at any time, such as an expired position, a conflict, a lock or a full disk, have
  /// codes of their own.
  func unexplainedFailure(_ event: Event) -> SystemFailure? {
    guard case .ended(let index?, .failed(let failure)) = event.happening,
      plan.commands.indices.contains(index), failure.code == .failed, !command.hasFault,
      !hasThrowingHooks
    else { return nil }
    return failure
  }
}

// MARK: Transactions

extension Timeline {
  /// Returns whether one of some members had to merge another actor's effective write.
  ///
  /// A trace without such a write does not exercise merges.
  ///
  /// - Complexity: linear in the transactions until the first such write.
  package func hasForeignWork(for some: MemberSet) -> Bool {
    for (transaction, status) in zip(log.transactions, log.statuses)
    where !transaction.commit.changes.isEmpty {
      var others = status.required.intersection(some)
      if let writer = transaction.writer { others.remove(everyone[writer].bit) }
      if !others.isEmpty { return true }
    }
    return false
  }

  /// Returns the position of the transaction that last changed an object, or `nil`.
  ///
  /// - Complexity: linear in the changes.
  package func lastWrite(of object: ObjectName) -> Int? {
    log.transactions.lastIndex { $0.commit.changes.contains { $0.object == object } }
  }

  /// Returns the name of a transaction's writer, for a sentence: "share".
  package func writer(of position: Int) -> String {
    log.transactions[position].writer.map { everyone[$0].id.name } ?? "somebody"
  }

  /// Returns the name of a transaction, for a sentence: "#3".
  ///
  /// A member may report a merge of a transaction that a power-off rolled back.
  package func label(_ position: Int) -> String {
    guard log.transactions.indices.contains(position) else { return "a transaction that was lost" }
    return "#\(log.transactions[position].commit.name)"
  }

  /// Returns the last record of a member, for a sentence: "app had recorded #2".
  package func progress(of member: Int) -> String {
    let cursor = everyone[member].cursor.map(label) ?? "nothing"
    return "\(everyone[member].id) had recorded \(cursor)"
  }
}

import PersistentHistory
package import Traces

extension Timeline {
  /// Goes on with a longer plan: the next command of a plan that unfolds.
  package mutating func append(_ command: Command) {
    plan.commands.append(command)
    ledger.append(command)
  }

  /// Adds everything that later answers depend on.
  ///
  /// A transaction that was purged after everyone had recorded it is left out: nothing can be lost of
  /// it any more. Between two commands it is the whole state; what is under way is not told.
  ///
  /// - Complexity: linear in the transactions that still matter, and in the data.
  func describe(_ state: inout StateSketch) {
    state.enter(nil)
    state.add(members: members.rawValue)
    state.add(members: running.rawValue)
    state.add(members: members { $0.isCutOff }.rawValue)
    state.add(members: members { $0.missesHistory }.rawValue)
    state.add(members: consumers.rawValue)
    state.add(mayHoldUnreported)
    // With one transaction nothing can be reclaimed.
    state.add(min(log.count, 2))
    for (position, status) in log.statuses.enumerated() {
      // What an actor ignores may be missing from its view for ever.
      let isIgnored = log.transactions[position].told.author.map { ignoring[$0] != nil } ?? false
      let isLeftOut = isIgnored || !status.finished.isEmpty
      if !status.isComplete || isLeftOut { describe(position, status, &state) }
    }
    for member in everyone {
      state.enter(member.id)
      describe(member.cursor, &state)
      describe(member.mergedThrough, &state)
      describe(member.registeredFrom - 1, &state)
      describe(member.consumedFrom - 1, &state)
    }
    state.enter(nil)
    if state.tellsLosses { describeDoubts(&state) }
    ledger.describe(&state)
  }

  /// Adds what a power-off has made uncertain, and what another one may.
  private func describeDoubts(_ state: inout StateSketch) {
    for alternative in MemberStatus.Alternatives.each {
      state.add(members: members { $0.alternatives.contains(alternative) }.rawValue)
    }
    state.add(hasDelays)
    for member in everyone {
      state.enter(member.id)
      state.add(number: Int64(member.joinedAt))
      state.add(number: Int64(member.leftAt ?? -1))
      state.add(number: Int64(member.cutOffAt ?? -1))
    }
    state.enter(nil)
  }

  private func describe(
    _ position: Int,
    _ status: TransactionStatus,
    _ state: inout StateSketch
  ) {
    let transaction = log.transactions[position]
    state.add(transaction: transaction.told.name)
    state.add(author: transaction.told.author)
    for set in [status.required, status.merged, status.everMerged, status.recorded] {
      state.add(members: set.rawValue)
    }
    if !status.finished.isEmpty { state.add(members: status.finished.rawValue) }
    state.add(status.isPurged)
    state.add(status.mayBePurged)
    for change in transaction.told.changes {
      state.add(Int(change.type.rawValue))
      state.add(change.object)
      for column in change.columns { state.add(column) }
    }
  }

  /// Adds a position as the number of the transaction that is there.
  func describe(_ position: Int?, _ state: inout StateSketch) {
    guard let position, log.transactions.indices.contains(position) else { return state.add(-1) }
    state.add(transaction: log.transactions[position].told.name)
  }
}

extension Ledger {
  /// Adds what the data can be, and what is staged.
  func describe(_ state: inout StateSketch) {
    state.add(possibilities.count)
    for possibility in possibilities { state.add(possibility.model.objects) }
    state.add(undecided != nil)
    for (actor, write) in staged.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      state.add(write.write)
      state.add(write.isDoubtful)
    }
    state.enter(nil)
  }
}

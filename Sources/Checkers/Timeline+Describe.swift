import HistoryTypes
package import Traces

extension Timeline {
  /// Appends the next command of a plan that is created one command at a time.
  package mutating func append(_ command: Command) {
    plan.commands.append(command)
    ledger.append(command)
  }

  /// Adds to `state` all data on which later verdicts depend; call this only between two commands.
  ///
  /// Transactions that were purged after all members had recorded them are left out, because no
  /// member still needs them. The current command is left out, too.
  ///
  /// - Complexity: linear in the transactions that still matter, and in the data.
  func describe(_ state: inout StateSketch) {
    state.enter(nil)
    describeStatuses(&state)
    state.add(mayHoldUnreported)
    // The count matters up to 2 only: a purge never removes the only transaction.
    state.add(min(log.count, 2))
    for (position, status) in log.statuses.enumerated() {
      // The view of an actor may permanently lack transactions whose author the actor ignores.
      let isIgnored = log.transactions[position].commit.author.map { ignoring[$0] != nil } ?? false
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
    if state.includesLosses { describeLosses(&state) }
    ledger.describe(&state)
  }

  /// Adds the members' registrations, and whether they can get all history, to `state`.
  ///
  /// One loop writes both, because explorations call this method often.
  private func describeStatuses(_ state: inout StateSketch) {
    var (members, running, consumers) = (MemberSet(), MemberSet(), MemberSet())
    var (cutOff, missing) = (MemberSet(), MemberSet())
    for position in everyone.indices {
      let (bit, status) = (everyone[position].bit, everyone[position].status)
      if status.isMember { members.formUnion(bit) }
      if status.isRunning { running.formUnion(bit) }
      if status.isCutOff { cutOff.formUnion(bit) }
      if status.missesHistory { missing.formUnion(bit) }
      if status.isConsumer { consumers.formUnion(bit) }
    }
    state.add(members: members.rawValue)
    state.add(members: running.rawValue)
    state.add(members: cutOff.rawValue)
    state.add(members: missing.rawValue)
    state.add(members: consumers.rawValue)
  }

  /// Adds the members' ``MemberStatus/Alternatives`` to `state`.
  ///
  /// One loop writes all of them, because explorations call this method often.
  private func describeAlternatives(_ state: inout StateSketch) {
    var (absent, ahead, registered) = (MemberSet(), MemberSet(), MemberSet())
    var (behind, takenBack) = (MemberSet(), MemberSet())
    for position in everyone.indices {
      let (bit, alternatives) = (everyone[position].bit, everyone[position].status.alternatives)
      if alternatives.isEmpty { continue }
      if alternatives.contains(.absent) { absent.formUnion(bit) }
      if alternatives.contains(.ahead) { ahead.formUnion(bit) }
      if alternatives.contains(.registered) { registered.formUnion(bit) }
      if alternatives.contains(.behind) { behind.formUnion(bit) }
      if alternatives.contains(.takenBack) { takenBack.formUnion(bit) }
    }
    state.add(members: absent.rawValue)
    state.add(members: ahead.rawValue)
    state.add(members: registered.rawValue)
    state.add(members: behind.rawValue)
    state.add(members: takenBack.rawValue)
  }

  /// Adds to `state` what the last power-off has made uncertain, and what the next one may roll back.
  private func describeLosses(_ state: inout StateSketch) {
    describeAlternatives(&state)
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
    state.add(transaction: transaction.commit.name)
    state.add(author: transaction.commit.author)
    for set in [status.required, status.merged, status.everMerged, status.recorded] {
      state.add(members: set.rawValue)
    }
    if !status.finished.isEmpty { state.add(members: status.finished.rawValue) }
    state.add(status.isPurged)
    state.add(status.mayBePurged)
    for change in transaction.commit.changes {
      state.add(Int(change.type.rawValue))
      state.add(change.object)
      for column in change.columns { state.add(column) }
    }
  }

  /// Adds a position to `state` as its transaction's name, which must be a number.
  func describe(_ position: Int?, _ state: inout StateSketch) {
    guard let position, log.transactions.indices.contains(position) else { return state.add(-1) }
    state.add(transaction: log.transactions[position].commit.name)
  }
}

extension Ledger {
  /// Adds to `state` the possible states of the data, and the writes started but not yet committed.
  func describe(_ state: inout StateSketch) {
    state.add(possibilities.count)
    for possibility in possibilities { state.add(possibility.model.objects) }
    state.add(undecided != nil)
    for (actor, write) in staged.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      state.add(write.write)
      state.add(write.isUncertain)
    }
    state.enter(nil)
  }
}

import Traces

/// What faults and power-offs leave uncertain, and what later events make certain again.
extension Timeline {
  /// Takes everyone down, and back what came after the last transaction that survived.
  ///
  /// Records and purges may be gone too: no cursor is known until its member is launched.
  mutating func recover() {
    command.hasRecovered = true
    mayHoldUntold = false
    for member in everyone.indices {
      if running.contains(everyone[member].bit) { crash(member) }
      everyone[member].cursor = nil
    }
    for position in standings.indices where standings[position].isPurged {
      standings[position].isPurged = false
      standings[position].mayBePurged = true
    }
    let last = named.first ?? -1
    // What is left is on disk, whatever was delayed before.
    defer { hasDelays = false }
    guard named.isEmpty || last >= 0 else { return }
    doubtMemberships(after: last)
    for transaction in transactions[(last + 1)...] { positions[transaction.told.name] = nil }
    transactions.removeSubrange((last + 1)...)
    standings.removeSubrange((last + 1)...)
    for member in everyone.indices {
      everyone[member].registeredFrom = min(everyone[member].registeredFrom, last + 1)
      everyone[member].settled = min(everyone[member].settled, last + 1)
      everyone[member].consumedFrom = min(everyone[member].consumedFrom, last + 1)
    }
  }

  /// Notes whose membership nobody can tell until the next launch.
  ///
  /// Commits survive in their order: who joined, left or was cut off before a transaction that survived
  /// has done so, and with FULL everyone has, unless a disk delayed a sync.
  private mutating func doubtMemberships(after last: Int) {
    isDown = members
    let isFull = plan.header.synchronous == .full && !hasDelays
    for member in everyone {
      if members.contains(member.bit) {
        if !isFull, last < member.joinedAt { mayBeGone.formUnion(member.bit) }
        if !isFull, let lostAt = member.lostAt, last < lostAt, lost.contains(member.bit) {
          // It is taken back for certain with a transaction that came before it.
          if last + 1 == lostAt { mayBeGone.formUnion(member.bit) }
          lost.subtract(member.bit)
          cutOff.subtract(member.bit)
        }
      } else if let left = member.leftAt, !isFull, last < left {
        mayLinger.formUnion(member.bit)
      }
    }
  }

  /// Notes that whoever was under way when a fault struck may have done more than was told.
  mutating func doubtCommanded() {
    command.hasFault = true
    guard let commanded = command.actor else { return }
    let bit = everyone[commanded].bit
    if command.word == "retire" { mayBeGone.formUnion(bit) }
    if members.contains(bit) { mayHaveMoved.formUnion(bit) } else { mayLinger.formUnion(bit) }
  }

  /// What the store tells after a power-off decides which purges it has taken back.
  mutating func settlePurges(by held: [CommittedTransaction]) {
    let names = Set(held.map(\.name))
    for position in standings.indices where standings[position].mayBePurged {
      standings[position].mayBePurged = false
      standings[position].isPurged = !names.contains(transactions[position].told.name)
    }
  }
  /// The first launch since a power-off tells what was kept of a member's records.
  ///
  /// It must merge again what comes after its cursor. Who may have joined anew has read all that was
  /// there then.
  mutating func takeUp(_ member: Int, at cursor: Int) {
    let bit = everyone[member].bit
    let from = everyone[member].registeredFrom
    for position in standings.indices.dropFirst(from) {
      if position > cursor {
        standings[position].merged.subtract(bit)
        standings[position].recorded.subtract(bit)
      } else if mayHaveMoved.contains(bit) {
        standings[position].merge(bit)
        standings[position].recorded.formUnion(bit)
        if mayBeGone.contains(bit) { standings[position].required.subtract(bit) }
      }
    }
    everyone[member].settled = min(everyone[member].settled, cursor + 1)
  }

  /// A command that ended well did what it told, whatever struck it.
  mutating func trust(_ member: Int) {
    let bit = everyone[member].bit
    mayHaveMoved.subtract(bit)
    mayBeGone.subtract(bit)
    if !isDown.contains(bit) { mayLinger.subtract(bit) }
  }
}

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
      if everyone[member].status.isRunning { crash(member) }
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
    let isFull = plan.header.synchronous == .full && !hasDelays
    for member in everyone.indices {
      everyone[member].status.losePower()
      if !isFull { everyone[member].doubtMembership(after: last) }
    }
  }

  /// Applies a fault during the command under way.
  mutating func failCommand() {
    command.hasFault = true
    guard let actor = command.actor else { return }
    everyone[actor].status.fail(whileRetiring: command.word == "retire")
  }

  /// What the store tells after a power-off decides which purges it has taken back.
  mutating func reconcilePurges(with held: [CommittedTransaction]) {
    let names = Set(held.map(\.name))
    for position in standings.indices where standings[position].mayBePurged {
      standings[position].mayBePurged = false
      standings[position].isPurged = !names.contains(transactions[position].told.name)
    }
  }

  /// Restores what the first launch since a power-off shows of a member's records.
  ///
  /// It must merge again what comes after its cursor. If it may have joined again, it has read all that
  /// was there then.
  mutating func restoreRecords(of member: Int) {
    let (bit, status) = (everyone[member].bit, everyone[member].status)
    let cursor = named.first ?? -1
    for position in standings.indices.dropFirst(everyone[member].registeredFrom) {
      if position > cursor {
        standings[position].merged.subtract(bit)
        standings[position].recorded.subtract(bit)
      } else if status.alternatives.contains(.ahead) {
        standings[position].merge(bit)
        standings[position].recorded.formUnion(bit)
        if status.alternatives.contains(.absent) { standings[position].required.subtract(bit) }
      }
    }
    everyone[member].settled = min(everyone[member].settled, cursor + 1)
    if status.isConsumer, plan.header.tokens == .own { everyone[member].status.launchAtOwnToken() }
  }
}

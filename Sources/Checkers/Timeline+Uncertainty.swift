import Traces

/// The effects of unknown outcomes, faults and power-offs, and of the events that resolve them.
extension Timeline {
  /// Applies the end of a command, which may make its effects certain or uncertain.
  mutating func end(_ outcome: Outcome) {
    command.isInPlan = false
    switch outcome {
    case .ok:
      if command.hasFault, !command.hasRecovered, let actor = command.actor {
        everyone[actor].status.succeed()
      }
    case .failed: break
    case .unknown: endUnknown()
    }
  }

  /// Accepts both outcomes of a write or record whose outcome is unknown.
  ///
  /// A write may have left a transaction without an event. A record counts as done, so that a purge
  /// that relies on it is accepted.
  private mutating func endUnknown() {
    switch command.word {
    case "write", "batch", "commit":
      mayHoldUnreported = mayHoldUnreported || !(command.hasCommitted || command.hasRecovered)
    case "record", "pass":
      guard let actor else { return }
      countAsRecorded(actor, through: log.count - 1)
    default: break
    }
  }

  /// Applies a fault during the current command.
  mutating func fail(_ fault: PlannedFault) {
    if fault.kind == .delay { hasDelays = true }
    command.hasFault = true
    guard let actor = command.actor else { return }
    everyone[actor].status.fail(whileRetiring: command.word == "retire")
  }

  /// Applies a power-off, which stops every member and rolls back to a transaction.
  ///
  /// Records and purges may be gone too: no cursor is known until its member is launched.
  mutating func recover() {
    command.hasRecovered = true
    mayHoldUnreported = false
    for member in everyone.indices {
      if everyone[member].status.isRunning { crash(member) }
      everyone[member].cursor = nil
    }
    log.losePower()
    let last = named.first ?? -1
    if named.isEmpty || last >= 0 { takeBack(after: last) }
    // The rest is on disk, whatever was delayed before.
    hasDelays = false
  }

  /// Rolls back the transactions after a position.
  ///
  /// Registrations, losses and retirements that may have come after it become uncertain. With FULL
  /// no acknowledged commit is lost, unless a disk delayed a sync.
  private mutating func takeBack(after last: Int) {
    let isFull = plan.header.synchronous == .full && !hasDelays
    log.removeAll(after: last)
    for member in everyone.indices {
      everyone[member].status.losePower()
      if !isFull { everyone[member].makeMembershipUncertain(after: last) }
      everyone[member].clampPositions(to: last + 1)
    }
  }

  /// Restores a member's records at its first launch after a power-off.
  mutating func restoreRecords(of member: Int) {
    let cursor = named.first ?? -1
    log.restoreRecords(of: everyone[member], through: cursor)
    everyone[member].recordedBelow = min(everyone[member].recordedBelow, cursor + 1)
    if everyone[member].status.isConsumer, plan.header.tokens == .own {
      everyone[member].status.launchAtOwnToken()
    }
  }
}

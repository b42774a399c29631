import Traces

extension Timeline {
  /// Updates the timeline with an event; first set ``actor`` and ``named`` to those of the event.
  mutating func apply(_ event: Event) {
    lastAt = event.at
    switch event.kind {
    case .called(let index, let word):
      command = CurrentCommand(word, isInPlan: index != nil, actor: actor)
    case .ended(_, let outcome):
      if event.reportsMissingHistory, let actor { everyone[actor].status.expire() }
      end(outcome)
    case .committed(let transaction): append(transaction, at: event.at)
    case .purged: log.purge(named)
    case .recovered: recover()
    case .fault(let fault): fail(fault)
    case .data, .viewed: isClosed = isClosed || !command.isInPlan
    case .history(let held):
      isClosed = isClosed || !command.isInPlan
      if command.hasRecovered { log.reconcilePurges(with: held) }
    default:
      guard let actor else { return }
      apply(event.kind, to: actor)
    }
  }

  private mutating func apply(_ kind: EventKind, to member: Int) {
    switch kind {
    case .registered: register(member)
    case .launched: launch(member)
    case .stopped: everyone[member].status.stop()
    case .crashed: crash(member)
    case .retired:
      everyone[member].leftAt = log.count
      everyone[member].status.retire()
    case .merged:
      merge(member)
      log.setFinished(false, named, by: everyone[member].bit)
    case .finished:
      merge(member)
      log.setFinished(true, named, by: everyone[member].bit)
    case .recorded: record(member)
    case .consumed: consume(member)
    case .lost:
      everyone[member].cutOffAt = log.count
      everyone[member].status.cutOff()
    case .expired, .rewound: everyone[member].status.expire()
    case .resynced: resync(member)
    default: break
    }
  }

  // MARK: Commits

  private mutating func append(_ transaction: CommittedTransaction, at: Int) {
    command.hasCommitted = true
    log.append(
      TimelineTransaction(commit: transaction, writer: actor, at: at),
      required: owing(transaction)
    )
  }

  /// Returns the members that must merge the transaction which is committed now.
  ///
  /// These are all members except two kinds: the actor whose view saved the transaction, if it has
  /// no other contexts, and members that ignore the transaction's author. No member must merge the
  /// transaction that inserts the objects of the plan's header.
  func owing(_ transaction: CommittedTransaction) -> MemberSet {
    if !command.isInPlan, command.word == "write", !plan.header.objects.isEmpty { return [] }
    var required = members
    if let actor, transaction.context == "view", !everyone[actor].hasSeveralContexts {
      required.subtract(everyone[actor].bit)
    }
    if let author = transaction.author, !ignoring.isEmpty, let deaf = ignoring[author] {
      required.subtract(deaf)
    }
    return required
  }

  // MARK: Processes

  /// Registers a member.
  ///
  /// After a retirement or a loss of history the member need not merge earlier transactions. In all
  /// other cases, a member that registers again must still merge the transactions that were written
  /// while it was stopped.
  private mutating func register(_ member: Int) {
    if everyone[member].status.startsFromScratch {
      log.forget(everyone[member].bit)
      everyone[member].registeredFrom = log.count
      everyone[member].recordedBelow = log.count
    }
    everyone[member].status.register()
    everyone[member].joinedAt = log.count
    start(member)
  }

  private mutating func launch(_ member: Int) {
    let status = everyone[member].status
    guard status.isMember else { return register(member) }
    if status.alternatives.contains(.takenBack) { restoreRecords(of: member) }
    // The second process of a member lacks the transactions that the first merged and did not record.
    if status.isRunning { crash(member) }
    everyone[member].status.launch()
    start(member)
  }

  private mutating func start(_ member: Int) {
    log.forgetFinished(by: everyone[member].bit)
    let cursor = named.first.flatMap { $0 < 0 ? nil : $0 }
    everyone[member].cursor = cursor
    everyone[member].mergedThrough = cursor ?? -1
  }

  mutating func crash(_ member: Int) {
    everyone[member].status.stop()
    log.takeBackMerges(of: everyone[member])
  }

  // MARK: Merges and records

  private mutating func merge(_ member: Int) {
    log.merge(named, by: everyone[member])
    everyone[member].mergedThrough = max(everyone[member].mergedThrough, named.max() ?? -1)
  }

  private mutating func record(_ member: Int) {
    guard let cursor = named.first else {
      everyone[member].cursor = nil
      return
    }
    guard cursor >= 0 else { return }
    everyone[member].cursor = cursor
    everyone[member].status.record()
    countAsRecorded(member, through: cursor)
  }

  /// Marks a member's merged transactions, through the position `last`, as recorded.
  mutating func countAsRecorded(_ member: Int, through last: Int) {
    everyone[member].recordedBelow = log.record(everyone[member], through: last)
  }

  /// Records a consumer's new token; registers the consumer if no event has registered it before.
  private mutating func consume(_ member: Int) {
    if !everyone[member].status.isMember { register(member) }
    everyone[member].status.consume()
    everyone[member].consumedFrom = log.count
    merge(member)
    guard let last = named.last, last >= 0 else { return }
    everyone[member].cursor = max(everyone[member].cursor ?? -1, last)
    everyone[member].status.keepToken()
    countAsRecorded(member, through: last)
  }

  private mutating func resync(_ member: Int) {
    // A power-off may roll back a resync after lost history, as it may roll back a registration.
    if everyone[member].status.missesHistory { everyone[member].joinedAt = log.count }
    everyone[member].status.resync()
    log.forgetFinished(by: everyone[member].bit)
    guard let cursor = named.first, cursor >= 0 else { return }
    log.resync(everyone[member], through: cursor)
    everyone[member].cursor = cursor
    everyone[member].mergedThrough = cursor
    countAsRecorded(member, through: cursor)
  }
}

extension Event {
  /// Whether the event notifies a member that history it needs is gone or was replaced.
  var reportsMissingHistory: Bool {
    switch kind {
    case .expired, .rewound: true
    case .ended(_, .failed(let failure)): failure.code == .expired || failure.code == .rewound
    default: false
    }
  }
}

/// The effects of unknown outcomes, faults and power-offs, and of the events that resolve them.
extension Timeline {
  /// Updates the timeline at the end of a command.
  ///
  /// The outcome shows whether the effects of the command are certain.
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

  /// Prepares for both possible effects of a command of unknown outcome.
  ///
  /// A write may have committed a transaction that no event reports. A command that records a
  /// cursor may have succeeded: the member's merged transactions then count as recorded, so that a
  /// purge of these transactions is accepted.
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

  /// Records that a fault was injected during the current command.
  mutating func fail(_ fault: PlannedFault) {
    if fault.kind == .delay { hasDelays = true }
    command.hasFault = true
    guard let actor = command.actor else { return }
    everyone[actor].status.fail(whileRetiring: command.word == "retire")
  }

  /// Updates the timeline after a power-off, which stops every member and may roll back the newest
  /// transactions.
  ///
  /// Recorded cursors and purges may be rolled back too, so a member's cursor is unknown until the
  /// member launches again.
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
    // All remaining data are on disk, including the data of delayed syncs.
    hasDelays = false
  }

  /// Rolls back the transactions after a position.
  ///
  /// Registrations, retirements and losses of history after that position become uncertain. They
  /// remain certain with `"synchronous":"full"` if no disk delayed a sync, because then no
  /// acknowledged commit is lost.
  private mutating func takeBack(after last: Int) {
    let isFull = plan.header.synchronous == .full && !hasDelays
    log.removeAll(after: last)
    for member in everyone.indices {
      everyone[member].status.losePower()
      if !isFull { everyone[member].makeMembershipUncertain(after: last) }
      everyone[member].clampPositions(to: last + 1)
    }
  }

  /// Resets a member's progress to its cursor in the store, at its first launch after a power-off.
  mutating func restoreRecords(of member: Int) {
    let cursor = named.first ?? -1
    log.restoreRecords(of: everyone[member], through: cursor)
    everyone[member].recordedBelow = min(everyone[member].recordedBelow, cursor + 1)
    if everyone[member].status.isConsumer, plan.header.tokens == .own {
      everyone[member].status.launchAtOwnToken()
    }
  }
}

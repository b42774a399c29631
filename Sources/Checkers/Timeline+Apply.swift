import Traces

extension Timeline {
  /// Applies an event whose names have been looked up.
  mutating func apply(_ event: Event) {
    lastAt = event.at
    switch event.happening {
    case .called(let index, let word):
      command = CurrentCommand(word, isInPlan: index != nil, actor: actor)
    case .ended(_, let outcome):
      if event.reportsMissingHistory, let actor { everyone[actor].status.expire() }
      end(outcome)
    case .committed(let transaction): append(transaction, at: event.at)
    case .purged:
      for position in named where position >= 0 { standings[position].isPurged = true }
    case .recovered: recover()
    case .fault(let fault):
      hasDelays = hasDelays || fault.kind == .delay
      failCommand()
    case .data, .viewed: isClosed = isClosed || !command.isInPlan
    case .history(let held):
      isClosed = isClosed || !command.isInPlan
      if command.hasRecovered { reconcilePurges(with: held) }
    default:
      guard let actor else { return }
      apply(event.happening, to: actor)
    }
  }

  private mutating func apply(_ happening: Happening, to member: Int) {
    let bit = everyone[member].bit
    switch happening {
    case .registered: register(member)
    case .launched: launch(member)
    case .stopped: everyone[member].status.stop()
    case .crashed: crash(member)
    case .retired:
      everyone[member].leftAt = standings.count
      everyone[member].status.retire()
    case .merged:
      merge(member)
      for position in named where position >= 0 { standings[position].finished.subtract(bit) }
    case .finished:
      merge(member)
      for position in named where position >= 0 { standings[position].finished.formUnion(bit) }
    case .recorded: record(member)
    case .consumed: consume(member)
    case .lost:
      everyone[member].status.cutOff()
      everyone[member].cutOffAt = standings.count
    case .expired, .rewound: everyone[member].status.expire()
    case .resynced: resync(member)
    default: break
    }
  }

  private mutating func append(_ transaction: CommittedTransaction, at: Int) {
    command.hasCommitted = true
    let required = owing(transaction)
    positions[transaction.name] = transactions.count
    transactions.append(TimelineTransaction(told: transaction, writer: actor, at: at))
    standings.append(Standing(required: required))
  }

  /// The members that must merge a transaction which commits now: all but its own view, where that is
  /// an actor's only context, and those who ignore its author.
  func owing(_ transaction: CommittedTransaction) -> MemberSet {
    var required = members
    if let actor, transaction.context == "view", !everyone[actor].hasSeveralContexts {
      required.subtract(everyone[actor].bit)
    }
    if let author = transaction.author, !ignoring.isEmpty, let deaf = ignoring[author] {
      required.subtract(deaf)
    }
    return required
  }

  /// A member that registers again without having retired or been told that it misses history
  /// keeps its duties: what was written while it was away must still be merged.
  private mutating func register(_ member: Int) {
    let bit = everyone[member].bit
    if everyone[member].status.startsFromScratch {
      for position in standings.indices { standings[position].forget(bit) }
      everyone[member].registeredFrom = standings.count
      everyone[member].settled = standings.count
    }
    everyone[member].status.register()
    everyone[member].joinedAt = standings.count
    start(member)
  }

  private mutating func launch(_ member: Int) {
    let status = everyone[member].status
    guard status.isMember else { return register(member) }
    if status.alternatives.contains(.takenBack) { restoreRecords(of: member) }
    // A second process knows nothing of what the first one has merged and not recorded.
    if status.isRunning { crash(member) }
    everyone[member].status.launch()
    start(member)
  }

  private mutating func start(_ member: Int) {
    forgetFinished(everyone[member].bit)
    let cursor = named.first.flatMap { $0 < 0 ? nil : $0 }
    everyone[member].cursor = cursor
    everyone[member].mergedThrough = cursor ?? -1
  }

  /// Whoever loads its contexts anew misses nothing of what a hook had finished before.
  private mutating func forgetFinished(_ bit: MemberSet) {
    for position in standings.indices where !standings[position].finished.isEmpty {
      standings[position].finished.subtract(bit)
    }
  }

  mutating func crash(_ member: Int) {
    let bit = everyone[member].bit
    everyone[member].status.stop()
    for position in everyone[member].settled..<standings.count
    where !standings[position].recorded.contains(bit) {
      standings[position].merged.subtract(bit)
    }
  }

  /// What is merged at or below a cursor that is on disk already counts as recorded.
  private mutating func merge(_ member: Int) {
    let bit = everyone[member].bit
    let cursor = everyone[member].cursor ?? -1
    for position in named where position >= 0 {
      standings[position].merge(bit)
      if position <= cursor { standings[position].recorded.formUnion(bit) }
      everyone[member].mergedThrough = max(everyone[member].mergedThrough, position)
    }
  }

  private mutating func record(_ member: Int) {
    guard let cursor = named.first else {
      everyone[member].cursor = nil
      return
    }
    guard cursor >= 0 else { return }
    everyone[member].cursor = cursor
    everyone[member].status.record()
    settle(member, through: cursor)
  }

  /// Counts what a member has merged at or below a position as recorded.
  mutating func settle(_ member: Int, through last: Int) {
    let bit = everyone[member].bit
    var settled = everyone[member].settled
    var isWhole = true
    for position in settled..<max(settled, last + 1) {
      if standings[position].merged.contains(bit) { standings[position].recorded.formUnion(bit) }
      let owes = standings[position].required.contains(bit)
      isWhole = isWhole && (!owes || standings[position].recorded.contains(bit))
      if isWhole { settled = position + 1 }
    }
    everyone[member].settled = settled
  }

  /// A consumer that the trace never registered is one from its first token on.
  private mutating func consume(_ member: Int) {
    if !everyone[member].status.isMember { register(member) }
    everyone[member].status.consume()
    everyone[member].consumedFrom = standings.count
    merge(member)
    guard let last = named.last, last >= 0 else { return }
    everyone[member].cursor = max(everyone[member].cursor ?? -1, last)
    everyone[member].status.keepToken()
    settle(member, through: last)
  }

  private mutating func resync(_ member: Int) {
    let bit = everyone[member].bit
    // A power-off may take that back: then the member is cut off again, as one that joined is gone.
    if everyone[member].status.missesHistory { everyone[member].joinedAt = standings.count }
    everyone[member].status.resync()
    forgetFinished(bit)
    guard let cursor = named.first, cursor >= 0 else { return }
    let from = everyone[member].registeredFrom
    for position in from..<max(from, cursor + 1) { standings[position].merge(bit) }
    everyone[member].cursor = cursor
    everyone[member].mergedThrough = cursor
    settle(member, through: cursor)
  }

}

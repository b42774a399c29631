package import Traces

extension Timeline {
  /// Applies an event that was resolved before, once everyone has been told of it.
  package mutating func apply(_ event: Event) {
    lastAt = event.at
    switch event.happening {
    case .called(let command, let word): begin(command, word)
    case .ended(_, let outcome):
      if Self.isCutOff(by: event.happening), let actor { cutOff.formUnion(everyone[actor].bit) }
      end(outcome)
    case .committed(let transaction): append(transaction, at: event.at)
    case .purged:
      for position in named where position >= 0 { standings[position].isPurged = true }
    case .recovered: recover()
    case .fault: doubtCommanded()
    case .data, .viewed: isClosed = isClosed || !isInPlan
    case .history(let held):
      isClosed = isClosed || !isInPlan
      if hasRecovered { settlePurges(by: held) }
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
    case .stopped: running.remove(bit)
    case .crashed: crash(member)
    case .retired:
      everyone[member].leftAt = standings.count
      retire(bit)
    case .merged: merge(member)
    case .recorded: record(member)
    case .consumed: consume(member)
    case .lost:
      lost.formUnion(bit)
      cutOff.formUnion(bit)
    case .expired, .rewound: cutOff.formUnion(bit)
    case .resynced: resync(member)
    default: break
    }
  }

  private mutating func begin(_ command: Int?, _ word: String) {
    isInPlan = command != nil
    commanded = actor
    hasRecovered = false
    isStruck = false
    hasCommitted = false
    self.word = word
  }

  /// Gives a member the benefit of the doubt about a record that may be on disk or not.
  ///
  /// A write of unknown outcome may have left a transaction that no event told.
  private mutating func end(_ outcome: Outcome) {
    isInPlan = false
    if outcome == .ok, isStruck, !hasRecovered, let commanded { trust(commanded) }
    guard case .unknown = outcome else { return }
    switch word {
    case "write", "batch", "commit":
      mayHoldUntold = mayHoldUntold || !(hasCommitted || hasRecovered)
    case "record", "pass":
      guard let actor else { return }
      settle(actor, through: standings.count - 1)
    default: break
    }
  }

  /// A command that ended well did what it told, whatever struck it.
  private mutating func trust(_ member: Int) {
    let bit = everyone[member].bit
    mayHaveMoved.subtract(bit)
    mayBeGone.subtract(bit)
    if !isDown.contains(bit) { mayLinger.subtract(bit) }
  }

  private mutating func append(_ transaction: CommittedTransaction, at: Int) {
    hasCommitted = true
    let required = owing(transaction)
    positions[transaction.name] = transactions.count
    transactions.append(TimelineTransaction(told: transaction, writer: actor, at: at))
    standings.append(Standing(required: required))
  }

  /// The members that must merge a transaction which commits now: all but its own view, where that is
  /// an actor's only context, and those who ignore its author.
  func owing(_ transaction: CommittedTransaction) -> MemberSet {
    var required = members
    if let actor, transaction.context == "view", !several.contains(everyone[actor].bit) {
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
    if !members.contains(bit) || cutOff.contains(bit) || mayBeGone.contains(bit) {
      for position in standings.indices { standings[position].forget(bit) }
      everyone[member].registeredFrom = standings.count
      everyone[member].settled = standings.count
    }
    members.formUnion(bit)
    everyone[member].joinedAt = standings.count
    lost.subtract(bit)
    cutOff.subtract(bit)
    start(member)
  }

  private mutating func launch(_ member: Int) {
    let bit = everyone[member].bit
    guard members.contains(bit) else { return register(member) }
    if isDown.contains(bit) { takeUp(member, at: named.first ?? -1) }
    start(member)
  }

  /// The first launch since a power-off tells what was kept of a member's records: it must merge
  /// again what comes after its cursor.
  private mutating func takeUp(_ member: Int, at cursor: Int) {
    let bit = everyone[member].bit
    let from = everyone[member].registeredFrom
    for position in standings.indices.dropFirst(from) {
      if position > cursor {
        standings[position].merged.subtract(bit)
        standings[position].recorded.subtract(bit)
      } else if mayHaveMoved.contains(bit) {
        standings[position].merge(bit)
        standings[position].recorded.formUnion(bit)
      }
    }
    everyone[member].settled = min(everyone[member].settled, cursor + 1)
  }

  private mutating func start(_ member: Int) {
    let bit = everyone[member].bit
    running.formUnion(bit)
    isDown.subtract(bit)
    mayBeGone.subtract(bit)
    mayHaveMoved.subtract(bit)
    mayLinger.subtract(bit)
    let cursor = named.first.flatMap { $0 < 0 ? nil : $0 }
    everyone[member].cursor = cursor
    everyone[member].mergedThrough = cursor ?? -1
  }

  private mutating func crash(_ member: Int) {
    let bit = everyone[member].bit
    running.subtract(bit)
    for position in everyone[member].settled..<standings.count
    where !standings[position].recorded.contains(bit) {
      standings[position].merged.subtract(bit)
    }
  }

  private mutating func retire(_ bit: MemberSet) {
    members.subtract(bit)
    running.subtract(bit)
    lost.subtract(bit)
    cutOff.subtract(bit)
    mayBeGone.subtract(bit)
    mayHaveMoved.subtract(bit)
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
    mayHaveMoved.subtract(everyone[member].bit)
    settle(member, through: cursor)
  }

  /// Counts what a member has merged at or below a position as recorded.
  private mutating func settle(_ member: Int, through last: Int) {
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
    let bit = everyone[member].bit
    if !members.contains(bit) { register(member) }
    consumers.formUnion(bit)
    running.formUnion(bit)
    everyone[member].consumedFrom = standings.count
    merge(member)
    guard let last = named.last, last >= 0 else { return }
    everyone[member].cursor = max(everyone[member].cursor ?? -1, last)
    settle(member, through: last)
  }

  private mutating func resync(_ member: Int) {
    let bit = everyone[member].bit
    lost.subtract(bit)
    cutOff.subtract(bit)
    guard let cursor = named.first, cursor >= 0 else { return }
    let from = everyone[member].registeredFrom
    for position in from..<max(from, cursor + 1) { standings[position].merge(bit) }
    everyone[member].cursor = cursor
    everyone[member].mergedThrough = cursor
    settle(member, through: cursor)
  }

  /// Takes everyone down, and back what came after the last transaction that survived.
  ///
  /// Records and purges may be gone too: no cursor is known until its member is launched.
  private mutating func recover() {
    hasRecovered = true
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
  /// Commits survive in their order: who joined or left before a transaction that survived has done so,
  /// and with FULL everyone has.
  private mutating func doubtMemberships(after last: Int) {
    isDown = members
    let isFull = plan.header.synchronous == .full
    for member in everyone {
      if members.contains(member.bit) {
        if !isFull, last < member.joinedAt { mayBeGone.formUnion(member.bit) }
      } else if let left = member.leftAt, !isFull, last < left {
        mayLinger.formUnion(member.bit)
      }
    }
  }

  /// Notes that whoever was under way when a fault struck may have done more than was told.
  private mutating func doubtCommanded() {
    isStruck = true
    guard let commanded else { return }
    let bit = everyone[commanded].bit
    if word == "retire" { mayBeGone.formUnion(bit) }
    if members.contains(bit) { mayHaveMoved.formUnion(bit) } else { mayLinger.formUnion(bit) }
  }

  /// What the store tells after a power-off decides which purges it has taken back.
  private mutating func settlePurges(by held: [CommittedTransaction]) {
    let names = Set(held.map(\.name))
    for position in standings.indices where standings[position].mayBePurged {
      standings[position].mayBePurged = false
      standings[position].isPurged = !names.contains(transactions[position].told.name)
    }
  }
}

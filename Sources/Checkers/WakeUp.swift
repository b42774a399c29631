internal import HistoryTypes
package import Traces

/// In plans driven by signals, a commit leads to a pass of every running actor in time.
///
/// Verifies: an actor fetches within ``SignalTicks/bound`` ticks in two cases: after the commit of a
/// transaction that the actor must merge, if the actor runs and is not suspended; and after the actor
/// starts or resumes with an unmerged transaction. A tick is one command of any actor. If the plan
/// delayed or lost one of the actor's signals or polls in the meantime, the limit is
/// ``SignalTicks/boundAtWorst``. This longer limit also holds after a write with plain SQL, if a disk
/// error delays the moment at which the store adds the write to history. Such a write is signalled
/// when the next process reads. A failed pass counts as a pass. The check ends with the plan, because
/// no fault occurs in the passes that follow it.
///
/// Does not verify: that the pass merged any transaction (see the invariant NoLostTransaction); the
/// order of signals; plans in which commands, not signals, start the passes; actors that end before
/// the limit is reached; consumers.
package struct WakeUp: Invariant {
  package static let name = "WakeUp"
  package static let sentence =
    "A commit that is signalled leads to a pass of every running actor in time."
  package private(set) var violation: Violation?

  /// A pass that an actor must make before the time limit.
  private struct Duty: Sendable {
    /// The position of the first transaction that requires the pass.
    let position: Int
    let since: Int
    var isDisturbed = false

    var end: Int {
      since + (isDisturbed ? SignalTicks.boundAtWorst : SignalTicks.bound)
    }
  }

  private let isDriven: Bool
  private let header: PlanHeader
  /// For each member, by position in the timeline, the pass that it must make.
  private var duties: [Duty?] = []
  /// The actors whose process is suspended, by position in the timeline.
  private var suspended: Set<Int> = []
  private var hasWoken = false
  private var isOver = false

  package init(_ header: TraceHeader) {
    self.header = header.plan.header
    isDriven = header.plan.header.drive == .signals
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard isDriven, violation == nil, !isOver else { return }
    check(event, on: timeline)
    if case .committed(let transaction) = event.kind {
      return commit(transaction, event, on: timeline)
    }
    guard let actor = timeline.actor else { return }
    follow(event, actor, on: timeline)
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    guard isDriven else {
      return .unknown("In this plan, commands start the passes; signals do not.")
    }
    return hasWoken ? .valid : .unknown("No running actor had a transaction to merge.")
  }

  /// Adds the passes that actors must still make to `state`, each with its age in ticks.
  ///
  /// The age is the time from the event that required the pass to `tick`, the simulator's current
  /// time (``Event/tick``).
  func describe(_ state: inout StateSketch, on timeline: Timeline, tick: Int) {
    guard isDriven else { return }
    for (member, duty) in duties.enumerated() {
      guard let duty else { continue }
      state.enter(timeline.everyone[member].id)
      timeline.describe(duty.position, &state)
      state.add(tick - duty.since)
      state.add(duty.isDisturbed)
    }
    state.enter(nil)
  }

  private mutating func follow(_ event: Event, _ actor: Int, on timeline: Timeline) {
    switch event.kind {
    case .called(nil, "fetch"): isOver = true
    case .called(let command?, "deliver"), .called(let command?, "poll"):
      guard Self.isDisturbing(timeline.plan.commands[command].action) else { return }
      self[duty: actor]?.isDisturbed = true
    case .launched: launch(event, actor, on: timeline)
    case .suspended: suspend(actor)
    case .resumed:
      suspended.remove(actor)
      launch(event, actor, on: timeline)
    // A resync reads the data at the newest position, so the actor need not make a pass.
    case .stopped, .crashed, .retired, .resynced:
      suspended.remove(actor)
      self[duty: actor] = nil
    case .fetched: meet(actor)
    case .merged where timeline.command.word != "merge": meet(actor)
    case .ended(_, .failed) where timeline.command.mayPass: meet(actor)
    case .ended(let command?, .unknown) where isPlainSQL(timeline.plan.commands[command].action):
      for member in duties.indices where duties[member]?.since == event.tick {
        duties[member]?.isDisturbed = true
      }
    default: break
    }
  }

  /// Whether an action is a write with plain SQL, which itself sends no signal.
  private func isPlainSQL(_ action: Action) -> Bool {
    if case .write(let write) = action { write.isPlainSQL(header) } else { false }
  }

  /// Cancels the pending pass of an actor, because its process is suspended.
  private mutating func suspend(_ actor: Int) {
    suspended.insert(actor)
    self[duty: actor] = nil
  }

  private static func isDisturbing(_ action: Action) -> Bool {
    switch action {
    case .deliver(_, let fate), .poll(_, let fate): fate == .late || fate == .lost
    default: false
    }
  }

  /// Requires a pass of each running actor that must merge the committed transaction.
  private mutating func commit(
    _ transaction: CommittedTransaction,
    _ event: Event,
    on timeline: Timeline
  ) {
    let woken = timeline.members { $0.isRunning && !$0.isConsumer }
    let owing = timeline.owing(transaction).intersection(woken)
    var rest = owing
    while let member = rest.first {
      rest.subtract(timeline.everyone[member].bit)
      guard self[duty: member] == nil, !suspended.contains(member) else { continue }
      self[duty: member] = Duty(position: timeline.log.count, since: event.tick)
    }
  }

  /// Requires a pass of an actor that starts or resumes with unmerged transactions.
  private mutating func launch(_ event: Event, _ actor: Int, on timeline: Timeline) {
    let (bit, status) = (timeline.everyone[actor].bit, timeline.everyone[actor].status)
    guard status.isMember && !status.isConsumer else { return }
    let first = timeline.log.statuses.indices.first { position in
      let status = timeline.log.statuses[position]
      return status.unmerged.contains(bit) && !status.isPurged
    }
    guard let first else { return }
    self[duty: actor] = Duty(position: first, since: event.tick)
  }

  private mutating func meet(_ actor: Int) {
    guard self[duty: actor] != nil else { return }
    hasWoken = true
    self[duty: actor] = nil
  }

  private mutating func check(_ event: Event, on timeline: Timeline) {
    for (member, duty) in duties.enumerated() {
      guard let duty, event.tick > duty.end else { continue }
      let id = timeline.everyone[member].id
      violation = Self.violation(
        at: event,
        because: "\(timeline.writer(of: duty.position)) wrote \(timeline.label(duty.position)); "
          + "\(id) ran and made no pass in the \((duty.end - duty.since).counted("tick")) after it",
        transaction: timeline.log.transactions[duty.position].commit.name
      )
      return
    }
  }

  /// The pass that a member must make; `nil` if none is pending.
  private subscript(duty member: Int) -> Duty? {
    get { duties.indices.contains(member) ? duties[member] : nil }
    set {
      while duties.count <= member { duties.append(nil) }
      duties[member] = newValue
    }
  }
}

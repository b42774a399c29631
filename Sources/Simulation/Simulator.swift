import HistoryTypes
package import Systems
package import Traces

/// A scheduler that runs plans on one system, in one process and in the plan's order.
///
/// The plan's commands determine how the actors' steps interleave. The same plan always gives the
/// same events.
package final class Simulator {
  let system: any SystemUnderTest
  let place: StorePlace
  /// The system's capabilities, read once per plan because some systems compute them.
  private(set) var capabilities: Set<Capability> = []

  var life: ActorLife
  var post: PendingSignals?
  var log = EventLog()
  var handed = 0
  var isStopped = false
  var consumers: [ActorID] = []
  /// Whether the consumers must be launched again, because a power-off has ended all processes.
  var isDown = false
  /// Whether the store could not be opened after a power-off: no later command can run.
  var isBeyondRepair = false

  /// Whether later commands may contain power-offs, if the plan is created one command at a time.
  var mayLosePower = false

  /// The number of actions performed in all plans so far, including those after the last command.
  package private(set) var stepCount = 0

  /// Creates a simulator that runs plans on a system, with stores at the given place.
  package init(_ system: any SystemUnderTest, at place: StorePlace) {
    self.system = system
    self.place = place
    life = ActorLife(PlanHeader(model: Model(unchecked: []), actors: []), [])
  }

  /// Runs a plan and the closing passes and reads, and calls an observer with every event.
  ///
  /// The observer returns whether to continue; an observer that needs only the first violation can
  /// then return `false`. `afterStep` is called after each command, unless the run has stopped or
  /// the store can no longer be opened. It may call ``describe(_:)``.
  ///
  /// - Returns: every event.
  /// - Throws: ``SystemFailure`` when the system cannot start, which is a failure of the lab.
  package func run(
    _ plan: Plan,
    observe: (Event) -> Bool = { _ in true },
    afterStep: () -> Void = {}
  ) throws(SystemFailure) -> [Event] {
    try open(plan.header, plan.commands.flatMap(\.faults), observe)
    for (index, command) in plan.commands.enumerated() where !isStopped {
      step(command, index, in: plan.header, observe)
      if !isStopped, !isBeyondRepair { afterStep() }
    }
    conclude(plan.header, after: plan.commands.count, observe)
    return log.events
  }

  /// Reads the contexts of all running actors, and the data of the store.
  ///
  /// The reads are not part of the run: the clock does not advance, and the observer does not
  /// receive their events. This function may be called from within an observer.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot answer.
  package func look(_ header: PlanHeader) throws(SystemFailure) -> [Event] {
    var answers = EventLog()
    for actor in life.running {
      for context in header.actor(actor)?.contextNames ?? [] {
        try system.perform(.view(actor, context: context), &answers)
      }
    }
    try system.perform(.data, &answers)
    return answers.events
  }

  /// Starts a plan on an empty store, and launches the consumers and the actors that run from the
  /// start.
  ///
  /// If the plan has objects from before its first command, their writer is launched first and
  /// inserts them. The other members are launched afterwards, so that they need not merge these
  /// objects.
  func open(
    _ header: PlanHeader,
    _ faults: [PlannedFault] = [],
    _ observe: (Event) -> Bool
  ) throws(SystemFailure) {
    try start(header, faults)
    consumers = capabilities.contains(.consume) ? header.consumers : []
    var first = consumers + header.actors.filter(\.launched).map(\.id)
    if let write = header.openingWrite {
      perform(.launch(write.actor), command: nil, observe)
      advanceClock(for: .write(write), header)
      if !isStopped { perform(.write(write), command: nil, observe) }
      first.removeAll { $0 == write.actor }
    }
    for member in first where !isStopped { perform(.launch(member), command: nil, observe) }
  }

  /// Performs one command of a plan, and then delivers the signals and makes the polls that are due.
  func step(
    _ command: Command,
    _ index: Int,
    in header: PlanHeader,
    _ observe: (Event) -> Bool
  ) {
    perform(command, at: index, in: header, observe)
    deliverDue(observe)
  }

  /// Closes the store of the last plan.
  package func close() { system.close() }

  private func start(_ header: PlanHeader, _ faults: [PlannedFault]) throws(SystemFailure) {
    capabilities = system.capabilities
    life = ActorLife(header, capabilities)
    post = header.drive == .signals ? PendingSignals() : nil
    log = EventLog()
    handed = 0
    isStopped = false
    isDown = false
    isBeyondRepair = false
    try place.reset(system, header, faults, mayLosePower: mayLosePower)
  }

  // MARK: Commands

  private func perform(
    _ command: Command,
    at position: Int,
    in header: PlanHeader,
    _ observe: (Event) -> Bool
  ) {
    let action = command.action
    if let objection = objection(to: command) {
      log.tick += 1
      log.add(action.actor, .skipped(command: position, because: objection))
      hand(observe)
    } else {
      advanceClock(for: action, header)
      perform(action, command: position, faults: command.faults, observe)
    }
  }

  /// Returns why an action is not possible in the current state; `nil` if it is possible.
  func objection(to action: Action) -> String? {
    life.objection(to: action) ?? post?.objection(to: action)
  }

  /// Advances the clock for a `clock` command, before each batch, and before each write with `ticks`.
  private func advanceClock(for action: Action, _ header: PlanHeader) {
    switch action {
    case .write(let write), .begin(let write): if write.ticks { place.clock.now += header.step }
    case .batch: place.clock.now += header.step
    case .clock(let advance): place.clock.now += advance
    default: break
    }
  }

  func perform(
    _ action: Action,
    command: Int?,
    faults: [PlannedFault] = [],
    _ observe: (Event) -> Bool
  ) {
    stepCount += 1
    log.tick += 1
    log.add(action.actor, .called(command: command, word: action.word))
    if !faults.isEmpty { place.arm(faults) }
    var outcome = Outcome.ok
    do throws(SystemFailure) {
      for _ in 0..<(post?.apply(action, at: log.tick) ?? 1) { try system.perform(action, &log) }
      life.note(action)
      if case .clock = action { log.add(nil, .clock(now: place.clock.now)) }
    } catch {
      life.noteFailure(of: action)
      outcome = .failed(error)
    }
    if !faults.isEmpty { fire(faults, action, &outcome) }
    if let actor = action.actor { system.reportLists(of: actor, &log) }
    log.add(action.actor, .ended(command: command, outcome))
    hand(observe)
    if isDown { startConsumers(observe) }
  }

  /// Passes the new events to the observer, unless it has returned `false`.
  private func hand(_ observe: (Event) -> Bool) {
    while handed < log.events.count, !isStopped {
      let event = log.events[handed]
      post?.note(event)
      isStopped = !observe(event)
      handed += 1
    }
  }

  // MARK: Signals

  /// Delivers the signals and makes the polls that are due at the next tick.
  private func deliverDue(_ observe: (Event) -> Bool) {
    guard let post else { return }
    for action in post.due(at: log.tick + 1, polls: capabilities.contains(.poll))
    where !isStopped {
      // A delivery earlier in this loop may have ended the actor.
      if life.objection(to: action) == nil { perform(action, command: nil, observe) }
    }
  }

  /// After a plan's last command, advances time far enough for all pending signals and polls to arrive.
  func reconcile(_ observe: (Event) -> Bool) {
    let end = log.tick + SignalTicks.boundAtWorst
    while !isStopped, log.tick < end {
      let before = log.tick
      deliverDue(observe)
      if log.tick == before { log.tick += 1 }
    }
  }
}

extension Simulator {
  /// The state of a run between two commands; includes the system if it supports snapshots.
  struct Snapshot {
    fileprivate let life: ActorLife
    fileprivate let post: PendingSignals?
    fileprivate let log: EventLog
    fileprivate let now: Double
    /// The system's snapshot; if `nil`, all commands are performed again to return to this state.
    fileprivate let system: SystemSnapshot?
  }

  /// Returns the state of the run, with the system's snapshot if requested and supported.
  ///
  /// - Throws: ``SystemFailure`` when the system supports snapshots but cannot take this one.
  func snapshot(withSystem isWanted: Bool) throws(SystemFailure) -> Snapshot {
    Snapshot(
      life: life,
      post: post,
      log: EventLog(after: log),
      now: place.clock.now,
      system: isWanted ? try snapshot() : nil
    )
  }

  private func snapshot() throws(SystemFailure) -> SystemSnapshot? {
    do throws(SystemFailure) { return try system.snapshot() } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }

  /// Returns the run to the state in a snapshot.
  ///
  /// If the snapshot does not include the system, a new run is started and performs `commands`,
  /// which must lead to the same state.
  func goBack(
    to snapshot: Snapshot,
    _ header: PlanHeader,
    performing commands: @autoclosure () -> [Command]
  ) throws(SystemFailure) {
    guard let state = snapshot.system else {
      try open(header) { _ in true }
      for (index, command) in commands().enumerated() {
        step(command, index, in: header) { _ in true }
      }
      return stay()
    }
    (isStopped, isDown, isBeyondRepair) = (false, false, false)
    try system.restore(state)
    place.clock.now = snapshot.now
    life = snapshot.life
    post = snapshot.post
    log.restart(after: snapshot.log)
    handed = 0
  }

  /// Empties the log as ``goBack(to:_:performing:)`` does, and stays in the current state.
  func stay() {
    log.restart(after: log)
    handed = 0
  }

  /// Adds to `state` all data on which later events depend.
  package func describe(_ state: inout StateSketch) throws(SystemFailure) {
    state.restart(at: place.clock.now)
    try system.describe(&state)
    life.describe(&state)
    post?.describe(&state, tick: log.tick)
  }

  /// The current tick of the scheduler.
  var tick: Int { log.tick }
}

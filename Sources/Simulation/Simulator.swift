import PersistentHistory
package import Systems
package import Traces

/// Runs plans on one system, in one process and in the order that the plan says.
///
/// Any step of one actor may come between any two steps of another. The same plan gives the same
/// events.
package final class Simulator {
  let system: any SystemUnderTest
  let place: StorePlace
  /// What the system can do; asked once a plan, for some put the answer together.
  private(set) var capabilities: Set<Capability> = []

  var life: ActorLife
  var post: SignalPost?
  var log = EventLog()
  var handed = 0
  var isStopped = false
  var consumers: [ActorID] = []
  /// Whether everyone is down after a power-off, and consumers have not started again.
  var isDown = false
  /// Whether the store could not be opened after a power-off: nothing more can be asked of it.
  var isBeyondRepair = false

  /// Whether the power may go in plans that unfold, of which the later faults are not known.
  var mayLosePower = false

  /// How many commands were performed, closing phases included.
  package private(set) var stepCount = 0

  /// Creates a simulator of a system whose stores lie at a place.
  package init(_ system: any SystemUnderTest, at place: StorePlace) {
    self.system = system
    self.place = place
    life = ActorLife(PlanHeader(model: Model(unchecked: []), actors: []), [])
  }

  /// Runs a plan with its closing phase, and hands every event to an observer.
  ///
  /// The observer answers whether to go on; a run that is only asked whether it breaks an invariant
  /// stops there.
  ///
  /// - Returns: every event.
  /// - Throws: ``SystemFailure`` when the system cannot even start: the lab's own trouble.
  package func run(
    _ plan: Plan,
    observe: (Event) -> Bool = { _ in true }
  ) throws(SystemFailure) -> [Event] {
    try open(plan.header, plan.commands.flatMap(\.faults), observe)
    for (index, command) in plan.commands.enumerated() where !isStopped {
      step(command, index, in: plan.header, observe)
    }
    conclude(plan.header, after: plan.commands.count, observe)
    return log.events
  }

  /// Asks everyone who runs what its contexts hold, and the store what its data hold.
  ///
  /// It is no part of the run: the clock stands still, and no event of it is handed to the observer,
  /// within which it may be called.
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

  /// Starts a plan: an empty store, and everyone launched who is before the first command.
  func open(
    _ header: PlanHeader,
    _ faults: [PlannedFault] = [],
    _ observe: (Event) -> Bool
  ) throws(SystemFailure) {
    try start(header, faults)
    consumers = capabilities.contains(.consume) ? header.consumers : []
    let first = consumers + header.actors.filter(\.launched).map(\.id)
    for member in first where !isStopped { perform(.launch(member), command: nil, observe) }
  }

  /// Performs one command of a plan, and what is due after it.
  func step(
    _ command: Command,
    _ index: Int,
    in header: PlanHeader,
    _ observe: (Event) -> Bool
  ) {
    perform(command, at: index, in: header, observe)
    deliverDue(observe)
  }

  /// Lets go of the store of the last plan.
  package func close() { system.close() }

  private func start(_ header: PlanHeader, _ faults: [PlannedFault]) throws(SystemFailure) {
    capabilities = system.capabilities
    life = ActorLife(header, capabilities)
    post = header.drive == .signals ? SignalPost() : nil
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

  /// Why something cannot be done now, or nothing when it can.
  func objection(to action: Action) -> String? {
    life.objection(to: action) ?? post?.objection(to: action)
  }

  /// The clock moves before each write or begin, and when a plan moves it.
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
    if !faults.isEmpty { strike(faults, action, &outcome) }
    log.add(action.actor, .ended(command: command, outcome))
    hand(observe)
    if isDown { startConsumers(observe) }
  }

  /// Hands the new events to the observer, until it has seen enough.
  private func hand(_ observe: (Event) -> Bool) {
    while handed < log.events.count, !isStopped {
      let event = log.events[handed]
      post?.note(event)
      isStopped = !observe(event)
      handed += 1
    }
  }

  // MARK: Signals

  /// Lets what is due at the next tick arrive.
  private func deliverDue(_ observe: (Event) -> Bool) {
    guard let post else { return }
    for action in post.due(at: log.tick + 1, polls: capabilities.contains(.poll))
    where !isStopped {
      // Who was woken a moment ago may have been cut off, or have ended, by what came before it.
      if life.objection(to: action) == nil { perform(action, command: nil, observe) }
    }
  }

  /// Lets time go by after the plan's last command until everything has arrived that still can.
  func settle(_ observe: (Event) -> Bool) {
    let end = log.tick + SignalTicks.boundAtWorst
    while !isStopped, log.tick < end {
      let before = log.tick
      deliverDue(observe)
      if log.tick == before { log.tick += 1 }
    }
  }
}

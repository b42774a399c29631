import HistoryStore
import HistoryTypes
package import Traces

/// A system that runs a tracking design: its fetches, merges, purges and stored positions.
///
/// For a published design, the system follows the code that its author published. The store has Core
/// Data's table layout, and its timestamps are raw clock values. A plan's consumer represents another
/// reader of history, such as a CloudKit mirror, and has its own token.
package final class PublishedSystem: SystemUnderTest {
  let design: TrackingDesign
  let host = ProcessHost<PublishedProcess>(StorePools(layout: .coreData))
  var shared = SharedState()

  /// The positions and memberships, which remain when processes end.
  struct SharedState {
    var positions = StoredPositions()
    /// The actors that were launched and have not retired.
    ///
    /// The trace shows their next launch as a launch, and the launch of any other actor as a
    /// registration.
    var members: Set<ActorID> = []
  }

  package init(_ design: TrackingDesign) { self.design = design }

  package var capabilities: Set<Capability> { design.capabilities }

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    shared = SharedState()
    try host.reset(header, environment)
  }

  package func close() { host.close() }

  package func recover() {
    for process in host.running.values { process.hasRecovered = true }
  }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    defer { host.tellSignals(&log) }
    if try host.performsCommon(action, &log) { return }
    switch action {
    case .launch(let actor): try launch(actor, &log)
    case .stop(let actor): host.end(actor, .stopped, &log)
    case .crash(let actor): host.end(actor, .crashed, &log)
    case .retire(let actor): try retire(actor, &log)
    case .fetch(let actor): try fetch(try host.process(actor), &log)
    case .merge(let actor): try merge(try host.process(actor), &log)
    case .record(let actor): record(try host.process(actor), &log)
    case .pass(let actor): try pass(try host.process(actor), &log)
    case .purge(let actor): try cleanByCommand(try host.process(actor), &log)
    case .deliver(let actor, _), .poll(let actor, _):
      guard capabilities.contains(.poll) || action.word != "poll" else {
        throw unsupported(action.word)
      }
      log.add(actor, .woke)
      try pass(try host.process(actor), &log)
    default: throw unsupported(action.word)
    }
  }

  /// Returns the failure for a command that the design does not support.
  func unsupported(_ word: String) -> SystemFailure {
    SystemFailure(
      .unsupported,
      "The design \(design.name) does not support the command \"\(word)\"."
    )
  }

  // MARK: Launches and ends

  private func launch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let planStore = try host.planStore()
    let setup = try PublishedSetup(try planStore.planned(actor), planStore.header, design)
    let process = try host.start(actor, &log) { planned, store throws(HistoryError) in
      try PublishedProcess(planned, setup, on: store)
    }
    let isNew = shared.members.insert(actor).inserted
    let first = try startAtNewest(process)
    log.add(actor, isNew ? .registered(cursor: first) : .launched(cursor: nil))
    guard design.wakes != .onSignal, planStore.header.drive == .signals else { return }
    log.add(actor, .woke)
    try pass(process, &log)
  }

  /// Stores the newest position as a process's first one, if the design chooses this start.
  ///
  /// The choice is ``FirstPosition/newest``. A position that is already stored remains.
  ///
  /// - Returns: the transaction at the stored position; `nil` if none was stored or history is empty.
  private func startAtNewest(
    _ process: PublishedProcess
  ) throws(SystemFailure) -> TransactionName? {
    let setup = process.setup
    guard design.startsAt == .newest,
      shared.positions.position(of: setup.key, in: setup.owner) == nil
    else { return nil }
    let newest = try mappingErrors { () throws(HistoryError) in try process.newestPosition() }
    shared.positions.set(newest, of: setup.key, in: setup.owner)
    return newest.token.transactionName
  }

  /// Ends an actor's membership; removes its position unless positions belong to authors.
  private func retire(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let setup = try host.process(actor).setup
    shared.members.remove(actor)
    if setup.key.process != nil { shared.positions.remove(setup.key, in: setup.owner) }
    host.end(actor, .retired, &log)
  }

  // MARK: Snapshots

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    let saved = try host.snapshot()
    return SystemSnapshot(of: self) { [self, shared] () throws(SystemFailure) in
      try host.restore(saved)
      self.shared = shared
    }
  }

  package func describe(_ state: inout StateSketch) throws(SystemFailure) {
    try host.describe(&state)
    shared.positions.describe(&state, design)
    for member in shared.members.sorted() {
      state.enter(member)
      state.add(true)
    }
    state.enter(nil)
  }
}

extension PublishedSystem {
  /// Fetches the transactions that the design reads after the stored position, or from the beginning.
  func fetch(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    let setup = manager.setup
    let position = shared.positions.position(of: setup.key, in: setup.owner)
    let hasAll = try mappingErrors { () throws(HistoryError) in
      try manager.fetch(after: position, design)
    }
    guard hasAll else { return try reload(manager, &log) }
    log.add(manager.id, .fetched(Self.names(manager.fetched)))
  }

  /// Logs that history is gone, loads the contexts again, and stores the newest position.
  private func reload(
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    log.add(manager.id, .expired)
    let newest = try mappingErrors { () throws(HistoryError) in try manager.reload() }
    shared.positions.set(newest, of: manager.setup.key, in: manager.setup.owner)
    log.add(manager.id, .resynced(cursor: newest.token.transactionName))
  }

  /// Merges the fetched transactions, unless a hook throws or replaces the default merge.
  func merge(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    if design.hooks == .beforeMerge, !manager.fetched.isEmpty {
      observe(manager.fetched, manager, &log)
      if try finishes(manager) {
        log.add(manager.id, .finished(Self.names(manager.fetched)))
        return manager.skipMerge()
      }
    }
    let merged = try mappingErrors { () throws(HistoryError) in try manager.mergeAll() }
    for pass in merged { log.add(manager.id, .merged(Self.names(pass))) }
  }

  /// Logs the transactions that observers receive: those with at least one change.
  private func observe(
    _ transactions: [HistoryTransaction],
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) {
    guard manager.setup.hooks.contains(where: \.observes) else { return }
    let reported = transactions.filter { !$0.changes.isEmpty }
    if !reported.isEmpty { log.add(manager.id, .observed(Self.names(reported))) }
  }

  /// Calls the merge hooks in order, and returns whether one of them has replaced the default merge.
  ///
  /// - Throws: the error of a hook; the pass is then abandoned, and no position is stored.
  private func finishes(_ manager: PublishedProcess) throws(SystemFailure) -> Bool {
    for (index, hook) in manager.setup.hooks.enumerated() where hook.merges {
      guard manager.fails(hook: index) else { continue }
      if hook == .finish { return true }
      manager.abandonPass()
      throw SystemFailure(.failed, PlannedError().description)
    }
    return false
  }

  /// Stores the position of the pass's last transaction; then calls the deduplicator, if there is one.
  func record(_ manager: PublishedProcess, _ log: inout EventLog) {
    if design.records == .beforeMerge { manager.dispatchMerge() }
    let done = manager.takeUnrecorded()
    guard let last = done.last else { return }
    let setup = manager.setup
    let position = StoredPosition(token: last.token, date: last.timestamp)
    shared.positions.set(position, of: setup.key, in: setup.owner)
    log.add(manager.id, .recorded(cursor: last.number.description))
    if design.hooks == .afterRecord { observe(done, manager, &log) }
  }

  /// Makes a whole pass.
  ///
  /// A pass that fetches nothing does not purge, and strategies that purge once in several passes do
  /// not count it. It stores a position only if it loads the contexts again because history is gone.
  func pass(_ manager: PublishedProcess, _ log: inout EventLog) throws(SystemFailure) {
    try fetch(manager, &log)
    guard !manager.fetched.isEmpty else { return }
    if design.records == .beforeMerge {
      record(manager, &log)
      try merge(manager, &log)
    } else {
      try merge(manager, &log)
      record(manager, &log)
    }
    try cleanAfterPass(manager, &log)
  }

  private static func names(_ transactions: [HistoryTransaction]) -> [TransactionName] {
    transactions.map { $0.number.description }
  }

  // MARK: Cleaner

  /// Purges after a pass if the strategy allows a purge.
  ///
  /// The strategy counts an allowed purge as made, even if the purge may delete nothing at this time.
  private func cleanAfterPass(
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let now = try host.planStore().environment.clock.date
    let strategy = manager.setup.strategy
    guard manager.counter.allows(strategy, design.purgeTurn, now: now) else { return }
    try clean(manager.setup.cleaningAfterPass, manager, &log)
  }

  /// Purges by command; throws if the design has no such purges.
  func cleanByCommand(
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    guard let cleaning = manager.setup.cleaningByCommand else { throw unsupported("purge") }
    try clean(cleaning, manager, &log)
  }

  private func clean(
    _ cleaning: PublishedSetup.Cleaning,
    _ manager: PublishedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let planStore = try host.planStore()
    let positions = try positions(cleaning, manager, planStore)
    let now = planStore.environment.clock.date
    guard let before = cleaning.point(positions, design.position, now: now) else { return }
    try mappingErrors { () throws(HistoryError) in
      try planStore.purging(manager.id, &log) { _ throws(HistoryError) in
        try manager.delete(before: before, cleaning, design.deletes, planStore.header)
      }
    }
    if design.afterPurge == .forgetsPositions {
      forgetPositions(in: manager.setup.owner, planStore.header, &log)
    }
  }

  /// Returns the positions of the authors, processes or consumers that a purge waits for.
  private func positions(
    _ cleaning: PublishedSetup.Cleaning,
    _ manager: PublishedProcess,
    _ planStore: PlanStore
  ) throws(SystemFailure) -> [StoredPosition?] {
    let owner = manager.setup.owner
    switch design.waitsFor {
    case .listed, .listedReaders:
      return cleaning.waitsFor.map {
        shared.positions.position(ofAuthor: $0, in: owner, design.position)
      }
    case .registered: return registered(in: owner, planStore.header)
    case .registeredAndConsumers:
      let consumers = try mappingErrors { () throws(HistoryError) in
        try manager.positions(of: planStore.header.consumers)
      }
      return registered(in: owner, planStore.header) + consumers
    }
  }

  /// Returns the positions of all registered processes that store their positions in one place.
  ///
  /// The place is that of the actor `owner`, or the shared place if `owner` is `nil`. A process
  /// without a position has a `nil` element.
  private func registered(in owner: ActorID?, _ header: PlanHeader) -> [StoredPosition?] {
    header.actors.filter { actor in
      shared.members.contains(actor.id) && PublishedSetup.owner(of: actor, design) == owner
    }.map { actor in
      shared.positions.position(of: PublishedSetup.key(of: actor, design), in: owner)
    }
  }

  private func forgetPositions(in owner: ActorID?, _ header: PlanHeader, _ log: inout EventLog) {
    shared.positions.removeAll(in: owner)
    for member in header.actors where shared.members.contains(member.id) {
      let isShared = PublishedSetup.owner(of: member, design) == nil
      guard owner.map({ $0 == member.id }) ?? isShared else { continue }
      log.add(member.id, .recorded(cursor: nil))
    }
  }
}

extension PublishedProcess {
  /// The identifier of the actor that runs in this process.
  var id: ActorID { process.actor.id }
}

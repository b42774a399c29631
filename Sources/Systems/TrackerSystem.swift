package import HistoryStore
import HistoryTracking
import PersistentHistory
package import Traces

/// Our tracker and store: the real code, in its default configuration or with a seeded bug.
package final class TrackerSystem: SystemUnderTest {
  let host: ProcessHost<TrackedProcess>
  private var consumers: [ActorID: ConsumerProcess] = [:]

  /// Creates the system with the rules that a mutant may have changed.
  package init(rules: HistoryRules = .standard) {
    host = ProcessHost(StorePools(rules: rules))
  }

  package let capabilities = TrackerSystem.abilities

  /// What our tracker can be asked to do.
  package static let abilities = Set(Capability.allCases)

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    consumers.removeAll()
    try host.reset(header, environment)
  }

  package func close() {
    consumers.removeAll()
    host.close()
  }

  package func heal() {
    for process in host.running.values { process.engine.heal() }
  }

  package func settle(after action: Action, _ log: inout EventLog) throws(SystemFailure) {
    try host.bench().settle(after: action, &log)
  }

  package func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport {
    consumers.removeAll()
    return try host.restart(after: action, &log)
  }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    // What was committed is told, however the command ended.
    defer { host.tellSignals(&log) }
    if try host.performsCommon(action, &log) { return }
    switch action {
    case .launch(let id) where try host.bench().header.consumers.contains(id):
      try launchConsumer(id, &log)
    case .launch(let actor): try launch(actor, &log)
    case .stop(let actor): host.end(actor, .stopped, &log)
    case .crash(let actor): host.end(actor, .crashed, &log)
    case .retire(let actor): try retire(actor, &log)
    case .consume(let id): try consume(id, &log)
    case .resync(let id) where consumers[id] != nil: try resyncConsumer(id, &log)
    case .deliver(let actor, _), .poll(let actor, _): try look(actor, &log)
    default:
      if let actor = action.actor { try step(action, of: actor, &log) }
    }
  }

  // MARK: Life

  /// Starts an actor; one that a limit has cut off is told so, and reads everything anew.
  private func launch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    do throws(SystemFailure) {
      try start(actor, resyncingIfLost: false, &log)
    } catch  where error.code == .expired {
      log.add(actor, .expired)
      try start(actor, resyncingIfLost: true, &log)
    }
  }

  private func start(
    _ actor: ActorID,
    resyncingIfLost: Bool,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let bench = try host.bench()
    let setup = try TrackerSetup(try bench.planned(actor), bench.header)
    let follows = bench.header.drive == .signals
    let started = try host.start(actor) { planned, store throws(HistoryError) in
      try TrackedProcess(
        planned,
        setup,
        followsSignals: follows,
        on: store,
        resyncingIfLost: resyncingIfLost
      )
    }
    let registration = started.engine.registration
    let cursor = Self.name(registration.cursor)
    log.add(
      actor,
      registration.isNew ? .registered(cursor: cursor) : .launched(cursor: cursor)
    )
    guard follows else { return }
    // What was written while nobody listened is caught up with first. The process runs even if that
    // fails: a signal that is on its way then starts it again.
    do throws(SystemFailure) { try look(actor, &log) } catch { started.told = nil }
  }

  private func retire(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let engine = try host.process(actor).engine
    try telling { () throws(HistoryError) in try engine.retire() }
    host.end(actor, .retired, &log)
  }

  // MARK: Consumers

  private func launchConsumer(_ id: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let store = try host.bench().connect()
    let started = try telling { () throws(HistoryError) in try ConsumerProcess(id, on: store) }
    consumers[id] = started
    let cursor = Self.name(started.token)
    log.add(
      id,
      started.registration.isNew ? .registered(cursor: cursor) : .launched(cursor: cursor)
    )
  }

  private func consumer(_ id: ActorID) throws(SystemFailure) -> ConsumerProcess {
    guard let consumer = consumers[id] else {
      throw SystemFailure(.failed, "The consumer \(id) is not registered.")
    }
    return consumer
  }

  private func consume(_ id: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let consumer = try consumer(id)
    try tellingLoss(of: id, &log) { log throws(HistoryError) in
      log.add(id, .consumed(try consumer.consume().map { String($0) }))
    }
  }

  private func resyncConsumer(_ id: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let consumer = try consumer(id)
    try tellingLoss(of: id, &log) { log throws(HistoryError) in
      log.add(id, .resynced(cursor: Self.name(try consumer.resync())))
    }
  }

  // MARK: Snapshots

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    try host.snapshot(with: consumers.mapValues(\.memory))
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    let kept = try host.restore(snapshot, [ActorID: ConsumerProcess.Memory].self)
    consumers.removeAll()
    for (id, memory) in kept {
      let store = try host.bench().connect()
      consumers[id] = try telling { () throws(HistoryError) in
        try ConsumerProcess(memory, on: store)
      }
    }
  }

  package func digest() throws(SystemFailure) -> UInt64 {
    try host.digest { hash, bench throws(SystemFailure) in
      for (id, consumer) in consumers.sorted(by: { $0.key < $1.key }) {
        hash.add(id.name)
        hash.add(Int(consumer.token.number))
      }
      let store = try bench.store()
      for member in try telling({ () throws(HistoryError) in try store.members() }) {
        hash.add(member.id.name)
        hash.add(Int(member.state.rawValue))
        hash.add(Int(member.cursor))
      }
    }
  }
}

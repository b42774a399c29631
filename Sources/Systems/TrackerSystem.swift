package import HistoryStore
import HistoryTracking
import PersistentHistory
package import Traces

/// Our tracker and store: the real code, in its default configuration or with a seeded bug.
package final class TrackerSystem: SystemUnderTest {
  private let host: ProcessHost<TrackedProcess>
  private var consumers: [ActorID: ConsumerProcess] = [:]

  /// Creates the system with the rules that a mutant may have changed.
  package init(rules: HistoryRules = .standard) {
    host = ProcessHost(StorePools(rules: rules))
  }

  package let capabilities = TrackerSystem.abilities

  /// What our tracker can be asked to do.
  package static let abilities = Set(Capability.allCases).subtracting([.hooks, .twice, .retention])

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
    let started = try host.start(actor) { planned, store throws(HistoryError) in
      try TrackedProcess(planned, on: store, resyncingIfLost: resyncingIfLost)
    }
    let registration = started.session.registration
    let cursor = Self.name(registration.cursor)
    log.add(
      actor,
      registration.isNew ? .registered(cursor: cursor) : .launched(cursor: cursor)
    )
    // What was written while nobody listened is caught up with first.
    if try host.bench().header.drive == .signals { try look(actor, &log) }
  }

  private func retire(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let session = try host.process(actor).session
    try telling { () throws(HistoryError) in try session.retire() }
    host.end(actor, .retired, &log)
  }

  // MARK: Consumers

  private func launchConsumer(_ id: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let store = try host.bench().connect()
    let started = try telling { () throws(HistoryError) in try ConsumerProcess(id, on: store) }
    consumers[id] = started
    log.add(id, .registered(cursor: Self.name(started.token)))
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

  // MARK: Signals

  /// Looks at the head as the store's watch does, and passes if it is another one than was told.
  ///
  /// A pass that fails is to be repeated: another signal is on its way then.
  private func look(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let tracked = try host.process(actor)
    let head = try telling { () throws(HistoryError) in
      try tracked.process.store.currentToken()
    }
    guard head != tracked.told else { return }
    tracked.told = head
    log.add(actor, .woke)
    do throws(SystemFailure) { try pass(actor, tracked, &log) } catch {
      tracked.told = nil
      log.add(actor, .signalled)
      throw error
    }
  }

  // MARK: Steps

  private func step(
    _ action: Action,
    of actor: ActorID,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let (bench, tracked) = (try host.bench(), try host.process(actor))
    let session = tracked.session
    if case .pass = action { return try pass(actor, tracked, &log) }
    try tellingLoss(of: actor, &log) { log throws(HistoryError) in
      switch action {
      case .fetch: log.add(actor, .fetched(try session.fetch().map { String($0.number) }))
      case .merge: log.add(actor, .merged(try session.merge().map { String($0.number) }))
      case .record: log.add(actor, .recorded(cursor: Self.name(try session.record())))
      case .resync: log.add(actor, .resynced(cursor: Self.name(try session.resync())))
      default:
        try bench.purging(actor, &log) { _ throws(HistoryError) in _ = try session.purge() }
      }
    }
  }

  private func pass(
    _ actor: ActorID,
    _ tracked: TrackedProcess,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let bench = try host.bench()
    try tellingLoss(of: actor, &log) { log throws(HistoryError) in
      try bench.purging(actor, &log) { log throws(HistoryError) in
        var report = PassReport()
        // What was done before a step failed is done.
        defer { Self.tell(report, of: actor, &log) }
        try tracked.session.pass(purging: tracked.purgesAfterPass, &report)
      }
    }
  }

  /// Runs what may find out that history is gone, and tells it.
  private func tellingLoss(
    of actor: ActorID,
    _ log: inout EventLog,
    _ body: (inout EventLog) throws(HistoryError) -> Void
  ) throws(SystemFailure) {
    do throws(HistoryError) { try body(&log) } catch {
      let failure = SystemFailure(error)
      if failure.code == .expired { log.add(actor, .expired) }
      if failure.code == .rewound { log.add(actor, .rewound) }
      throw failure
    }
  }

  private static func tell(_ report: PassReport, of actor: ActorID, _ log: inout EventLog) {
    guard report.cursor != nil || !report.numbers.isEmpty else { return }
    log.add(actor, .merged(report.numbers.map { String($0) }))
    if let cursor = report.cursor { log.add(actor, .recorded(cursor: name(cursor))) }
  }

  /// The transaction that a position lies behind, or nothing at the beginning.
  private static func name(_ token: HistoryToken) -> TransactionName? {
    token.number == 0 ? nil : String(token.number)
  }

  // MARK: Snapshots

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    try host.snapshot(with: consumers.mapValues(\.memory))
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    let kept = try host.restore(snapshot, [ActorID: ConsumerProcess.Memory].self)
    consumers.removeAll()
    for (id, memory) in kept {
      consumers[id] = ConsumerProcess(memory, on: try host.bench().connect())
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

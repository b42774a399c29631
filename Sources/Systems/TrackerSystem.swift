package import HistoryStore
import HistoryTracking
import PersistentHistory
package import Traces

/// Our tracker and store: the real code, in its default configuration or with a seeded bug.
package final class TrackerSystem: SystemUnderTest {
  private var pools: StorePools
  private var opened: StoreBench?
  private var running: [ActorID: TrackedProcess] = [:]

  /// Creates the system with the rules that a mutant may have changed.
  package init(rules: HistoryRules = .standard) {
    pools = StorePools(rules: rules)
  }

  package let capabilities: Set<Capability> = [
    .steps, .begin, .clock, .crash, .purge, .resync, .history, .batch, .nullAuthor,
  ]

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    running.removeAll()
    opened = try StoreBench(header, environment, pools.pool(header, environment))
  }

  private func bench() throws(SystemFailure) -> StoreBench {
    guard let opened else { throw SystemFailure(.failed, "There is no store yet: reset first.") }
    return opened
  }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    let bench = try bench()
    switch action {
    case .write(let write):
      try process(write.actor).process.write(write, &bench.objects, &log)
    case .batch(let batch):
      try process(batch.actor).process.batch(batch, bench.objects, &log)
    case .begin(let write): try process(write.actor).process.staged = write
    case .commit(let actor): try process(actor).process.commitStaged(&bench.objects, &log)
    case .launch(let actor): try launch(actor, &log)
    case .stop(let actor): end(actor, .stopped, &log)
    case .crash(let actor): end(actor, .crashed, &log)
    case .retire(let actor): try retire(actor, &log)
    case .fetch(let actor), .merge(let actor), .record(let actor), .pass(let actor),
      .purge(let actor), .resync(let actor):
      try step(action, of: actor, &log)
    case .view(let actor, let context):
      log.add(
        actor,
        .viewed(context: context, try process(actor).process.viewObjects(bench.objects))
      )
    case .data: log.add(nil, .data(try bench.data()))
    case .history: log.add(nil, .history(try bench.history()))
    case .clock: break
    case .consume, .deliver, .poll:
      throw SystemFailure(.unsupported, "The tracker cannot \(action.word) yet.")
    }
  }

  private func process(_ actor: ActorID) throws(SystemFailure) -> TrackedProcess {
    guard let process = running[actor] else {
      throw SystemFailure(.failed, "\(actor) is not running.")
    }
    return process
  }

  // MARK: Life

  private func launch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let bench = try bench()
    let (planned, store) = (try bench.planned(actor), try bench.connect())
    let started = try telling { () throws(HistoryError) in
      try TrackedProcess(planned, on: store)
    }
    running[actor] = started
    let cursor = Self.name(started.session.registration.cursor)
    log.add(
      actor,
      started.session.registration.isNew ? .registered(cursor: cursor) : .launched(cursor: cursor)
    )
  }

  private func end(_ actor: ActorID, _ happening: Happening, _ log: inout EventLog) {
    running[actor] = nil
    log.add(actor, happening)
  }

  private func retire(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let session = try process(actor).session
    try telling { () throws(HistoryError) in try session.retire() }
    end(actor, .retired, &log)
  }

  // MARK: Snapshots

  /// What the system has in memory besides its files.
  private struct Memory {
    let bench: StoreBench.Memory
    let processes: [ActorID: TrackedProcess.Memory]
  }

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    let bench = try bench()
    return SystemSnapshot(
      restoreFiles: bench.environment.saveFiles(),
      memory: Memory(bench: bench.memory, processes: running.mapValues(\.memory))
    )
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    guard let memory = snapshot.memory as? Memory else {
      throw SystemFailure(.failed, "The snapshot is of another system.")
    }
    let bench = try bench()
    running.removeAll()
    try bench.restore(memory.bench, snapshot.restoreFiles)
    for (actor, process) in memory.processes {
      running[actor] = TrackedProcess(process, on: try bench.connect())
    }
  }

  package func close() {
    running.removeAll()
    opened = nil
    pools.close()
  }

  package func digest() throws(SystemFailure) -> UInt64 {
    let bench = try bench()
    var hash = Digest()
    try bench.digest(into: &hash)
    for actor in running.keys.sorted() {
      let process = try process(actor)
      hash.add(actor.name)
      hash.add(Int(process.session.mergedThrough.number))
      hash.add(Int(process.session.recordedThrough.number))
      for transaction in process.session.awaitingMerge { hash.add(Int(transaction.number)) }
      process.process.digest(into: &hash, bench.objects)
    }
    let store = try bench.store()
    for member in try telling({ () throws(HistoryError) in try store.members() }) {
      hash.add(member.id.name)
      hash.add(Int(member.state.rawValue))
      hash.add(Int(member.cursor))
    }
    return hash.value
  }

  // MARK: Steps

  private func step(
    _ action: Action,
    of actor: ActorID,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let (bench, session) = (try bench(), try process(actor).session)
    do throws(HistoryError) {
      switch action {
      case .fetch: log.add(actor, .fetched(try session.fetch().map { String($0.number) }))
      case .merge: log.add(actor, .merged(try session.merge().map { String($0.number) }))
      case .record: log.add(actor, .recorded(cursor: Self.name(try session.record())))
      case .resync: log.add(actor, .resynced(cursor: Self.name(try session.resync())))
      case .purge:
        try bench.purging(actor, &log) { _ throws(HistoryError) in _ = try session.purge() }
      default: try pass(session, actor, bench, &log)
      }
    } catch {
      let failure = SystemFailure(error)
      if failure.code == .expired { log.add(actor, .expired) }
      if failure.code == .rewound { log.add(actor, .rewound) }
      throw failure
    }
  }

  private func pass(
    _ session: MemberSession,
    _ actor: ActorID,
    _ bench: StoreBench,
    _ log: inout EventLog
  ) throws(HistoryError) {
    let purges = running[actor]?.process.actor.strategy != "none"
    try bench.purging(actor, &log) { log throws(HistoryError) in
      var report = PassReport()
      // What was done before a step failed is done.
      defer { Self.tell(report, of: actor, &log) }
      try session.pass(purging: purges, &report)
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
}

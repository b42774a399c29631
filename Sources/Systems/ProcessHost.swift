import HistoryStore
import HistoryTypes
import Traces

/// A running process of a system on this project's store; ``ProcessHost`` starts and restores it.
protocol HostedProcess: AnyObject {
  /// A snapshot of the process's memory.
  associatedtype Snapshot

  /// The process's connection to the store and its contexts.
  var process: PlanProcess { get }
  /// Returns a snapshot of the process's memory.
  ///
  /// - Throws: ``SystemFailure`` when the memory cannot be restored.
  func snapshot() throws(SystemFailure) -> Snapshot

  /// Creates a process from a snapshot, on a store that is already restored.
  init(_ snapshot: Snapshot, on store: Store) throws(HistoryError)

  /// Returns whether the process's store was suspended when the snapshot was taken.
  static func isSuspended(_ snapshot: Snapshot) -> Bool

  /// Ends the process, and discards its memory.
  func end()

  /// Adds the process's memory to `state`, except its contexts, which ``ProcessHost`` adds.
  func describe(_ state: inout StateSketch)
}

extension HostedProcess {
  /// Returns `false`, the default for systems that do not support suspensions.
  static func isSuspended(_ snapshot: Snapshot) -> Bool { false }
}

/// A host for the processes of a plan's actors, used by all systems on this project's store.
///
/// The host keeps the running processes, performs the commands that need no knowledge of the
/// tracking design, and takes snapshots.
final class ProcessHost<Hosted: HostedProcess> {
  private var pools: StorePools
  private var opened: PlanStore?
  private(set) var running: [ActorID: Hosted] = [:]
  /// The most recently replaced process of each actor, which still runs; empty unless `keepsReplaced`.
  private var replaced: [ActorID: Hosted] = [:]
  /// Whether a process keeps running when a later launch of the same actor replaces it.
  private let keepsReplaced: Bool
  /// The launched consumers, such as mirrors; they are not part of the system under test.
  var consumers: [ActorID: ConsumerProcess] = [:]
  /// The tokens that consumers store outside the store file; a power-off does not roll them back.
  var ownTokens: [ActorID: HistoryToken] = [:]
  /// The consumers whose own token names a transaction that a power-off has rolled back.
  var astray: Set<ActorID> = []

  init(_ pools: StorePools, keepsReplaced: Bool = false) {
    self.pools = pools
    self.keepsReplaced = keepsReplaced
  }

  /// Ends all processes, discards the consumers' own tokens, and opens the store of a plan.
  func reset(_ header: PlanHeader, _ environment: SystemEnvironment) throws(SystemFailure) {
    endAll()
    ownTokens.removeAll()
    astray.removeAll()
    opened = try PlanStore(header, environment, pools.pool(header, environment))
  }

  /// Releases the store's files.
  func close() {
    endAll()
    opened = nil
    pools.close()
  }

  /// Returns the store of the current plan; throws if no plan has started, or after `close()`.
  func planStore() throws(SystemFailure) -> PlanStore {
    guard let opened else { throw SystemFailure(.failed, "No plan has started: call reset first.") }
    return opened
  }

  /// Opens the store after a power-off, and logs the effects of the command that was interrupted.
  func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport {
    let planStore = try planStore()
    endAll()
    // The connections of all pools are closed, because their file handles are invalid after a power-off.
    pools.close()
    let report = try planStore.restart(
      on: pools.pool(planStore.header, planStore.environment),
      after: action,
      &log
    )
    let last = report.through.flatMap { Int64($0) } ?? 0
    for (consumer, token) in ownTokens where token.number > last { astray.insert(consumer) }
    return report
  }

  // MARK: Processes

  /// Returns the running process of an actor.
  func process(_ actor: ActorID) throws(SystemFailure) -> Hosted {
    guard let process = running[actor] else {
      throw SystemFailure(.failed, "\(actor) is not running.")
    }
    return process
  }

  /// Returns the most recently replaced process of an actor.
  func replacedProcess(_ actor: ActorID) throws(SystemFailure) -> Hosted {
    guard let process = replaced[actor] else {
      throw SystemFailure(.failed, "No process of \(actor) was replaced.")
    }
    return process
  }

  /// Starts an actor's process on a new connection, and logs an upgrade of the file's model.
  func start(
    _ actor: ActorID,
    _ log: inout EventLog,
    _ make: (PlannedActor, Store) throws(HistoryError) -> Hosted
  ) throws(SystemFailure) -> Hosted {
    let planStore = try planStore()
    let planned = try planStore.planned(actor)
    let store = try planStore.connect(planStore.header.model(of: actor))
    try planStore.tellUpgrade(by: actor, &log)
    let started = try mappingErrors { () throws(HistoryError) in try make(planned, store) }
    if let old = running.updateValue(started, forKey: actor), keepsReplaced {
      replaced.updateValue(old, forKey: actor)?.end()
    }
    return started
  }

  /// Ends an actor's process, and logs how it ended.
  func end(_ actor: ActorID, _ kind: EventKind, _ log: inout EventLog) {
    running.removeValue(forKey: actor)?.end()
    log.add(actor, kind)
  }

  /// Suspends the store of an actor's process, and logs the file locks that the process still holds.
  func suspend(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let store = try process(actor).process.store
    try mappingErrors { () throws(HistoryError) in try store.suspend(within: .zero) }
    log.add(actor, .suspended)
    if let held = try planStore().locks(of: store) { log.add(actor, .locks(held: held)) }
  }

  /// Resumes the store of an actor's process.
  ///
  /// In plans driven by signals, also logs a signal, because a store that resumes sends one.
  func resume(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let store = try process(actor).process.store
    try mappingErrors { () throws(HistoryError) in try store.resume() }
    log.add(actor, .resumed)
    if try planStore().header.drive == .signals { log.add(actor, .signalled) }
  }

  private func endAll() {
    for process in running.values { process.end() }
    for process in replaced.values { process.end() }
    running.removeAll()
    replaced.removeAll()
    consumers.removeAll()
  }

  // MARK: Commands

  /// Performs a command that is the same for all systems; returns `false` for other commands.
  func performsCommon(_ action: Action, _ log: inout EventLog) throws(SystemFailure) -> Bool {
    let planStore = try planStore()
    switch action {
    case .write(let write) where write.isPlainSQL(planStore.header):
      try process(write.actor).process.find(write, on: planStore, &log)
    case .write(let write):
      try process(write.actor).process.write(write, &planStore.objects, &log)
    case .batch(let batch):
      try process(batch.actor).process.batch(batch, planStore.objects, &log)
    case .begin(let write): try process(write.actor).process.begin(write)
    case .query(let query):
      try process(query.actor).process.query(query, on: planStore, &log)
    case .commit(let actor): try process(actor).process.commitStaged(&planStore.objects, &log)
    case .view(let actor, let context):
      let objects = try process(actor).process.objects(of: context, planStore.objects)
      log.add(actor, .viewed(context: context, objects))
    case .data: log.add(nil, .data(try planStore.data()))
    case .history: log.add(nil, .history(try planStore.history()))
    case .clock: break
    default: return try performsForConsumer(action, planStore, &log)
    }
    return true
  }

  /// Logs a signal for each running actor if a commit was signalled since the last call.
  ///
  /// Actors whose store is suspended get no signal. Does nothing in plans that are not driven by
  /// signals.
  func tellSignals(_ log: inout EventLog) {
    guard let opened, opened.header.drive == .signals, opened.signals.take() else { return }
    for (actor, process) in running.sorted(by: { $0.key < $1.key })
    where !process.process.store.isSuspended { log.add(actor, .signalled) }
  }

  /// Logs the locks that suspended processes hold, if there are any.
  func tellLocks(_ log: inout EventLog) {
    guard let opened, running.values.contains(where: { $0.process.store.isSuspended }) else {
      return
    }
    for (actor, process) in running.sorted(by: { $0.key < $1.key })
    where process.process.store.isSuspended {
      guard let held = opened.locks(of: process.process.store), !held.isEmpty else { continue }
      log.add(actor, .locks(held: held))
    }
  }

  // MARK: Snapshots

  /// A snapshot of the host's files and memory.
  struct Snapshot {
    let restoreFiles: @Sendable () -> Void
    let planStore: PlanStore.Snapshot
    /// The running processes, ordered by their actors.
    let processes: [(actor: ActorID, snapshot: Hosted.Snapshot)]
    let consumers: [ActorID: ConsumerProcess.Snapshot]
    let ownTokens: [ActorID: HistoryToken]
    let astray: Set<ActorID>
  }

  /// Returns a snapshot of the files and of the host's memory.
  func snapshot() throws(SystemFailure) -> Snapshot {
    let planStore = try planStore()
    guard replaced.isEmpty else {
      throw SystemFailure(
        .unsupported,
        "No snapshot can be taken: an actor was launched again, and a snapshot cannot contain its "
          + "earlier process."
      )
    }
    var processes: [(actor: ActorID, snapshot: Hosted.Snapshot)] = []
    for (actor, process) in running.sorted(by: { $0.key < $1.key }) {
      processes.append((actor, try process.snapshot()))
    }
    var consumers: [ActorID: ConsumerProcess.Snapshot] = [:]
    for (id, consumer) in self.consumers {
      consumers[id] = try mappingErrors { () throws(HistoryError) in try consumer.snapshot() }
    }
    return Snapshot(
      restoreFiles: planStore.environment.saveFiles(),
      planStore: try planStore.snapshot(),
      processes: processes,
      consumers: consumers,
      ownTokens: ownTokens,
      astray: astray
    )
  }

  /// Restores a snapshot of the same plan.
  ///
  /// If `reconnecting` is `true`, all processes get new connections.
  func restore(_ snapshot: Snapshot, reconnecting: Bool = false) throws(SystemFailure) {
    let planStore = try planStore()
    endAll()
    try planStore.restore(snapshot.planStore, reconnecting: reconnecting, snapshot.restoreFiles)
    for (actor, process) in snapshot.processes {
      // A suspended process has no cached state that its creation would restore.
      let store = try planStore.connect(
        planStore.header.model(of: actor),
        discardsCache: Hosted.isSuspended(process)
      )
      running[actor] = try mappingErrors { () throws(HistoryError) in
        let restored = try Hosted(process, on: store)
        if Hosted.isSuspended(process) { try store.suspend(within: .zero) }
        return restored
      }
    }
    try restore(consumers: snapshot.consumers, planStore)
    ownTokens = snapshot.ownTokens
    astray = snapshot.astray
  }

  /// Adds to `state` all data of the processes and the store on which later steps depend.
  ///
  /// The system under test adds what it keeps itself, such as stored positions.
  func describe(_ state: inout StateSketch) throws(SystemFailure) {
    let planStore = try planStore()
    try planStore.describe(&state)
    for (actor, process) in running.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      process.describe(&state)
      process.process.describe(&state, planStore.objects)
    }
    for (actor, process) in replaced.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      process.describe(&state)
    }
    for (id, consumer) in consumers.sorted(by: { $0.key < $1.key }) {
      state.enter(id)
      state.add(number: consumer.token.number)
      guard let token = ownTokens[id] else { continue }
      state.add(number: token.number)
      state.add(astray.contains(id))
    }
    state.enter(nil)
  }
}

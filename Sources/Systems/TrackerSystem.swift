import HistoryStore
import HistoryTracking
import HistoryTypes
package import Traces

/// The tracker and store of this project: the real code, in its default configuration.
package final class TrackerSystem: SystemUnderTest {
  let host: ProcessHost<TrackedProcess>
  /// Whether ``switchDriver()`` has exchanged the two ways to run trackers (``PlannedDriver``).
  private var isSwitched = false
  private var usesActor = false

  package init() {
    host = ProcessHost(StorePools(), keepsReplaced: true)
  }

  package func switchDriver() { isSwitched.toggle() }

  package let capabilities = TrackerSystem.abilities

  /// The commands and features that the tracker supports.
  package static let abilities = Set(Capability.allCases)

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    usesActor = (header.driver == .actor || header.drive == .signals) != isSwitched
    try host.reset(header, environment)
  }

  package func close() { host.close() }

  package func recover() {
    for process in host.running.values { process.engine.recover() }
  }

  package func reportLists(of actor: ActorID, _ log: inout EventLog) {
    host.reportLists(of: actor, &log)
  }

  package func reconcile(after action: Action, _ log: inout EventLog) throws(SystemFailure) {
    try host.planStore().reconcile(after: action, &log)
  }

  package func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport {
    try host.restart(after: action, &log)
  }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    // Signals and locks are logged after every command, even if the command fails.
    defer {
      host.tellSignals(&log)
      host.tellLocks(&log)
    }
    if try host.performsCommon(action, &log) { return }
    switch action {
    case .launch(let actor): try launch(actor, &log)
    case .stop(let actor): host.end(actor, .stopped, &log)
    case .crash(let actor): host.end(actor, .crashed, &log)
    case .retire(let actor): try retire(actor, &log)
    case .suspend(let actor): try host.suspend(actor, &log)
    case .resume(let actor): try host.resume(actor, &log)
    case .belated(let actor, let step): try belated(step, of: actor, &log)
    case .deliver(let actor, _), .poll(let actor, _): try look(actor, &log)
    case .watch(let watch): try host.watch(watch)
    default:
      if let actor = action.actor { try step(action, of: actor, &log) }
    }
  }

  // MARK: Launches and ends

  /// Launches an actor; if its member is marked as lost, logs the expiry and resyncs the member.
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
    let planStore = try host.planStore()
    let setup = try TrackerSetup(try planStore.planned(actor), planStore.header)
    let follows = planStore.header.drive == .signals
    let started = try host.start(actor, &log) { planned, store throws(HistoryError) in
      try TrackedProcess(
        planned,
        setup,
        byActor: usesActor,
        on: store,
        resyncingIfLost: resyncingIfLost
      )
    }
    let registration = started.engine.registration
    let cursor = registration.cursor.transactionName
    log.add(
      actor,
      registration.isNew ? .registered(cursor: cursor) : .launched(cursor: cursor)
    )
    guard follows else { return }
    // The new process first merges earlier writes by polling. If this fails, the process still runs,
    // and a pending signal starts its tracker again.
    do throws(SystemFailure) { try look(actor, &log) } catch { started.reported = nil }
  }

  private func retire(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let engine = try host.process(actor).engine
    try mappingErrors { () throws(HistoryError) in try engine.retire() }
    host.end(actor, .retired, &log)
  }

  // MARK: Snapshots

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    let saved = try host.snapshot()
    return SystemSnapshot(of: self) { [host] () throws(SystemFailure) in try host.restore(saved) }
  }

  package func reconnect() throws(SystemFailure) {
    try host.restore(try host.snapshot(), reconnecting: true)
  }

  package func describe(_ state: inout StateSketch) throws(SystemFailure) {
    try host.describe(&state)
  }
}

extension TrackerSystem {
  /// Polls the newest position, as the store's watch does; if it is new, the tracker makes a pass.
  ///
  /// A pass fetches, merges and records history. If it fails, a signal to the actor is logged: when
  /// the scheduler delivers this signal, the tracker repeats the pass.
  func look(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let tracked = try host.process(actor)
    let head = try mappingErrors { () throws(HistoryError) in
      try tracked.process.store.currentToken()
    }
    guard head != tracked.reported else { return }
    tracked.reported = head
    log.add(actor, .woke)
    do throws(SystemFailure) {
      try purging(actor, &log) { report throws(HistoryError) in
        try tracked.engine.signal(head, &report)
      }
    } catch {
      tracked.reported = nil
      log.add(actor, .signalled)
      throw error
    }
  }

  // MARK: Steps

  func step(
    _ action: Action,
    of actor: ActorID,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let engine = try host.process(actor).engine
    switch action {
    case .fetch:
      try reporting(actor, &log) { report throws(HistoryError) in try engine.fetch(&report) }
    case .merge:
      try reporting(actor, &log) { report throws(HistoryError) in try engine.merge(&report) }
    case .record:
      try reporting(actor, &log) { report throws(HistoryError) in try engine.record(&report) }
    case .purge:
      try purging(actor, &log) { report throws(HistoryError) in try engine.purge(&report) }
    case .resync:
      try loggingLoss(of: actor, &log) { log throws(HistoryError) in
        log.add(actor, .resynced(cursor: try engine.resync().transactionName))
      }
    default:
      try purging(actor, isPass: true, &log) { report throws(HistoryError) in
        try engine.pass(&report)
      }
    }
  }

  /// Performs a step of an actor's earlier process, which a later launch has replaced.
  ///
  /// Only effects that are visible in the store are logged. The process's contexts are no longer
  /// read, so its hook calls and merges are not logged.
  func belated(
    _ step: BelatedStep,
    of actor: ActorID,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let engine = try host.replacedProcess(actor).engine
    let planStore = try host.planStore()
    let before = try planStore.cursor(of: actor)
    var report = StepReport()
    var failure: SystemFailure?
    do throws(SystemFailure) {
      try mappingErrors { () throws(HistoryError) in
        try planStore.purging(actor, &log) { _ throws(HistoryError) in
          try engine.perform(step, &report)
        }
      }
    } catch { failure = error }
    for member in report.lost { log.add(member, .lost) }
    let after = try planStore.cursor(of: actor)
    if after != before, let number = after?.cursor {
      log.add(actor, .recorded(cursor: number == 0 ? nil : String(number)))
    }
    if let failure { throw failure }
  }

  /// Runs a step that does not purge, and logs its results, even if the step then fails.
  private func reporting(
    _ actor: ActorID,
    _ log: inout EventLog,
    _ body: (inout StepReport) throws(HistoryError) -> Void
  ) throws(SystemFailure) {
    try loggingLoss(of: actor, &log) { log throws(HistoryError) in
      // The results of a step up to its failure remain valid.
      try reportingAll(of: actor, &log, body)
    }
  }

  /// Runs a step that may purge, and logs its results and the transactions that it has purged.
  ///
  /// If the step is a whole pass and succeeds, the log also names the transaction that was the
  /// newest one when the pass started.
  private func purging(
    _ actor: ActorID,
    isPass: Bool = false,
    _ log: inout EventLog,
    _ body: (inout StepReport) throws(HistoryError) -> Void
  ) throws(SystemFailure) {
    let planStore = try host.planStore()
    try loggingLoss(of: actor, &log) { log throws(HistoryError) in
      try planStore.purging(actor, &log) { log throws(HistoryError) in
        let newest = planStore.purging?.held.last
        try reportingAll(of: actor, &log, body)
        if isPass { log.add(actor, .passed(through: newest.map { String($0) })) }
      }
    }
  }

  private func reportingAll(
    of actor: ActorID,
    _ log: inout EventLog,
    _ body: (inout StepReport) throws(HistoryError) -> Void
  ) throws(HistoryError) {
    var report = StepReport()
    defer { Self.logResults(of: report, actor, &log) }
    try body(&report)
  }

  private static func logResults(of report: StepReport, _ actor: ActorID, _ log: inout EventLog) {
    func names(_ numbers: [Int64]) -> [TransactionName] { numbers.map { String($0) } }
    if let fetched = report.fetched { log.add(actor, .fetched(names(fetched))) }
    if !report.observed.isEmpty { log.add(actor, .observed(names(report.observed))) }
    if let merged = report.merged { log.add(actor, .merged(names(merged))) }
    if !report.finished.isEmpty { log.add(actor, .finished(names(report.finished))) }
    if let cursor = report.cursor { log.add(actor, .recorded(cursor: cursor.transactionName)) }
    for member in report.lost { log.add(member, .lost) }
  }
}

import HistoryStore
import HistoryTracking
import HistoryTypes
package import Traces

/// The tracker and store of this project: the real code, in its default configuration.
package final class TrackerSystem: SystemUnderTest {
  let host: ProcessHost<TrackedProcess>
  /// Whether trackers use the other driver instead of the driver that the plan names.
  private var isSwitched = false
  private var usesActor = false

  /// Creates the system.
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

  package func reconcile(after action: Action, _ log: inout EventLog) throws(SystemFailure) {
    try host.bench().reconcile(after: action, &log)
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
    default:
      if let actor = action.actor { try step(action, of: actor, &log) }
    }
  }

  // MARK: Life

  /// Launches an actor; a launch of a lost member logs the expiry and resyncs.
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
    try host.snapshot(with: ())
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    try host.restore(snapshot, Void.self)
  }

  package func describe(_ state: inout StateSketch) throws(SystemFailure) {
    try host.describe(&state)
  }
}

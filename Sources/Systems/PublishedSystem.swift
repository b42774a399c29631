import HistoryStore
import HistoryTypes
package import Traces

/// A published system: fetcher, merger and cleaner with one date per author in a defaults store.
///
/// It implements its version's description literally. A remote-change notification leads to a pass;
/// neither a poll nor a launch does. It runs on Core Data's tables with raw clock values, as the
/// published system does. A plan's consumer is a mirror next to it that keeps its own token; the
/// system does not know of it.
package final class PublishedSystem: SystemUnderTest {
  let rules: PublishedProtocol
  let host = ProcessHost<PublishedProcess>(StorePools(layout: .coreData))
  var shared = SharedState()

  /// The state that outlives every process.
  struct SharedState {
    var defaults = CursorDefaults()
    /// The actors launched before: in the trace a later launch is no registration.
    var members: Set<ActorID> = []
  }

  /// Creates a system with the given rules.
  package init(_ rules: PublishedProtocol) { self.rules = rules }

  package var capabilities: Set<Capability> { rules.capabilities }

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
    case .stop(let actor): end(actor, .stopped, &log)
    case .crash(let actor): end(actor, .crashed, &log)
    case .retire(let actor): end(actor, .retired, &log)
    case .fetch(let actor): try fetch(try host.process(actor), &log)
    case .merge(let actor): try merge(try host.process(actor), &log)
    case .record(let actor): record(try host.process(actor), &log)
    case .pass(let actor): try pass(try host.process(actor), &log)
    case .purge(let actor): try cleanByCommand(try host.process(actor), &log)
    case .deliver(let actor, _):
      log.add(actor, .woke)
      try pass(try host.process(actor), &log)
    default: throw unsupported(action.word)
    }
  }

  /// Returns the failure of a command that the system does not support.
  func unsupported(_ word: String) -> SystemFailure {
    SystemFailure(.unsupported, "\(rules.name) cannot \(word).")
  }

  // MARK: Life

  private func launch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let bench = try host.bench()
    let setup = try PublishedSetup(try bench.planned(actor), bench.header, rules)
    _ = try host.start(actor) { planned, store throws(HistoryError) in
      try PublishedProcess(planned, setup, on: store)
    }
    let isNew = shared.members.insert(actor).inserted
    log.add(actor, isNew ? .registered(cursor: nil) : .launched(cursor: nil))
  }

  private func end(_ actor: ActorID, _ happening: Happening, _ log: inout EventLog) {
    if happening == .retired { shared.members.remove(actor) }
    host.end(actor, happening, &log)
  }

  // MARK: Snapshots

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    try host.snapshot(with: shared)
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    shared = try host.restore(snapshot)
  }

  package func describe(_ state: inout StateSketch) throws(SystemFailure) {
    try host.describe(&state)
    shared.defaults.describe(&state)
    for member in shared.members.sorted() {
      state.enter(member)
      state.add(true)
    }
    state.enter(nil)
  }
}

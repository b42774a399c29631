import HistoryStore
import HistoryTypes
package import Traces

/// A system that runs any tracking design: it fetches, merges, purges and stores positions.
///
/// The system follows the published code literally, on Core Data's tables with raw clock values. A
/// plan's consumer is a mirror next to the system, with a token of its own.
package final class PublishedSystem: SystemUnderTest {
  let design: TrackingDesign
  let host = ProcessHost<PublishedProcess>(StorePools(layout: .coreData))
  var shared = SharedState()

  /// The state that remains when processes end.
  struct SharedState {
    var positions = StoredPositions()
    /// The actors that were launched before; the trace has no registration for their later launches.
    var members: Set<ActorID> = []
  }

  /// Creates a system of a design.
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

  /// Returns the failure of a command that the system does not support.
  func unsupported(_ word: String) -> SystemFailure {
    SystemFailure(.unsupported, "\(design.name) cannot \(word).")
  }

  // MARK: Life

  private func launch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let bench = try host.bench()
    let setup = try PublishedSetup(try bench.planned(actor), bench.header, design)
    let process = try host.start(actor, &log) { planned, store throws(HistoryError) in
      try PublishedProcess(planned, setup, on: store)
    }
    let isNew = shared.members.insert(actor).inserted
    let first = try startAtNewest(process)
    log.add(actor, isNew ? .registered(cursor: first) : .launched(cursor: nil))
    guard design.wakes != .onSignal, bench.header.drive == .signals else { return }
    log.add(actor, .woke)
    try pass(process, &log)
  }

  /// Stores the newest transaction's position for a new process, if the design starts at the newest.
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

  /// Ends an actor's membership, and removes its position unless actors with the same author share it.
  private func retire(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let setup = try host.process(actor).setup
    shared.members.remove(actor)
    if setup.key.process != nil { shared.positions.remove(setup.key, in: setup.owner) }
    host.end(actor, .retired, &log)
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
    shared.positions.describe(&state, design)
    for member in shared.members.sorted() {
      state.enter(member)
      state.add(true)
    }
    state.enter(nil)
  }
}

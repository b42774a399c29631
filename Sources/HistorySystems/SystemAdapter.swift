internal import Foundation
internal import HistoryTypes
internal import PropertyTesting
internal import Systems
internal import Traces

/// Runs plans on a ``HistorySystem``.
///
/// The adapter calls the system's asynchronous methods on the plan's executor, one after another, and
/// logs their results. After each command, the adapter reads the cursors.
final class SystemAdapter<System: HistorySystem>: SystemUnderTest {
  let capabilities = System.abilities
  private(set) var runFailure: RunFailure?
  private let make: @Sendable (HistoryEnvironment) async throws -> System
  private var system: System?
  private var executor = SeededExecutor(seed: 0)
  private var clock = PlanClock()
  private var path: String?
  private var header = PlanHeader(model: Model(unchecked: []), actors: [])
  private var members: Set<ActorID> = []
  private var cursors: [ActorID: TransactionName?] = [:]
  private var times: [TransactionName: Double] = [:]
  /// The number of jobs that other threads enqueued on the executors of the plans that have ended.
  ///
  /// The seed of a plan does not determine the order of these jobs.
  private(set) var foreignJobCount = 0

  init(_ make: @escaping @Sendable (HistoryEnvironment) async throws -> System) {
    self.make = make
  }

  // MARK: Plans

  func reset(_ header: PlanHeader, _ environment: SystemEnvironment) throws(SystemFailure) {
    close()
    (self.header, clock, path) = (header, environment.clock, environment.path)
    (members, cursors, times, runFailure) = ([], [:], [:], nil)
    executor = SeededExecutor(seed: header.seed)
    let surroundings = HistoryEnvironment(header, environment, executor)
    let make = make
    let made = executor.run(.newestFirst) { () async -> Result<System, any Error> in
      do { return .success(try await make(surroundings)) } catch { return .failure(error) }
    }
    switch made {
    case .success(let system)?: self.system = system
    case .failure(let error)?: throw SystemFailure(.failed, "The system was not created: \(error)")
    case nil: throw stuck("init")
    }
  }

  func close() {
    if let system {
      executor.runAll()
      _ = executor.run(.newestFirst) { await system.close() }
      executor.runAll()
    }
    foreignJobCount += executor.foreignJobCount
    executor = SeededExecutor(seed: 0)
    system = nil
    if let path { try? FileManager.default.removeItem(atPath: path + ".files") }
    path = nil
  }

  func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    defer { executor.endCommand() }
    do throws(SystemFailure) {
      try act(action, &log)
    } catch {
      if error.code == .expired { log.add(action.actor, .expired) }
      try reportCursors(&log)
      throw error
    }
    switch action {
    case .view, .data, .history: break
    default: try reportCursors(&log)
    }
  }

  private func act(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    switch action {
    case .launch(let actor): try launch(actor, &log)
    case .stop(let actor): try leave(actor, .stopped, &log) { try await $0.stop(actor) }
    case .crash(let actor):
      let system = try need((any CrashingSystem).self, "crash")
      try leave(actor, .crashed, &log) { _ in try await system.crash(actor) }
    case .retire(let actor):
      let system = try need((any RetiringSystem).self, "retire")
      try leave(actor, .retired, &log) { _ in try await system.retire(actor) }
      members.remove(actor)
    case .write(let write): try save(write, &log)
    case .pass(let actor): try pass(actor, &log)
    case .fetch, .merge, .record: try step(action, &log)
    case .purge(let actor):
      let system = try need((any PurgingSystem).self, "purge")
      let purged = try run("purge") { _ in try await system.purge(by: actor) }
      // Tasks may have recorded cursors before the purge; if these were not logged, the purge would
      // seem unsafe.
      try reportCursors(&log)
      log.add(actor, .purged(purged))
    case .resync(let actor):
      let system = try need((any ResyncingSystem).self, "resync")
      try run("resync") { _ in try await system.resync(actor) }
      let cursor = try cursor(of: actor)
      cursors[actor] = cursor
      log.add(actor, .resynced(cursor: cursor))
    default: try read(action, &log)
    }
  }

  private func read(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    switch action {
    case .view(let actor, let context):
      let objects = try run("view", .newestFirst) { try await $0.view(of: actor) }
      log.add(actor, .viewed(context: context, objects))
    case .data: log.add(nil, .data(try data()))
    case .history:
      let system = try need((any ListingSystem).self, "list its history")
      let held = try run("history", .newestFirst) { _ in try await system.history() }
      log.add(nil, .history(held.map(timed)))
    case .clock: break
    default:
      throw SystemFailure(
        .unsupported,
        "A HistorySystem does not support the command \"\(action.word)\"."
      )
    }
  }

  // MARK: Members

  private func launch(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    try run("launch") { try await $0.launch(actor) }
    let isNew = members.insert(actor).inserted
    let cursor = try cursor(of: actor)
    cursors[actor] = cursor
    log.add(actor, isNew ? .registered(cursor: cursor) : .launched(cursor: cursor))
  }

  private func leave(
    _ actor: ActorID,
    _ kind: EventKind,
    _ log: inout EventLog,
    _ body: @escaping @Sendable (System) async throws -> Void
  ) throws(SystemFailure) {
    try run("leave", .seeded, body)
    log.add(actor, kind)
  }

  // MARK: Passes

  private func pass(_ actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    let report = try run("pass") { try await $0.pass(actor) }
    log.add(actor, .fetched(report.merged))
    log.add(actor, .merged(report.merged))
    cursors[actor] = nil
    try reportCursors(&log)
    if !report.purged.isEmpty { log.add(actor, .purged(report.purged)) }
  }

  private func step(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    let system = try need((any SteppedSystem).self, action.word)
    switch action {
    case .fetch(let actor):
      log.add(actor, .fetched(try run("fetch") { _ in try await system.fetch(actor) }))
    case .merge(let actor):
      log.add(actor, .merged(try run("merge") { _ in try await system.merge(actor) }))
    case .record(let actor):
      try run("record") { _ in try await system.record(actor) }
      cursors[actor] = nil
    default: break
    }
  }

  /// Logs the cursors that were recorded since this method was last called.
  private func reportCursors(_ log: inout EventLog) throws(SystemFailure) {
    for actor in header.actors.map(\.id) where members.contains(actor) {
      let cursor = try cursor(of: actor)
      guard cursors[actor] != .some(cursor) else { continue }
      cursors[actor] = cursor
      log.add(actor, .recorded(cursor: cursor))
    }
  }

  private func cursor(of actor: ActorID) throws(SystemFailure) -> TransactionName? {
    try run("cursor", .newestFirst) { try await $0.cursor(of: actor) }
  }

  // MARK: Saves

  private func save(_ write: PlannedWrite, _ log: inout EventLog) throws(SystemFailure) {
    var before = try data()
    let old = before
    let author = author(of: write)
    let name = try run("save") {
      try await $0.save(write.changes, by: write.actor, author: author)
    }
    guard let name else { return log.add(write.actor, .wroteNothing) }
    guard times[name] == nil else {
      throw giveUp("it returned the name \"\(name)\" for a save, and an earlier save has that name")
    }
    times[name] = clock.now
    let changes = before.apply(write.changes).changes(from: old, to: try data())
    log.add(
      write.actor,
      .committed(
        CommittedTransaction(
          name: name,
          author: author,
          context: write.context,
          writer: write.actor.name,
          timestamp: clock.now,
          changes: changes
        )
      )
    )
  }

  private func author(of write: PlannedWrite) -> String? {
    switch write.author {
    case .own: header.actor(write.actor)?.author
    case .absent: nil
    case .other(let name): name
    }
  }

  private func data() throws(SystemFailure) -> Objects {
    try run("data", .newestFirst) { try await $0.data() }
  }

  /// Returns a transaction whose timestamp is the plan's time at the save.
  ///
  /// The transaction is unchanged if the system is a ``ClockedSystem``, or if no save of the plan
  /// has returned the transaction's name.
  private func timed(_ held: CommittedTransaction) -> CommittedTransaction {
    guard !capabilities.contains(.clock), let time = times[held.name] else { return held }
    var held = held
    held.timestamp = time
    return held
  }

  // MARK: Calls

  private func need<Needed>(_ type: Needed.Type, _ word: String) throws(SystemFailure) -> Needed {
    guard let system = system as? Needed else {
      throw SystemFailure(.unsupported, "\(System.self) cannot \(word).")
    }
    return system
  }

  @discardableResult
  private func run<Answer: Sendable>(
    _ word: String,
    _ order: SeededExecutor.Order = .seeded,
    _ body: @escaping @Sendable (System) async throws -> Answer
  ) throws(SystemFailure) -> Answer {
    if let runFailure { throw SystemFailure(.crashed, runFailure.description) }
    guard let system else { throw SystemFailure(.crashed, "The system was not created.") }
    let answer = executor.run(order) { () async -> Result<Answer, any Error> in
      do { return .success(try await body(system)) } catch { return .failure(error) }
    }
    switch answer {
    case .success(let answer)?: return answer
    case .failure(HistorySystemError.expired)?:
      throw SystemFailure(.expired, "History has expired.")
    case .failure(let error)?: throw SystemFailure(.failed, "\(error)")
    case nil: throw stuck(word)
    }
  }

  private func stuck(_ word: String) -> SystemFailure {
    giveUp(
      "\"\(word)\" did not return within \(Int(SeededExecutor.waitMax)) s: it waits for work that "
        + "no thread performs, or that takes longer"
    )
  }

  private func giveUp(_ clause: String) -> SystemFailure {
    runFailure = RunFailure(clause: clause)
    return SystemFailure(.crashed, clause)
  }

  // MARK: Unsupported

  func snapshot() throws(SystemFailure) -> SystemSnapshot {
    throw SystemFailure(.unsupported, "A HistorySystem has no snapshots.")
  }

  func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    throw SystemFailure(.unsupported, "A HistorySystem has no snapshots.")
  }

  func describe(_ state: inout StateSketch) throws(SystemFailure) {
    throw SystemFailure(.unsupported, "The memory of a HistorySystem cannot be compared.")
  }
}

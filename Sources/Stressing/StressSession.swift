import Basics
import Foundation
import HistoryStore
import HistoryTypes
import ObjectContexts
package import Traces

/// A stress run, which starts the processes, disturbs them, and reads their traces and the store.
///
/// The ``StressNemesis`` draws the disturbances.
package final class StressSession {
  /// The error of a run that ends early.
  package struct Interrupted: Error {}

  let settings: StressSettings
  /// A closure that returns whether the run must end early.
  private let isInterrupted: () -> Bool
  /// The path of the executable that every process of the run starts.
  private let command: String
  /// The path of the store file.
  let path: String
  /// The folder of the traces.
  let traces: String
  private let errors: FileHandle
  let store: Store
  /// The trace of the run's own events, such as kills; the processes write traces of their own.
  let trace: StressTrace
  let members: [StressMember]
  /// The Python script that writes plain SQL; `nil` if the run has none.
  let plainSQL: PlainSQLWriter?
  /// The trace of the Python script's transactions, written by the run; `nil` if it has no script.
  let plainSQLTrace: StressTrace?
  /// The run's registration as a member, which protects unread history; `nil` on a faulty disk.
  let registration: Registration?
  /// The position through which the run has read history, and the time when the last reading began.
  var readPosition: (token: HistoryToken?, readAt: Int64)
  /// The newest transactions that the run has read, by number.
  var readTransactions: [TransactionNumber: HistoryTransaction] = [:]
  /// The real file system that the run repeatedly fills so that writes fail; `nil` if it has none.
  private let disk: FullDisk?
  var nemesis: StressNemesis
  package var result: StressResult
  /// Whether writers are paused.
  var isQuiet = false
  /// Whether the run is in its main phase, in which it injects faults.
  private var isDisturbed = false
  let startedAt = MonotonicClock.now

  /// The maximum time to wait for processes to execute an order.
  private static let patience = Duration.seconds(60)
  /// The time within which a process must reach the place where it was ordered to kill itself.
  ///
  /// The run kills the process after this time.
  static let deathTime = Duration.seconds(1)

  /// Creates the store and the trace of a run; starts no processes yet.
  ///
  /// - Throws: An error if the store or the traces cannot be created.
  package init(
    _ settings: StressSettings,
    command: String,
    path: String,
    traces: String,
    disk: FullDisk?,
    isInterrupted: @escaping () -> Bool
  ) throws {
    self.settings = settings
    self.isInterrupted = isInterrupted
    self.disk = disk
    self.command = command
    self.path = path
    self.traces = traces
    store = try StressModel.create(path, capturesPlainSQL: settings.hasPlainSQL)
    trace = try StressTrace("\(traces)/run.jsonl", of: nil)
    let file = "\(traces)/errors.txt"
    guard FileManager.default.createFile(atPath: file, contents: nil),
      let errors = FileHandle(forWritingAtPath: file)
    else { throw StressError(writing: file) }
    self.errors = errors
    members =
      StressModel.processes(settings.processes).map { StressMember($0) }
      + StressModel.guests(settings.guests).map { StressMember($0, isGuest: true) }
    if settings.hasPlainSQL {
      plainSQL = PlainSQLWriter(
        store: path,
        log: "\(traces)/plain-sql.log",
        actor: members[0].id,
        header: StressModel.header(members.map(\.id), of: settings),
        errors: errors,
        rate: settings.rate
      )
      plainSQLTrace = try StressTrace("\(traces)/plain-sql.jsonl", of: nil)
    } else {
      (plainSQL, plainSQLTrace) = (nil, nil)
    }
    registration = settings.disk == nil ? try store.join(StressModel.run) : nil
    readPosition = (registration?.cursor, startedAt)
    nemesis = StressNemesis(killsPerSecond: settings.killsPerSecond, seed: settings.seed)
    result = StressResult(settings)
  }

  deinit { endAll() }

  /// Kills every process, and waits until all have ended.
  func endAll() {
    plainSQL?.end()
    for member in members { member.child?.kill() }
    for member in members { member.child?.waitForEnd() }
  }

  /// Runs all phases of the stress run; the checkers run afterwards.
  ///
  /// `note` receives progress reports: the number of transactions since the last report, and a
  /// phrase with the latest counts.
  ///
  /// - Throws: ``Interrupted``, or an error if a process cannot be started or the store cannot be
  ///   read.
  package func run(_ note: (Int, String) -> Void) throws {
    // A write to a process that has ended must not end the run; `attend` detects the process's end.
    signal(SIGPIPE, SIG_IGN)
    defer { endAll() }
    try noteUpgrade()
    for member in members where !member.isGuest { try start(member) }
    try wait("follow the store") { $0.state == .running || $0.failure != nil }
    try awaitPlainSQL()
    isDisturbed = true
    if failures.isEmpty, result.failures.isEmpty { try disturb(note) }
    isDisturbed = false
    disk?.clear()
    result.filledCount = disk?.filledCount
    try close()
  }

  /// Starts the Python script that writes plain SQL, and waits until it has logged a write.
  private func awaitPlainSQL() throws {
    guard let plainSQL, failures.isEmpty else { return }
    let end = ContinuousClock.now + Self.patience
    while !plainSQL.hasBegun {
      try attend()
      var failure = try nemesis.tend(plainSQL, at: .now)
      if ContinuousClock.now > end { failure = "did not write" }
      if let failure { return result.failures.append("the Python script \(failure)") }
      usleep(2_000)
    }
  }

  /// Adds to the trace the transactions that the run wrote when it opened the file with the newer model.
  private func noteUpgrade() throws {
    let now = MonotonicClock.now
    let upgrades = try store.fetch(HistoryRequest(after: nil)).transactions.map {
      CommittedTransaction(store.model, $0)
    }
    trace.add(
      [.init(.called(command: nil, word: "launch"), at: now)]
        + upgrades.map { .init(.committed($0), at: now) }
        + [.init(.ended(command: nil, .ok), at: now)],
      about: members[0].id
    )
  }

  var failures: [StressMember] { members.filter { $0.failure != nil } }

  /// Sentences about processes that behaved unexpectedly, such as by ending with an error.
  package var failureSentences: [String] {
    members.compactMap { member in member.failure.map { "\(member.id) \($0)" } }
  }

  /// The result of a run that was ended early.
  package var interruptedResult: StressResult {
    var result = result
    result.isInterrupted = true
    result.seconds = Double(MonotonicClock.now - startedAt) / 1e9
    return result
  }

  /// Returns the traces of the run, its plain-SQL script, and each actor's tracker and writer.
  package func sources(_ header: PlanHeader) -> [TraceSource] {
    ["run", "plain-sql"].map { TraceSource([ProcessTrace(path: "\(traces)/\($0).jsonl")], header) }
      + members.flatMap {
        [TraceSource($0.trackerLives, header), TraceSource($0.writerLives, header)]
      }
  }

  package var header: PlanHeader {
    StressModel.header(members.map(\.id), of: settings)
  }

  /// The time at which the trace starts, in nanoseconds of the monotonic clock.
  package var origin: Int64 { startedAt }

  // MARK: Lives

  func start(_ member: StressMember) throws {
    var role = StressRole(
      name: member.id.name,
      actors: members.map(\.id.name),
      life: member.lifeCount,
      seed: nemesis.seed(),
      store: path,
      traces: traces,
      rate: settings.rate
    )
    role.mutant = settings.mutant
    role.disk = settings.disk
    role.injectsFault = disk == nil
    member.begin(try StressChild(command, role, errors: errors), role)
  }

  /// Reads the messages of all processes, handles those that ended, and starts those that are due.
  func attend() throws {
    if isInterrupted() { throw Interrupted() }
    let now = ContinuousClock.now
    if isDisturbed { disk?.tend(at: now, store: path) }
    for member in members {
      guard let child = member.child else {
        guard member.state == .dead, member.failure == nil, member.restartsAt <= now else {
          continue
        }
        result.counts.restarts += 1
        try start(member)
        continue
      }
      for word in child.words() { hear(word, from: member) }
      if let until = member.stopsUntil, until <= now {
        member.stopsUntil = nil
        child.resume()
        if member.suspendsFor != nil { child.send(StressOrder(.resume)) }
      }
      if let time = member.diesAt, time <= now, child.isRunning {
        member.place = nil
        member.kill()
      }
      if !child.isRunning { try bury(member, child) }
    }
  }

  private func hear(_ word: StressWord, from member: StressMember) {
    switch word {
    case .ready where member.state == .starting:
      member.state = .running
      if !isQuiet { member.child?.send(StressOrder(.write)) }
    case .done: member.isDone = true
    case .suspended:
      guard let child = member.child, let time = member.suspendsFor else { return }
      child.stop()
      member.stopsUntil = .now + time
      result.counts.suspensions += 1
      guard let locked = child.lockedFiles else { return }
      result.counts.lockReadings += 1
      guard !locked.isEmpty else { return }
      result.locksWhileSuspended.append("\(member.id) held \(locked.joinedWithAnd) while suspended")
    case .resumed: member.suspendsFor = nil
    default: break
    }
  }

  /// Records the end of a member's process, and sets the time of its restart if it was killed.
  private func bury(_ member: StressMember, _ child: StressChild) throws {
    for word in child.words() { hear(word, from: member) }
    let moment = MonotonicClock.now
    let ending = child.ending
    switch (member.state, ending.isSignal, ending.code) {
    case (.retiring, false, 0):
      result.counts.retires += 1
      member.end(at: moment, .nothing)
      member.state = .away
    case (.ending, false, 0):
      member.end(at: moment, .nothing)
      member.state = .away
    case (_, true, SIGKILL):
      result.counts.kill(at: member.place)
      var cutOff = ProcessTrace.CutOff.nothing
      if let role = member.role {
        (cutOff, member.lastNumber) = try StressReconciler(store: store)
          .reconcile(role, after: member.lastNumber, purged: readTransactions)
      }
      member.end(at: moment, cutOff)
      trace.add([.init(.crashed, at: moment)], about: member.id)
      member.state = .dead
      member.restartsAt = .now + nemesis.deathTime()
    default:
      member.failure =
        "ended by itself with \(ending.isSignal ? "signal" : "code") \(ending.code)"
      member.end(at: moment, .open)
      member.state = .dead
    }
  }

  /// Waits until a condition holds for each member, and handles the processes' messages meanwhile.
  ///
  /// The condition need not hold for members that have not joined, have retired or have exited as
  /// ordered, nor for members with a failure. A member for which it does not hold after 60 seconds
  /// is marked as failed.
  func wait(
    _ purpose: String,
    _ isDone: (StressMember) -> Bool
  ) throws {
    let end = ContinuousClock.now + Self.patience
    while true {
      try attend()
      let waiting = members.filter { $0.state != .away && $0.failure == nil && !isDone($0) }
      guard let first = waiting.first else { return }
      if ContinuousClock.now > end {
        for member in waiting { member.failure = "did not \(purpose)" }
        first.child?.kill()
        return
      }
      usleep(2_000)
    }
  }

  /// Sends an order to all running processes, and waits until all have executed it.
  func ask(_ word: StressWord, _ purpose: String) throws {
    let asked = members.filter { $0.state == .running && $0.failure == nil }
    for member in asked {
      member.isDone = false
      member.child?.send(StressOrder(word))
    }
    try wait(purpose) { member in
      member.isDone || !asked.contains { $0 === member }
    }
  }
}

import Foundation
import HistoryStore
import HistoryTypes
import Traces

/// The parameters of one process of a stress run.
struct StressRole: Codable, Hashable, Sendable {
  /// The name of the actor to which the process belongs.
  var name: String
  /// The names of all actors that may take part.
  var actors: [String]
  /// The number of processes that the actor had before this one.
  var life: Int
  var seed: UInt64
  /// The path of the store file.
  var store: String
  /// The folder of the traces.
  var traces: String
  /// The number of transactions to write per second; 0 writes without pauses.
  var rate: Double
  /// The name of the seeded bug that the process enables; `nil` for none.
  var mutant: String?
  /// The disk fault to expect; `nil` for a sound disk.
  var disk: StressDisk?
  /// Whether the process injects the disk fault; if `false`, a real file system causes the fault.
  var injectsFault = true

  var id: ActorID { ActorID(name) }

  var header: PlanHeader { StressModel.header(actors.map { ActorID($0) }, seed: seed) }

  /// Whether the process also writes under ``StressModel/noiseAuthor``.
  ///
  /// The first actor does, if there are others. The second actor ignores this author's
  /// transactions.
  var isNoisy: Bool { actors.count > 1 && actors.first == name }

  var trackerTrace: String { "\(traces)/\(name).\(life).jsonl" }
  var writerTrace: String { "\(traces)/\(name).\(life).writes.jsonl" }
  /// The path of the file with the transaction number of the write in progress.
  var numberFile: String { "\(traces)/\(name).\(life).number" }

  /// Returns the role, encoded as one command-line argument.
  func argument() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }

  init(argument: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(argument.utf8))
  }

  init(
    name: String,
    actors: [String],
    life: Int,
    seed: UInt64,
    store: String,
    traces: String,
    rate: Double
  ) {
    self.name = name
    self.actors = actors
    self.life = life
    self.seed = seed
    self.store = store
    self.traces = traces
    self.rate = rate
  }
}

/// The fault of the disk that contains the store.
package enum StressDisk: String, Codable, Hashable, Sendable, CaseIterable {
  /// The disk runs out of space for a while, repeatedly.
  case full
  /// SQLite's calls to the file system fail from time to time.
  case failing
}

/// An actor of a stress run, with its current process and the traces of all its processes.
final class StressMember {
  let id: ActorID
  /// Whether the actor joins and retires while others write.
  let isGuest: Bool
  /// The actor's current process; `nil` if none exists.
  var child: StressChild?
  /// The role of the current or last process.
  var role: StressRole?
  var state = State.away
  /// For each process of the actor so far, the trace of its tracker.
  private(set) var trackerLives: [ProcessTrace] = []
  /// For each process of the actor so far, the trace of its writes.
  private(set) var writerLives: [ProcessTrace] = []
  /// The number of the last transaction that the actor is known to have written.
  var lastNumber: Int64 = 0
  /// The time at which a killed process is started again.
  var restartsAt = ContinuousClock.now
  /// The time at which a stopped process continues; `nil` if it is not stopped.
  var stopsUntil: ContinuousClock.Instant?
  /// The time that the process stays stopped by SIGSTOP once its store is suspended; `nil` if none.
  var suspendsFor: Duration?
  /// The time at which the process is killed if it has not died at `place` by then.
  var diesAt: ContinuousClock.Instant?
  /// The start of the current process.
  private(set) var startedAt = ContinuousClock.now
  /// The place in the code where the process was ordered to kill itself; `nil` without an order.
  var place: StressPlace?
  /// Whether the process has executed the last order.
  var isDone = false
  /// A clause about unexpected behaviour of the process; `nil` if there was none.
  var failure: String?

  enum State: Hashable, Sendable {
    /// The actor has neither a process nor a membership.
    case away
    /// The process has ended, and the next one is due.
    case dead
    /// The process was started and has not yet reported that it follows the store.
    case starting
    case running
    /// The process was killed, and the run has not yet seen it end.
    case dying
    /// The process was ordered to retire.
    case retiring
    /// The process was ordered to end.
    case ending
  }

  init(_ id: ActorID, isGuest: Bool = false) {
    self.id = id
    self.isGuest = isGuest
  }

  /// The number of processes that were started for the actor so far.
  var lifeCount: Int { trackerLives.count }

  /// Records a started process.
  func begin(_ child: StressChild, _ role: StressRole) {
    self.child = child
    self.role = role
    state = .starting
    startedAt = .now
    forgetDeath()
    trackerLives.append(ProcessTrace(path: role.trackerTrace))
    writerLives.append(ProcessTrace(path: role.writerTrace))
  }

  func kill() {
    state = .dying
    diesAt = nil
    child?.kill()
  }

  /// Records the end of the process, with the outcome of the write in progress at that time.
  func end(at moment: Int64, _ cutOff: ProcessTrace.CutOff) {
    guard !trackerLives.isEmpty else { return }
    trackerLives[trackerLives.count - 1].diedAt = moment
    writerLives[writerLives.count - 1].diedAt = moment
    writerLives[writerLives.count - 1].cutOff = cutOff
    child = nil
    forgetDeath()
  }

  private func forgetDeath() {
    place = nil
    diesAt = nil
    stopsUntil = nil
    suspendsFor = nil
  }
}

/// Determines the outcome of the write that was in progress when a process was killed.
///
/// Before a commit, the process notes the number that the write's transaction will have. If history has
/// a transaction with that number and the actor's author, this transaction is the write.
struct StressReconciler {
  let store: Store

  /// Returns the outcome of the write that was in progress when the process was killed.
  ///
  /// Also returns the number of the last transaction that the process has committed.
  ///
  /// Before the kill, another thread of the process may have merged the write and recorded the
  /// cursor. Another process may then have purged the write. `purged` contains the transactions
  /// that the run has read and that may have been purged since.
  func reconcile(
    _ role: StressRole,
    after last: Int64,
    purged: [TransactionNumber: HistoryTransaction]
  ) throws -> (cutOff: ProcessTrace.CutOff, last: Int64) {
    guard FileManager.default.fileExists(atPath: role.writerTrace) else { return (.nothing, last) }
    let tail = try ProcessTraceReader.tail(of: role.writerTrace, role.header)
    let reported = tail.compactMap(\.event.kind.committedNumber).max() ?? last
    // A write that noted no number had no effect; a number that was noted for an earlier write is
    // ignored.
    guard let open = tail.last(where: { $0.event.kind.isCallOrEnd }), let given = open.given,
      case .called(let count?, _) = open.event.kind,
      let noted = StressNumberFile.read(role.numberFile), noted.write == Int64(count)
    else { return (.nothing, reported) }
    let number = TransactionNumber(noted.number)
    guard let transaction = try store.transaction(number) ?? purged[number] else {
      return (try isPurged(noted.number) ? .open : .nothing, reported)
    }
    guard transaction.author == author(of: given, role) else { return (.nothing, reported) }
    return (.committed(committed(transaction, role)), noted.number)
  }

  /// Returns whether a number is missing from history because it was committed and then purged.
  private func isPurged(_ number: Int64) throws -> Bool {
    try store.register().marks.contains { $0.purged >= number }
  }

  private func author(of command: Command, _ role: StressRole) -> String? {
    let author =
      switch command.action {
      case .write(let write): write.author
      case .batch(let batch): batch.author
      default: WriteAuthor.own
      }
    return if case .other(let name) = author { name } else { role.name }
  }

  private func committed(
    _ transaction: HistoryTransaction,
    _ role: StressRole
  ) -> CommittedTransaction {
    CommittedTransaction(store.model, transaction, writer: role.name)
  }
}

extension CommittedTransaction {
  /// Creates the trace's form of a transaction of history; objects are named by the store's keys.
  init(_ model: Model, _ transaction: HistoryTransaction, writer: String? = nil) {
    self.init(
      name: transaction.number.description,
      author: transaction.author,
      context: transaction.contextName,
      writer: writer,
      timestamp: transaction.timestamp.timeIntervalSinceReferenceDate,
      changes: transaction.changes.map { change in
        let entity = model.entity(change.objectID.entity)?.name ?? "?"
        return CommittedChange(
          change.type,
          ObjectName(entity, change.objectID.key),
          columns: change.type == .update ? change.updatedProperties : [],
          tombstone: change.type == .delete ? change.tombstone ?? [:] : nil
        )
      }
    )
  }
}

extension EventKind {
  fileprivate var committedNumber: Int64? {
    if case .committed(let transaction) = self { Int64(transaction.name) } else { nil }
  }

  /// Whether the event is the start or the end of a command.
  fileprivate var isCallOrEnd: Bool {
    switch self {
    case .called, .ended: true
    default: false
    }
  }
}

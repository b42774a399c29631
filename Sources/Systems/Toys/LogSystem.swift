import HistoryTypes
package import Traces

/// A system that runs a ``HistoryLog``, to test a design without a store.
///
/// The system keeps data, views and changes in memory; the log decides which transactions are
/// merged and purged. Every write goes through its actor's view. A write to an object that another
/// actor has deleted is skipped.
package final class LogSystem<Log: HistoryLog>: SystemUnderTest {
  /// The memory of a running actor.
  private struct Peer: Hashable {
    var view: Objects
    var fetched: [LoggedTransaction] = []
    /// The number of the newest transaction at the last fetch; `merged` is the number that the last
    /// merge reached.
    var scanned: Int
    var merged: Int
  }

  private struct State: Hashable {
    var log = Log()
    var data: Objects = [:]
    var head = 0
    var members: Set<ActorID> = []
    var peers: [ActorID: Peer] = [:]
  }

  private var state = State()
  private var header: PlanHeader?
  private var clock = PlanClock()

  package init() {}

  package let capabilities = LogSystem.abilities

  /// The commands that a system with a `HistoryLog` supports.
  package static var abilities: Set<Capability> { [.steps, .clock, .crash, .purge, .history] }

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    state = State()
    self.header = header
    clock = environment.clock
  }

  package func close() {}

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    SystemSnapshot(of: self) { [self, state] in self.state = state }
  }

  /// Adds the hash value of the whole state, because the lab does not know the parts of a log.
  ///
  /// The hash value differs between runs of the program, unless SWIFT_DETERMINISTIC_HASHING is set.
  package func describe(_ sketch: inout StateSketch) throws(SystemFailure) {
    sketch.add(state.hashValue)
  }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    switch action {
    case .launch(let actor): launch(actor, &log)
    case .stop(let actor): end(actor, .stopped, &log)
    case .crash(let actor): end(actor, .crashed, &log)
    case .retire(let actor):
      state.log.leave(actor)
      state.members.remove(actor)
      end(actor, .retired, &log)
    case .write(let write): self.write(write, &log)
    case .fetch(let actor): fetch(actor, &log)
    case .merge(let actor): merge(actor, &log)
    case .record(let actor): record(actor, &log)
    case .pass(let actor):
      fetch(actor, &log)
      merge(actor, &log)
      record(actor, &log)
    case .purge(let actor):
      log.add(actor, .purged(state.log.purge().map(\.commit.name)))
    case .view(let actor, let context):
      log.add(actor, .viewed(context: context, state.peers[actor]?.view ?? [:]))
    case .data: log.add(nil, .data(state.data))
    case .history: log.add(nil, .history(state.log.held.map(\.commit)))
    case .clock: break
    default:
      throw SystemFailure(
        .unsupported,
        "A HistoryLog does not support the command \"\(action.word)\"."
      )
    }
  }
}

extension LogSystem {
  // MARK: Launches and ends

  private func launch(_ actor: ActorID, _ log: inout EventLog) {
    let isNew = state.members.insert(actor).inserted
    if isNew { state.log.join(actor, head: state.head) }
    let cursor = state.log.cursor(of: actor)
    state.peers[actor] = Peer(view: state.data, scanned: cursor, merged: cursor)
    log.add(actor, isNew ? .registered(cursor: name(cursor)) : .launched(cursor: name(cursor)))
  }

  private func end(_ actor: ActorID, _ kind: EventKind, _ log: inout EventLog) {
    state.peers[actor] = nil
    log.add(actor, kind)
  }

  private func name(_ number: Int) -> TransactionName? { number > 0 ? String(number) : nil }

  // MARK: Passes

  private func fetch(_ actor: ActorID, _ log: inout EventLog) {
    let news = state.log.news(for: actor)
    let head = state.head
    state.peers[actor]?.fetched = news
    state.peers[actor]?.scanned = head
    log.add(actor, .fetched(news.map(\.commit.name)))
  }

  private func merge(_ actor: ActorID, _ log: inout EventLog) {
    guard var peer = state.peers[actor] else { return }
    for change in peer.fetched.flatMap(\.commit.changes) {
      peer.view[change.object] = state.data[change.object]
    }
    log.add(actor, .merged(peer.fetched.map(\.commit.name)))
    peer.merged = peer.scanned
    peer.fetched = []
    state.peers[actor] = peer
  }

  private func record(_ actor: ActorID, _ log: inout EventLog) {
    if let merged = state.peers[actor]?.merged { state.log.record(actor, through: merged) }
    log.add(actor, .recorded(cursor: name(state.log.cursor(of: actor))))
  }

  // MARK: Writes

  private func write(_ write: PlannedWrite, _ log: inout EventLog) {
    let effect = state.data.apply(write.changes)
    guard !effect.changes.isEmpty else { return log.add(write.actor, .wroteNothing) }
    for object in effect.touched {
      let values = state.data[object]
      state.peers[write.actor]?.view[object] = values
    }
    state.head += 1
    let commit = CommittedTransaction(
      name: String(state.head),
      author: author(of: write),
      context: write.context,
      writer: write.actor.name,
      timestamp: clock.now,
      changes: effect.changes
    )
    state.log.append(LoggedTransaction(number: state.head, writer: write.actor, commit: commit))
    log.add(write.actor, .committed(commit))
  }

  private func author(of write: PlannedWrite) -> String? {
    switch write.author {
    case .own: header?.actor(write.actor)?.author
    case .absent: nil
    case .other(let name): name
    }
  }
}

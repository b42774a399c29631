import PersistentHistory
import Traces

/// What a program has said in a plan so far, against which its answers are read.
struct ExternalNotes {
  let header: PlanHeader
  /// The transactions that it told of, with the times that stand in the trace.
  private(set) var times: [TransactionName: Double] = [:]
  private var members: Set<ActorID> = []
  private var staged: [ActorID: PlannedWrite] = [:]

  init(_ header: PlanHeader = PlanHeader(model: Model(unchecked: []), actors: [])) {
    self.header = header
  }

  /// Whether a launch is the first one of a membership.
  func isNew(_ actor: ActorID) -> Bool { !members.contains(actor) }

  /// Takes note of what was done.
  mutating func note(_ action: Action) {
    switch action {
    case .launch(let actor):
      members.insert(actor)
      staged[actor] = nil
    case .retire(let actor):
      members.remove(actor)
      staged[actor] = nil
    case .stop(let actor), .crash(let actor): staged[actor] = nil
    case .begin(let write): staged[write.actor] = write
    default: break
    }
  }

  mutating func note(_ transaction: TransactionName, at time: Double) { times[transaction] = time }

  /// Who writes by a request, if it is one that writes.
  func writer(of request: WireRequest) -> WireWriter? {
    guard case .command(let action) = request else { return nil }
    switch action {
    case .write(let write): return writer(write)
    case .commit(let actor):
      return staged[actor].map(writer)
        ?? WireWriter(author: header.actor(actor)?.author, context: "view")
    case .batch(let batch):
      return WireWriter(author: author(batch.author, of: batch.actor), context: "batch")
    default: return nil
    }
  }

  private func writer(_ write: PlannedWrite) -> WireWriter {
    WireWriter(author: author(write.author, of: write.actor), context: write.context)
  }

  private func author(_ choice: WriteAuthor, of actor: ActorID) -> String? {
    switch choice {
    case .own: header.actor(actor)?.author
    case .absent: nil
    case .other(let name): name
    }
  }

  /// The first name that stands for no transaction that it told of.
  func unknown(in answer: WireAnswer) -> TransactionName? {
    let lists = [
      answer.transactions, answer.fetched, answer.observed, answer.finished, answer.purged,
    ]
    let positions = [answer.cursor?.transaction, answer.recorded?.transaction]
    let names = lists.flatMap { $0 ?? [] } + positions.compactMap(\.self)
    return names.first { times[$0] == nil }
  }
}

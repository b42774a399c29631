import HistoryTypes
import Traces

/// The program's earlier answers in a plan, needed to interpret its next answers.
struct ExternalNotes {
  let header: PlanHeader
  /// The transactions that the program reported, with their timestamps in the trace.
  private(set) var times: [TransactionName: Double] = [:]
  private var members: Set<ActorID> = []
  private var staged: [ActorID: PlannedWrite] = [:]

  init(_ header: PlanHeader = PlanHeader(model: Model(unchecked: []), actors: [])) {
    self.header = header
  }

  /// Returns whether a launch of this actor starts a new membership.
  func isNew(_ actor: ActorID) -> Bool { !members.contains(actor) }

  /// Records an action that the program has performed.
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

  /// Returns the author and context that a request writes under; `nil` if it does not write.
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

  /// Returns the first transaction name in an answer that the program never reported; else `nil`.
  func unknown(in answer: WireAnswer) -> TransactionName? {
    let lists = [
      answer.transactions, answer.fetched, answer.observed, answer.finished, answer.purged,
    ]
    let positions = [answer.cursor?.transaction, answer.recorded?.transaction]
    let names = lists.flatMap { $0 ?? [] } + positions.compactMap(\.self)
    return names.first { times[$0] == nil }
  }
}

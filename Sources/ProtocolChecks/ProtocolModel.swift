import Checkers
import HistoryTypes
import Traces

/// A model of the checked program's state, from which the correct answers are computed.
///
/// The model is updated from the program's answers.
struct ProtocolModel {
  /// A transaction that the program committed.
  struct Entry {
    let writer: ActorID
    /// The transaction as the program reported it, but with the correct changes.
    let transaction: CommittedTransaction
    var name: TransactionName { transaction.name }
  }

  let header: PlanHeader
  private(set) var data: ReferenceModel
  private(set) var entries: [Entry] = []
  private(set) var purged: Set<TransactionName> = []
  /// Whether every write that took effect was answered with the name of its transaction.
  var knowsNames = true
  /// Whether the program's data are known; `false` after a wrong answer that leaves them uncertain.
  var knowsData = true
  /// Whether a correct answer to `data` has contained objects.
  var hasSeenData = false
  /// The name of the first transaction after an earlier reset; `nil` if unknown.
  ///
  /// After every reset, the first transaction must have this name.
  var firstName: TransactionName?
  /// The number of `entries` that each actor has fetched.
  ///
  /// `merged` and `recorded` are the numbers of entries that the actor has merged and recorded.
  private var fetched: [ActorID: Int] = [:]
  private var merged: [ActorID: Int] = [:]
  private var recorded: [ActorID: Int] = [:]

  init(_ header: PlanHeader) {
    self.header = header
    data = ReferenceModel(header.model)
  }

  var objects: Objects { data.objects }
  var isEmpty: Bool { entries.isEmpty }

  func isKnown(_ name: TransactionName) -> Bool { entries.contains { $0.name == name } }

  /// All committed transactions that are not purged.
  ///
  /// The program's history must contain those with changes. It may omit those without changes.
  var history: [CommittedTransaction] {
    entries.map(\.transaction).filter { !purged.contains($0.name) }
  }

  // MARK: Changes of state

  mutating func launch(_ actor: ActorID) {
    let cursor = recorded[actor] ?? entries.count
    (recorded[actor], merged[actor], fetched[actor]) = (cursor, entries.count, entries.count)
  }

  mutating func retire(_ actor: ActorID) { recorded[actor] = nil }

  mutating func fetch(_ actor: ActorID) { fetched[actor] = entries.count }

  mutating func merge(_ actor: ActorID) { merged[actor] = fetched[actor] ?? entries.count }

  mutating func record(_ actor: ActorID) { recorded[actor] = merged[actor] ?? entries.count }

  /// Makes an actor fetch and merge all committed transactions, and record its position.
  mutating func pass(_ actor: ActorID) {
    fetch(actor)
    merge(actor)
    record(actor)
  }

  mutating func purge(_ names: [TransactionName]) { purged.formUnion(names) }

  /// Applies a write; `transaction` is `nil` if the write added no transaction to history.
  mutating func commit(_ edit: ProtocolEdit, _ transaction: CommittedTransaction?) {
    data = edit.after
    guard var transaction else { return }
    transaction.changes = edit.changes
    entries.append(Entry(writer: edit.actor, transaction: transaction))
  }

  /// Replaces the data with the objects that the program reports.
  mutating func adopt(_ objects: Objects) {
    data = ReferenceModel(header.model)
    data.apply(objects.map { PlannedChange(.insert, $0.key, $0.value) })
  }

  // MARK: Right answers

  /// Returns the transactions of other actors that an actor has not merged.
  ///
  /// Transactions without changes and purged transactions are left out.
  func news(for actor: ActorID) -> [TransactionName] {
    entries.dropFirst(merged[actor] ?? 0)
      .filter { $0.writer != actor && !$0.transaction.changes.isEmpty && !purged.contains($0.name) }
      .map(\.name)
  }

  /// Returns the correct answer to a command that does not write.
  func answer(to action: Action) -> WireAnswer {
    var answer = WireAnswer()
    switch action {
    case .launch(let actor): answer.cursor = position(recorded[actor] ?? entries.count)
    case .fetch(let actor), .merge(let actor), .consume(let actor):
      answer.transactions = news(for: actor)
    case .record(let actor): answer.cursor = position(merged[actor] ?? 0)
    case .pass(let actor):
      (answer.transactions, answer.purged) = (news(for: actor), [])
      answer.cursor = position(entries.count)
    case .resync: answer.cursor = position(entries.count)
    case .purge: answer.purged = purgeable
    case .view, .data: answer.objects = objects
    case .history: answer.history = history
    default: break
    }
    return answer
  }

  /// The transactions that every member has recorded and that are not yet purged.
  private var purgeable: [TransactionName] {
    entries.prefix(recorded.values.min() ?? 0).map(\.name).filter { !purged.contains($0) }
  }

  private func position(_ count: Int) -> WirePosition {
    WirePosition(entries.prefix(count).last?.name)
  }

  /// Returns the correct answer to a write.
  func answer(to edit: ProtocolEdit, now: Double) -> WireAnswer {
    var answer = WireAnswer()
    answer.write = .nothing
    guard !edit.changes.isEmpty else { return answer }
    answer.write = .committed(
      CommittedTransaction(
        name: nextName,
        author: edit.author,
        context: nil,
        writer: nil,
        timestamp: now,
        changes: edit.changes
      )
    )
    return answer
  }

  /// An unused name for the next transaction.
  var nextName: TransactionName {
    if isEmpty, let firstName { return firstName }
    var number = entries.count + 1
    while isKnown(String(number)) { number += 1 }
    return String(number)
  }
}

/// A write that is to be sent, with its effect on the data.
struct ProtocolEdit {
  let actor: ActorID
  let author: String?
  /// The changes that the message requests; `nil` for a batch request.
  let planned: [PlannedChange]?
  let before: Objects
  let after: ReferenceModel
  let net: [NetChange]

  init(_ write: PlannedWrite, in model: ProtocolModel) {
    actor = write.actor
    author = write.author == .absent ? nil : model.header.actor(write.actor)?.author
    planned = write.changes
    before = model.objects
    var after = model.data
    net = after.apply(write.changes).filter { $0.type != nil }
    self.after = after
  }

  init(_ batch: PlannedBatch, in model: ProtocolModel) {
    actor = batch.actor
    author = model.header.actor(batch.actor)?.author
    planned = nil
    before = model.objects
    var after = model.data
    net = after.apply(batch).filter { $0.type != nil }
    self.after = after
  }

  /// The changes that the answer must contain.
  var changes: [CommittedChange] {
    net.sorted { $0.object < $1.object }.compactMap { change in
      let values = after.objects[change.object] ?? [:]
      switch change.type {
      case .insert: return CommittedChange(.insert, change.object, values: values)
      case .delete: return CommittedChange(.delete, change.object)
      case .update: return update(change, values)
      case nil: return nil
      }
    }
  }

  private func update(_ change: NetChange, _ values: Values) -> CommittedChange {
    let columns = columns(of: change)
    let set = columns.map { ($0, values[$0] ?? .null) }
    return CommittedChange(
      .update,
      change.object,
      columns: columns,
      values: Dictionary(uniqueKeysWithValues: set)
    )
  }

  /// Returns the attributes whose values the write changed, in the entity's order.
  private func columns(of change: NetChange) -> [String] {
    let entity = after.model.entities.first { $0.name == change.object.entity }
    return entity?.names(in: change.columns) ?? []
  }
}

import PersistentHistory
package import Traces

/// What the data must hold after each write of a trace, and whether the system agrees.
///
/// It computes every write's net effect from the plan's command, never from what the system tells,
/// and compares the two. A staged write takes its effect when it is committed. A write that failed
/// took none; one of unknown outcome forks the data into both possibilities, which later answers
/// narrow down again.
package struct Ledger: Sendable {
  /// The most possibilities that are kept; with more the data counts as undecided.
  package static let possibilitiesMax = 32
  /// The data as it can be; one possibility unless an outcome was unknown.
  package private(set) var possibilities: [Possibility]
  /// What the current event says that cannot be, if it does.
  package private(set) var finding: Finding?
  /// The net effect of the write that the current event committed, if only one is possible.
  package private(set) var net: [NetChange]?
  /// Why nobody can say what the data must hold, if so.
  package private(set) var undecided: String?

  /// The data, if only one state of it is possible.
  package var objects: Objects? {
    possibilities.count == 1 ? possibilities[0].model.objects : nil
  }

  private let commands: [Command]
  private var current: PlannedEdit?
  private var currentAction: Action?
  private var hasCommitted = false
  private var staged: [ActorID: StagedWrite] = [:]
  private var position = 0

  init(_ plan: Plan) {
    commands = plan.commands
    possibilities = [Possibility(ReferenceModel(plan.header.model))]
  }

  /// Takes the next event in, with the positions of the transactions that it names and the position
  /// that the next transaction gets.
  mutating func observe(_ event: Event, named: [Int], position: Int) {
    self.position = position
    if finding != nil { finding = nil }
    if net != nil { net = nil }
    switch event.happening {
    case .called(let command, _): begin(command)
    case .committed(let transaction): commit(transaction)
    case .ended(_, let outcome): end(outcome)
    case .crashed, .stopped, .retired:
      if let actor = event.actor { staged[actor] = nil }
    case .data(let objects): narrow(to: objects)
    case .recovered: recover(through: named)
    default: break
    }
  }

  private mutating func begin(_ command: Int?) {
    current = nil
    currentAction = nil
    hasCommitted = false
    guard let command, commands.indices.contains(command) else { return }
    let action = commands[command].action
    switch action {
    case .write(let write): current = PlannedEdit(.changes(write.changes))
    case .batch(let batch): current = PlannedEdit(.batch(batch))
    case .commit(let actor):
      let write = staged[actor]
      current = PlannedEdit(.changes(write?.changes ?? []), isOptional: write?.isDoubtful ?? false)
    default: break
    }
    currentAction = action
  }

  private mutating func commit(_ transaction: CommittedTransaction) {
    guard let current, !hasCommitted else {
      finding = current == nil ? .unasked : .committedTwice
      return
    }
    hasCommitted = true
    take(current.edit, told: transaction.changes)
  }

  private mutating func end(_ outcome: Outcome) {
    defer {
      current = nil
      currentAction = nil
    }
    stage(outcome)
    guard let current else { return }
    switch outcome {
    case .ok where !hasCommitted && !current.isOptional: take(current.edit, told: [])
    case .failed where hasCommitted: finding = .failedAndCommitted
    case .unknown where !hasCommitted: fork(current.edit)
    default: break
    }
  }

  /// Keeps what a begin staged, and drops what a commit used up.
  ///
  /// After a commit that failed, or a
  /// begin of unknown outcome, the staged write may be there or not.
  private mutating func stage(_ outcome: Outcome) {
    switch (currentAction, outcome) {
    case (.begin(let write), .ok): staged[write.actor] = StagedWrite(write.changes, false)
    case (.begin(let write), .unknown): staged[write.actor] = StagedWrite(write.changes, true)
    case (.commit(let actor), .ok): staged[actor] = nil
    case (.commit(let actor), _): staged[actor]?.isDoubtful = true
    default: break
    }
  }

  /// Applies an edit to every possibility and keeps those in which the system told the truth.
  private mutating func take(_ edit: Edit, told: [CommittedChange]) {
    if possibilities.count == 1 {
      let changes = possibilities[0].apply(edit, at: position)
      net = changes
      finding = Disagreement(net: changes, told: told).map(Finding.disagrees)
      return
    }
    var first: Disagreement?
    var kept: [Possibility] = []
    for var possibility in possibilities {
      let disagreement = Disagreement(
        net: possibility.apply(edit, at: position),
        told: told
      )
      if disagreement == nil { kept.append(possibility) }
      first = first ?? disagreement
    }
    guard kept.isEmpty else {
      possibilities = kept
      return
    }
    finding = first.map(Finding.disagrees)
  }

  private mutating func fork(_ edit: Edit) {
    guard possibilities.count * 2 <= Self.possibilitiesMax else {
      undecided = "Too many writes ended with nobody knowing whether they took effect."
      return
    }
    for var possibility in possibilities {
      let changes = possibility.apply(edit, at: position)
      if !changes.isEmpty { possibilities.append(possibility) }
    }
  }

  private mutating func narrow(to data: Objects) {
    let kept = possibilities.filter { Difference(from: $0.model.objects, to: data) == nil }
    guard kept.isEmpty else {
      possibilities = kept
      return
    }
    finding = Difference(from: possibilities[0].model.objects, to: data).map(Finding.data)
  }

  private mutating func recover(through named: [Int]) {
    staged.removeAll()
    let last = named.first ?? -1
    guard last >= 0 || named.isEmpty else {
      undecided = "A power-off left the store at a transaction that no event told."
      return
    }
    for index in possibilities.indices { possibilities[index].goBack(through: last) }
  }
}

/// One way that the data can be, and the edits that led there.
package struct Possibility: Sendable {
  /// The data.
  package private(set) var model: ReferenceModel
  private var log: [(at: Int, edit: Edit)] = []

  init(_ model: ReferenceModel) { self.model = model }

  mutating func apply(_ edit: Edit, at position: Int) -> [NetChange] {
    log.append((position, edit))
    return edit.apply(to: &model)
  }

  /// Undoes what came after a transaction, by doing again what came before.
  mutating func goBack(through last: Int) {
    guard let after = log.firstIndex(where: { $0.at > last }) else { return }
    log.removeSubrange(after...)
    model = ReferenceModel(model.model)
    for entry in log { _ = entry.edit.apply(to: &model) }
  }
}

/// What the system says that cannot be.
package enum Finding: Hashable, Sendable {
  /// A transaction that no command of the plan asked for.
  case unasked
  /// A second transaction for one write.
  case committedTwice
  /// A transaction of a write that ended as failed.
  case failedAndCommitted
  /// Other changes than the write makes.
  case disagrees(Disagreement)
  /// Other data than the writes leave.
  case data(Difference)
}

/// An edit of the data, as the plan has it.
enum Edit: Sendable {
  case changes([PlannedChange])
  case batch(PlannedBatch)

  func apply(to model: inout ReferenceModel) -> [NetChange] {
    switch self {
    case .changes(let changes): model.apply(changes)
    case .batch(let batch): model.apply(batch)
    }
  }
}

/// The edit of the command under way.
private struct PlannedEdit: Sendable {
  let edit: Edit
  /// Whether nobody knows if there is anything to commit.
  var isOptional = false

  init(_ edit: Edit, isOptional: Bool = false) {
    self.edit = edit
    self.isOptional = isOptional
  }
}

/// A write that an actor has begun and not committed.
private struct StagedWrite: Sendable {
  let changes: [PlannedChange]
  /// Whether nobody knows if it is still staged.
  var isDoubtful: Bool

  init(_ changes: [PlannedChange], _ isDoubtful: Bool) {
    self.changes = changes
    self.isDoubtful = isDoubtful
  }
}

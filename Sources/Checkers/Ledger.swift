import PersistentHistory
package import Traces

/// What the data must hold after each write of a trace, and whether the system agrees.
///
/// It computes every write's net effect from the plan's command, never from what the system tells,
/// and compares the two. A staged write takes its effect when it is committed. A write that failed
/// took none; one of unknown outcome forks the data into both possibilities, which later answers
/// narrow down again. A write costs what it changes, in each possibility.
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

  private var commands: [Command]
  private var current: PlannedEdit?
  private var currentAction: Action?
  /// Whether faults strike while the command runs.
  private var isDisturbed = false
  private var hasCommitted = false
  private(set) var staged: [ActorID: StagedWrite] = [:]
  private var position = 0

  init(_ plan: Plan) {
    commands = plan.commands
    let tracksViews = plan.commands.contains { $0.action.hasPolicy }
    possibilities = [Possibility(ReferenceModel(plan.header.model), tracksViews: tracksViews)]
  }

  /// Goes on with a longer plan, whose new command ends conflicts as the others do.
  mutating func append(_ command: Command) { commands.append(command) }

  /// Applies the next event, with the positions of the transactions that it names and the position that
  /// the next transaction gets.
  mutating func advance(_ event: Event, named: [Int], position: Int) {
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
    case .registered, .launched, .resynced, .merged:
      guard let actor = event.actor else { return }
      for index in possibilities.indices {
        possibilities[index].observe(event.happening, by: actor, named: named)
      }
    default: break
    }
  }

  private mutating func begin(_ command: Int?) {
    current = nil
    currentAction = nil
    hasCommitted = false
    guard let command, commands.indices.contains(command) else { return }
    let action = commands[command].action
    isDisturbed = !commands[command].faults.isEmpty
    switch action {
    case .write(let write): current = PlannedEdit(.write(write))
    case .batch(let batch): current = PlannedEdit(.batch(batch))
    case .commit(let actor):
      let write = staged[actor]
      current = PlannedEdit(
        write.map { .write($0.write) } ?? .changes([]),
        isOptional: write?.isDoubtful ?? false
      )
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
    weigh(outcome)
    guard let current else { return }
    switch outcome {
    case .ok where !hasCommitted && !current.isOptional: take(current.edit, told: [])
    case .failed where hasCommitted: finding = .failedAndCommitted
    case .unknown where !hasCommitted: fork(current.edit)
    default: break
    }
  }

  /// Takes in what a failure means for the views: it must have a reason, and after any other than a
  /// conflict nobody can say what the actor's view has read.
  private mutating func weigh(_ outcome: Outcome) {
    guard let action = currentAction, let actor = action.actor else { return }
    switch outcome {
    case .ok: return
    case .failed(let failure) where failure.code == .conflict:
      guard let edit = current?.edit, !hasCommitted else { return }
      var reasons: [Bool?] = []
      for index in possibilities.indices { reasons.append(possibilities[index].mustConflict(edit)) }
      if reasons.allSatisfy({ $0 == false }) { finding = .unfounded }
    case .failed(let failure) where failure.code == .failed && current != nil && !isDisturbed:
      finding = .refused(failure.message)
    case .failed, .unknown:
      for index in possibilities.indices { possibilities[index].doubt(actor) }
    }
  }

  /// Keeps what a begin staged, and drops what a commit used up.
  ///
  /// After a commit that failed, or a
  /// begin of unknown outcome, the staged write may be there or not.
  private mutating func stage(_ outcome: Outcome) {
    switch (currentAction, outcome) {
    case (.begin(let write), .ok): staged[write.actor] = StagedWrite(write, false)
    case (.begin(let write), .unknown): staged[write.actor] = StagedWrite(write, true)
    case (.commit(let actor), .ok): staged[actor] = nil
    case (.commit(let actor), _): staged[actor]?.isDoubtful = true
    default: break
    }
  }

  /// Applies an edit to every possibility and keeps those in which the system told the truth.
  private mutating func take(_ edit: Edit, told: [CommittedChange]) {
    if possibilities.count == 1 {
      let changes = possibilities[0].apply(edit, at: position, told: told)
      net = changes
      finding = Disagreement(net: changes, told: told).map(Finding.disagrees)
      return
    }
    var disagreements: [Disagreement?] = []
    // In their place: a copy of one is as long as the trace.
    for index in possibilities.indices {
      let changes = possibilities[index].apply(edit, at: position, told: told)
      disagreements.append(Disagreement(net: changes, told: told))
    }
    guard disagreements.contains(where: { $0 == nil }) else {
      finding = disagreements.first?.map(Finding.disagrees)
      return
    }
    for index in disagreements.indices.reversed() where disagreements[index] != nil {
      possibilities.remove(at: index)
    }
  }

  private mutating func fork(_ edit: Edit) {
    guard possibilities.count * 2 <= Self.possibilitiesMax else {
      undecided = "Too many writes ended with nobody knowing whether they took effect."
      return
    }
    for var possibility in possibilities {
      let changes = possibility.apply(edit, at: position, told: [])
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

  /// Goes back to what survived; the write that was under way took effect if its transaction was told.
  private mutating func recover(through named: [Int]) {
    staged.removeAll()
    current = nil
    currentAction = nil
    let last = named.first ?? -1
    guard last >= 0 || named.isEmpty else {
      undecided = "A power-off left the store at a transaction that no event told."
      return
    }
    for index in possibilities.indices { possibilities[index].goBack(through: last) }
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
  /// A conflict about objects that nobody has changed since the view read them.
  case unfounded
  /// A failure of a write in whose way nothing stood.
  case refused(String)
}

extension Action {
  /// Whether it is a write whose conflicts end otherwise than by writing over them.
  fileprivate var hasPolicy: Bool {
    switch self {
    case .write(let write), .begin(let write): write.policy != .objectWins
    default: false
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
struct StagedWrite: Sendable {
  let write: PlannedWrite
  /// Whether nobody knows if it is still staged.
  var isDoubtful: Bool

  init(_ write: PlannedWrite, _ isDoubtful: Bool) {
    self.write = write
    self.isDoubtful = isDoubtful
  }
}

import HistoryTypes
package import Traces

/// The data that the plan's writes should produce, compared with the changes that the system reports.
///
/// The ledger computes the net effect of every write from the plan's command, never from the
/// system's reports. A write that `begin` stages takes effect at its `commit`; a write that failed
/// has no effect. After a write of unknown outcome, the ledger keeps two possible states, with and
/// without the write, until later events rule one of them out. The cost of a write is linear in its
/// changes and in the number of possible states.
package struct Ledger: Sendable {
  /// The maximum number of possible states; if there would be more, the data count as unknown.
  package static let possibilitiesMax = 32
  /// The possible states of the data; more than one only after a write of unknown outcome.
  package private(set) var possibilities: [Possibility]
  /// The contradiction between the current event and the plan; `nil` if they agree.
  package private(set) var mismatch: Mismatch?
  /// The net effect of the write that the current event committed; `nil` if several are possible.
  package private(set) var net: [NetChange]?
  /// The reason why the expected data are unknown; `nil` if they are known.
  package private(set) var undecided: String?

  /// The data, if only one state is possible; otherwise `nil`.
  package var objects: Objects? {
    possibilities.count == 1 ? possibilities[0].model.objects : nil
  }

  private var commands: [Command]
  private var current: PlannedEdit?
  /// The write that inserts the objects of the plan's header; `nil` if there is no such write.
  private let openingWrite: PlannedEdit?
  private var currentAction: Action?
  /// Whether the command in progress has faults.
  private var isDisturbed = false
  private var hasCommitted = false
  /// The results that live queries have reported during a write that was not committed yet.
  private var reports: [Event] = []
  private(set) var staged: [ActorID: StagedWrite] = [:]
  private var position = 0
  /// The actors with the newer model, whose launch upgrades a file with the older model.
  ///
  /// Empty if the plan has only one version of the model.
  private let newerActors: Set<ActorID>
  /// Whether the store captures writes by programs without the library as transactions.
  private let capturesPlainSQL: Bool

  init(_ plan: Plan) {
    commands = plan.commands
    let tracksViews = plan.commands.contains { $0.action.hasPolicy }
    let header = plan.header
    openingWrite = header.openingWrite.map { PlannedEdit(.write($0)) }
    let older = Set(header.actors.map(\.id).filter(header.isOlder))
    possibilities = [
      Possibility(
        ReferenceModel(header.model),
        tracksViews: tracksViews,
        olderActors: older,
        partialActors: Set(header.actors.filter(\.isPartial).map(\.id))
      )
    ]
    capturesPlainSQL = header.foreignWrites == .captured
    newerActors =
      header.hasOlderModel ? Set(header.actors.map(\.id)).subtracting(older) : []
  }

  /// Appends a command to the plan.
  ///
  /// The results of merge policies other than the default depend on what the actors' views (their
  /// first contexts) have read. The ledger tracks this only if the plan with which it was created has
  /// a write with such a policy. Otherwise, `command` must not have such a policy.
  mutating func append(_ command: Command) { commands.append(command) }

  /// Updates the expected data with the next event.
  ///
  /// `named` contains the positions of the transactions that the event names. `position` is the
  /// position that the next transaction will get.
  mutating func advance(_ event: Event, named: [Int], position: Int) {
    self.position = position
    if mismatch != nil { mismatch = nil }
    if net != nil { net = nil }
    switch event.kind {
    case .called(let command, let word):
      begin(command)
      if command == nil, word == "write" { current = openingWrite }
      if word == "launch", let actor = event.actor { beginLaunch(of: actor) }
    case .committed(let transaction): commit(transaction)
    case .ended(_, let outcome):
      end(outcome)
      for event in reports { observe(event) }
      reports.removeAll()
    case .crashed, .stopped, .retired:
      if let actor = event.actor { staged[actor] = nil }
    case .data(let objects): narrow(to: objects)
    case .recovered: recover(through: named)
    // The result of a live query already includes the write in progress, whose effect is known only
    // at the end of the command.
    case .listed where current != nil && !hasCommitted: reports.append(event)
    case .registered, .launched, .resynced, .merged, .listed: observe(event, named)
    default: break
    }
  }

  private mutating func observe(_ event: Event, _ named: [Int] = []) {
    guard let actor = event.actor else { return }
    for index in possibilities.indices {
      possibilities[index].observe(event.kind, by: actor, named: named)
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
    case .write(let write):
      let isPlainSQL = capturesPlainSQL && write.context == PlannedWrite.plainSQL
      let replaces = write.policy == .overwrite
      current = PlannedEdit(
        isPlainSQL ? .plainSQL(write.changes, replacing: replaces) : .write(write)
      )
    case .batch(let batch): current = PlannedEdit(.batch(batch))
    case .commit(let actor):
      let write = staged[actor]
      current = PlannedEdit(
        write.map { .write($0.write) } ?? .changes([]),
        isOptional: write?.isUncertain ?? false
      )
    default: break
    }
    currentAction = action
  }

  /// Expects a model upgrade if an actor with the newer model is launched and the file may still have
  /// the older model.
  private mutating func beginLaunch(of actor: ActorID) {
    guard newerActors.contains(actor), possibilities.contains(where: { !$0.model.isUpgraded })
    else { return }
    current = PlannedEdit(.upgrade, isOptional: true)
  }

  private mutating func commit(_ transaction: CommittedTransaction) {
    guard let current, !hasCommitted else {
      mismatch = current == nil ? .unasked : .committedTwice
      return
    }
    hasCommitted = true
    take(current.edit, reported: transaction.changes)
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
    case .ok where !hasCommitted && !current.isOptional: take(current.edit, reported: [])
    case .failed where hasCommitted && !current.edit.isUpgrade: mismatch = .failedAndCommitted
    case .unknown where !hasCommitted: fork(current.edit)
    default: break
    }
  }

  /// Checks that the plan explains a command's failure, and updates what the view is known to have read.
  ///
  /// After a failure that is neither a conflict nor another refusal, it is unknown which states the
  /// actor's view has read.
  private mutating func weigh(_ outcome: Outcome) {
    guard let action = currentAction, let actor = action.actor else { return }
    switch outcome {
    case .ok: return
    case .failed(let failure) where failure.code == .conflict:
      guard let edit = current?.edit, !hasCommitted else { return }
      var reasons: [Bool?] = []
      for index in possibilities.indices { reasons.append(possibilities[index].mustConflict(edit)) }
      if reasons.allSatisfy({ $0 == false }) { mismatch = .unfounded }
      checkIsDecided()
    case .failed(let failure) where Refusal(failure) != nil:
      guard let edit = current?.edit, !hasCommitted, let refusal = Refusal(failure) else { return }
      var isFounded = false
      for index in possibilities.indices {
        let expected = possibilities[index].mustRefuse(edit)
        isFounded = isFounded || expected == refusal
      }
      if !isFounded { mismatch = .refused(failure.description) }
      checkIsDecided()
    case .failed(let failure) where failure.code == .failed && current != nil && !isDisturbed:
      mismatch = .refused(failure.message)
    case .failed, .unknown:
      for index in possibilities.indices { possibilities[index].uncertainty(actor) }
    }
  }

  /// Checks that the expected data are known; otherwise sets ``undecided`` to the reason.
  ///
  /// The data are unknown if a save depended on what the actor's view (first context) had read, while
  /// that was unknown. A mismatch of the current event is then discarded.
  private mutating func checkIsDecided() {
    guard undecided == nil, possibilities.contains(where: \.isUndecided) else { return }
    undecided =
      "A save depends on what its view has read, which a failure or a live query made uncertain."
    mismatch = nil
  }

  /// Records that `begin` staged a write for a later `commit`, or that `commit` committed it.
  ///
  /// After a `begin` of unknown outcome, or a `commit` that did not succeed, it is unknown whether
  /// the write still waits to be committed.
  private mutating func stage(_ outcome: Outcome) {
    switch (currentAction, outcome) {
    case (.begin(let write), .ok): staged[write.actor] = StagedWrite(write, false)
    case (.begin(let write), .unknown): staged[write.actor] = StagedWrite(write, true)
    case (.commit(let actor), .ok): staged[actor] = nil
    case (.commit(let actor), _): staged[actor]?.isUncertain = true
    default: break
    }
  }

  /// Applies an edit to every possible state, and keeps the states that agree with the reported
  /// changes.
  ///
  /// If no state agrees, all states are kept and ``mismatch`` is set.
  private mutating func take(_ edit: Edit, reported: [CommittedChange]) {
    if possibilities.count == 1 {
      let changes = possibilities[0].apply(edit, at: position, reported: reported)
      net = changes
      mismatch = Self.mismatch(possibilities[0], changes, reported)
      return checkIsDecided()
    }
    var mismatches: [Mismatch?] = []
    // The possibilities are edited in place, because copying one costs time linear in the trace.
    for index in possibilities.indices {
      let changes = possibilities[index].apply(edit, at: position, reported: reported)
      mismatches.append(Self.mismatch(possibilities[index], changes, reported))
    }
    guard mismatches.contains(where: { $0 == nil }) else {
      mismatch = mismatches.first ?? nil
      return checkIsDecided()
    }
    for index in mismatches.indices.reversed() where mismatches[index] != nil {
      possibilities.remove(at: index)
    }
    checkIsDecided()
  }

  /// Returns how the reported changes of a write contradict a possible state; `nil` if they agree.
  private static func mismatch(
    _ possibility: Possibility,
    _ changes: [NetChange],
    _ reported: [CommittedChange]
  ) -> Mismatch? {
    if let refusal = possibility.refusal { return .accepted(refusal) }
    return Disagreement(net: changes, reported: reported).map(Mismatch.disagrees)
  }

  private mutating func fork(_ edit: Edit) {
    guard possibilities.count * 2 <= Self.possibilitiesMax else {
      undecided = "Too many writes ended with an unknown outcome."
      return
    }
    for var possibility in possibilities {
      let changes = possibility.apply(edit, at: position, reported: [])
      if !changes.isEmpty { possibilities.append(possibility) }
    }
  }

  private mutating func narrow(to data: Objects) {
    let kept = possibilities.filter { Difference(from: $0.model.objects, to: data) == nil }
    guard kept.isEmpty else {
      possibilities = kept
      return
    }
    mismatch = Difference(from: possibilities[0].model.objects, to: data).map(Mismatch.data)
  }

  /// Rolls the expected data back to the last transaction that survived a power-off.
  ///
  /// That transaction may be the one of the command that the power-off interrupted.
  private mutating func recover(through named: [Int]) {
    staged.removeAll()
    current = nil
    currentAction = nil
    let last = named.first ?? -1
    guard last >= 0 || named.isEmpty else {
      undecided = "A power-off left the store at a transaction that no event reported."
      return
    }
    for index in possibilities.indices { possibilities[index].goBack(through: last) }
  }
}

/// A contradiction between an event and the plan.
package indirect enum Mismatch: Hashable, Sendable {
  /// A transaction was committed, although the command in progress requested no write.
  case unasked
  /// A second transaction was committed for one write.
  case committedTwice
  /// A write reported a failure, but its transaction was committed.
  case failedAndCommitted
  /// The reported changes differ from the changes that the write makes.
  case disagrees(Disagreement)
  /// The data that the system reports differ from the data that the writes should produce.
  case data(Difference)
  /// A write failed with a conflict, but no other write has changed the written objects since the
  /// actor's context read them.
  case unfounded
  /// A write succeeded although the store must refuse it.
  case accepted(Refusal)
  /// A write failed without a reason in the plan.
  case refused(String)
}

extension Action {
  /// Whether the command is a write with a merge policy other than `objectWins`.
  fileprivate var hasPolicy: Bool {
    switch self {
    case .write(let write), .begin(let write): write.policy != .objectWins
    default: false
    }
  }
}

/// The edit that the current command should make.
private struct PlannedEdit: Sendable {
  let edit: Edit
  /// Whether the command may succeed without the edit, such as a launch that upgrades no model.
  var isOptional = false

  init(_ edit: Edit, isOptional: Bool = false) {
    self.edit = edit
    self.isOptional = isOptional
  }
}

/// A write that `begin` has started and `commit` has not committed.
struct StagedWrite: Sendable {
  let write: PlannedWrite
  /// Whether the write may no longer wait for its `commit`, or may never have been staged.
  ///
  /// `true` after a `begin` of unknown outcome, or after a `commit` that did not succeed.
  var isUncertain: Bool

  init(_ write: PlannedWrite, _ isUncertain: Bool) {
    self.write = write
    self.isUncertain = isUncertain
  }
}

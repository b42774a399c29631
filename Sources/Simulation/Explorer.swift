import Faults
package import Systems
package import Traces

/// Runs all plans of a ``PlanSpace`` on one system, shortest first, and judges each of them.
///
/// Equivalent states are merged: plans are continued from only one of them. In each state, the
/// explorer also runs the passes and reads that close a plan, and restores the state afterwards.
/// The first plan that breaks an invariant is a shortest one, because every shorter plan was run
/// before.
///
/// An explorer must not be used from several threads at a time.
package final class Explorer<Space: PlanSpace, Judge: PlanJudge> {
  let simulator: Simulator
  let space: Space
  var bounds: ExplorationBounds
  var tree = PlanTree()
  var result = Exploration()
  /// The invariants that the explored plans have broken, one bit each.
  var known: UInt64 = 0
  /// The number of states that other processes have reached and this process continues from.
  var knownCount = 0
  /// The outcomes of an earlier exploration of the same plans; `nil` if there was none.
  private let earlier: KnownMoves?
  /// A random sample of pairs of plans that led to equivalent states, for ``continuePairs(by:)``.
  var pairs: [MergedPair] = []
  var mergeCount = 0
  let random: RandomState
  /// For each new state, the result for a plan that ends in it, with closing passes and reads.
  ///
  /// A state is new if its number is at least `knownCount`; states of earlier rounds have lower
  /// numbers (``ExplorationRounds``). The index is the number of the state minus `knownCount`. The
  /// array is empty if ``ExplorationBounds/keepsMoves`` is `false`.
  var conclusions: [KnownMoves.Conclusion] = []

  /// A reached state from which no command has been run yet.
  struct Open {
    let node: Int
    let root: Int
    /// A snapshot of the state from which one command led to this state.
    ///
    /// All states that one command reaches from that state share its snapshot. `nil` if no snapshot
    /// was kept: to reach this state again, all commands that lead to it are performed.
    let parent: Kept?
  }

  /// A snapshot of a state: the plan's state in the plan space, its checker, and the simulator.
  ///
  /// Snapshots take most of the memory of an exploration. They are kept only of states from which
  /// commands have been run. Two to three times as many states still wait for their first command.
  final class Kept {
    let place: Space.Place
    let judge: Judge
    let snapshot: Simulator.Snapshot

    init(place: Space.Place, judge: Judge, snapshot: Simulator.Snapshot) {
      (self.place, self.judge, self.snapshot) = (place, judge, snapshot)
    }
  }

  /// A header from which plans start, with the data that all plans with this header share.
  struct Root {
    let header: PlanHeader
    let equivalence: StateEquivalence
    var state: StateSketch
    /// For each version of the disk's durable data, the data that would survive a power-off.
    var survivors: [Int: PowerOffRemains] = [:]
  }

  var roots: [Root]
  /// The index in `roots` of the header for which the system is open; -1 if there is none.
  private var openRoot = -1
  var visited: [StateKey: Int] = [:]

  /// Creates an explorer that runs plans on a system, with stores at the given place.
  ///
  /// The outcomes in `earlier` are not verified: they must come from an exploration with the same
  /// system, headers, judge, depth and definition of equivalent states.
  package init(
    _ system: any SystemUnderTest,
    at place: StorePlace,
    space: Space,
    judge: Judge.Type,
    bounds: ExplorationBounds,
    knowing earlier: KnownMoves? = nil
  ) {
    self.earlier = earlier
    random = RandomState(bounds.pairSeed)
    result.moves = bounds.keepsMoves ? KnownMoves() : nil
    simulator = Simulator(system, at: place)
    simulator.mayLosePower = space.losesPower
    self.space = space
    self.bounds = bounds
    roots = space.headers.map { header in
      var state = StateSketch(header)
      state.includesLosses = space.losesPower
      return Root(
        header: header,
        equivalence: StateEquivalence(
          header,
          clipsAges: space.clockOnlyRises,
          exchangesActors: space.treatsActorsAlike
        ),
        state: state
      )
    }
  }

  /// Runs every plan within the bounds.
  ///
  /// After the commands from each state, `progress` receives the number of states so far, and
  /// returns whether to continue.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start or be inspected, which is a failure
  ///   of the lab and not of a plan.
  /// - Complexity: in each state, one run of each command, and one of the closing passes and reads.
  package func explore(
    progress: (Int) -> Bool = { _ in true }
  ) throws(SystemFailure) -> Exploration {
    var level: [Open] = []
    for root in roots.indices { try begin(root, &level) }
    var shorter = 0
    for depth in 0..<bounds.depth where result.ending == .complete {
      result.depth = depth
      let count = level.count
      if isTooMuch(count, after: shorter) { break }
      try advance(&level, depth: depth, progress)
      shorter = count
    }
    if result.ending == .complete { result.depth = bounds.depth }
    result.stateCount = tree.count
    result.planCount = tree.planCount(through: result.depth, roots: roots.count)
    return result
  }

  /// Calls a closure with the header and the equivalence hash of each state that was reached.
  ///
  /// The order is random. If ``ExplorationBounds/mergesStates`` is `false`, the closure is not
  /// called, because no hashes are kept. States that other processes have reached before are left
  /// out.
  package func forEachState(_ body: (PlanHeader, UInt64) -> Void) {
    for (key, node) in visited where node >= knownCount {
      body(roots[key.root].header, key.equivalence)
    }
  }

  /// Returns whether plans with one more command would probably reach too many states.
  ///
  /// The estimate assumes that the number of new states grows by the same factor as when plans last
  /// became longer. Up to 2 % more than ``ExplorationBounds/stateCountMax`` are tolerated.
  func isTooMuch(_ count: Int, after shorter: Int) -> Bool {
    guard count >= bounds.foresightCountMin, shorter > 0 else { return false }
    let foreseen = tree.count + count * count / shorter
    guard foreseen > bounds.stateCountMax + bounds.stateCountMax / 50 else { return false }
    result.ending = .outOfStates
    result.foreseenStateCount = foreseen
    return true
  }

  func begin(_ root: Int, _ level: inout [Open]) throws(SystemFailure) {
    let header = roots[root].header
    openRoot = root
    var judge = Judge(header)
    try simulator.open(header) { event in
      judge.observe(event)
      return true
    }
    let place = space.start(header)
    let node = tree.addRoot()
    if bounds.mergesStates { visited[try key(root, place, judge)] = node }
    level.append(Open(node: node, root: root, parent: nil))
    try meet(node, root, judge)
  }

  // MARK: One length

  /// Runs every possible command in each state of `level`, then replaces `level` with the new states.
  func advance(
    _ level: inout [Open],
    depth: Int,
    _ progress: (Int) -> Bool
  ) throws(SystemFailure) {
    var following: [Open] = []
    defer { level = following }
    level.reverse()
    let isLast = depth + 1 == bounds.depth
    var keptCount = 0
    // Removing a state from the list releases the snapshot of its parent after the last of its siblings.
    while let open = level.popLast() {
      try setUp(open.root)
      let kept = try bringAbout(open, depth: depth)
      let parent = keptCount < bounds.keptCountMax ? kept : nil
      let openCount = following.count
      let moves = isLast ? earlier?.moves(after: tree.commands(to: open.node)) : nil
      var isThere = true
      for command in space.moves(from: kept.place) {
        if let outcome = moves?[command] {
          take(outcome, of: command, from: open)
        } else {
          let node = try go(command, from: open, kept, isThere: isThere, depth: depth)
          isThere = false
          if let node, !isLast {
            following.append(Open(node: node, root: open.root, parent: parent))
          }
        }
        guard tree.count <= bounds.stateCountMax else {
          result.ending = .outOfStates
          return
        }
      }
      if parent != nil, following.count > openCount { keptCount += 1 }
      guard progress(tree.count) else {
        result.ending = .stopped
        return
      }
    }
  }

  /// Opens the system for the plans of one header, because snapshots are valid only while it is open.
  private func setUp(_ root: Int) throws(SystemFailure) {
    guard root != openRoot else { return }
    openRoot = root
    try simulator.open(roots[root].header) { _ in true }
  }

  /// Performs the commands that lead to a state, and returns a snapshot of the state.
  ///
  /// If a snapshot of the parent is kept, only the last command is performed.
  private func bringAbout(_ open: Open, depth: Int) throws(SystemFailure) -> Kept {
    let header = roots[open.root].header
    let commands = tree.commands(to: open.node)
    var (judge, place): (Judge, Space.Place)
    var first = 0
    if let parent = open.parent {
      first = depth - 1
      try simulator.goBack(
        to: parent.snapshot,
        header,
        performing: Array(commands[..<first])
      )
      (judge, place) = (parent.judge, parent.place)
    } else {
      (judge, place) = (Judge(header), space.start(header))
      try self.open(open.root) { judge.observe($0) }
    }
    for (index, command) in zip(first..., commands[first...]) {
      perform(command, index, in: header, &judge, &place)
    }
    // A state that was read is cheaper to read again, and the snapshot includes what was read.
    let key = try key(open.root, place, judge)
    if open.node < knownCount { try verify(key, of: open.node) }
    return Kept(place: place, judge: judge, snapshot: try snapshot())
  }

  /// Starts a plan on an empty store, with the header at the index `root`.
  func open(_ root: Int, _ observe: (Event) -> Void) throws(SystemFailure) {
    openRoot = root
    try simulator.open(roots[root].header) { event in
      observe(event)
      return true
    }
  }

  /// Returns a snapshot of the simulator.
  ///
  /// The snapshot includes the system if ``ExplorationBounds/putsStatesBack`` is `true` and the
  /// system supports snapshots.
  func snapshot() throws(SystemFailure) -> Simulator.Snapshot {
    try simulator.snapshot(withSystem: bounds.putsStatesBack)
  }

  /// Performs a command; returns `false` if the command was skipped.
  @discardableResult
  func perform(
    _ command: Command,
    _ index: Int,
    in header: PlanHeader,
    _ judge: inout Judge,
    _ place: inout Space.Place,
    _ observe: (Event) -> Void = { _ in }
  ) -> Bool {
    var events: [Event] = []
    judge.append(command)
    simulator.step(command, index, in: header) { event in
      judge.observe(event)
      events.append(event)
      observe(event)
      return true
    }
    // A command that the system or the scheduler skips is not part of any plan.
    if events.contains(where: \.isSkip) { return false }
    space.advance(&place, by: command.action, events)
    return true
  }

  /// Runs a command in a state, and returns the number of the new state to which it leads, if any.
  ///
  /// If `isThere` is `true`, the simulator is in that state already. The state is restored anyway
  /// where faults or power-offs count calls, because a restored connection makes other calls.
  private func go(
    _ command: Command,
    from open: Open,
    _ kept: Kept,
    isThere: Bool,
    depth: Int
  ) throws(SystemFailure) -> Int? {
    let header = roots[open.root].header
    if isThere, command.faults.isEmpty, !space.losesPower {
      simulator.stay()
    } else {
      try simulator.goBack(to: kept.snapshot, header, performing: tree.commands(to: open.node))
    }
    var (judge, place) = (kept.judge, kept.place)
    let isLast = depth + 1 == bounds.depth
    guard perform(command, depth, in: header, &judge, &place) else {
      if isLast { keep(nil, of: command, from: open) }
      return nil
    }
    result.moveCount += 1
    note(judge.broken, after: command, at: open.node, header)
    // If the store can no longer be opened, no further command is possible.
    guard !simulator.isBeyondRepair else { return nil }
    let key = try key(open.root, place, judge)
    let met = visited[key]
    let node: Int
    if let met {
      node = met
      tree.link(open.node, to: node)
      noteMerge(of: command, after: open.node, root: open.root, with: node)
      // A state does not include the exercised invariants, so they are added to the result here.
      result.exercised |= judge.conclusion.held
    } else {
      node = tree.add(command, after: open.node)
      if bounds.mergesStates { visited[key] = node }
      try meet(node, open.root, judge)
    }
    if isLast { keep((key.equivalence, judge, node), of: command, from: open) }
    return met == nil ? node : nil
  }

  /// Runs the closing passes and reads in a new state; records the broken and exercised invariants.
  ///
  /// `node` is the number of the state, and `root` the index in `roots` of the plan's header.
  /// `judge` has observed the plan that led to the state.
  private func meet(_ node: Int, _ root: Int, _ judge: Judge) throws(SystemFailure) {
    var closing = judge
    let header = roots[root].header
    // Here the closing passes end after one pass of each actor that changes nothing, because more
    // passes would have no effect. A plan that breaks an invariant is run again with all rounds of
    // closing passes.
    simulator.conclude(header, after: 0, quietRounds: 0) { event in
      closing.observe(event)
      return true
    }
    let (broken, held) = closing.conclusion
    conclude(KnownMoves.Conclusion(broken: broken, held: held), at: node, header)
  }

  func conclude(_ conclusion: KnownMoves.Conclusion, at node: Int, _ header: PlanHeader) {
    if bounds.keepsMoves { conclusions.append(conclusion) }
    result.exercised |= conclusion.held | conclusion.broken
    note(conclusion.broken, at: node, header)
  }

  func key(
    _ root: Int,
    _ place: Space.Place,
    _ judge: Judge
  ) throws(SystemFailure) -> StateKey {
    try simulator.describe(&roots[root].state)
    judge.describe(&roots[root].state, tick: simulator.tick)
    space.describe(place, &roots[root].state)
    try describeLosses(root, judge)
    return StateKey(root: root, equivalence: roots[root].state.equivalence(roots[root].equivalence))
  }

  // MARK: Broken invariants

  func note(
    _ broken: UInt64,
    after command: Command? = nil,
    at node: Int,
    _ header: PlanHeader
  ) {
    var fresh = broken & ~known
    known |= broken
    result.exercised |= broken
    while fresh != 0 {
      let invariant = fresh.trailingZeroBitCount
      fresh &= fresh - 1
      let commands = tree.commands(to: node) + (command.map { [$0] } ?? [])
      result.broken[invariant] = Plan(header: header, commands: commands)
    }
  }
}

extension Event {
  /// Whether the event reports a skipped command.
  fileprivate var isSkip: Bool {
    if case .skipped = kind { true } else { false }
  }
}

/// The key of a state; states with equal keys are merged.
struct StateKey: Hashable {
  let root: Int
  let equivalence: UInt64
}

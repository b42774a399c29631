import Faults
package import Systems
package import Traces

/// Runs every plan of a kind on one system, shortest first, and judges each.
///
/// Plans that lead to states from which the same can come are told apart no further: whatever follows
/// is run once. Wherever it stands it also runs what follows a last command, and then goes back. A plan
/// that breaks an invariant is a shortest one: every shorter plan was run before.
///
/// It belongs to one thread at a time.
package final class Explorer<Space: PlanSpace, Judge: PlanJudge> {
  let simulator: Simulator
  private let space: Space
  let bounds: ExplorationBounds
  var tree = PlanTree()
  var result = Exploration()
  private var known: UInt64 = 0
  /// What an earlier exploration says of plans that begin alike.
  private let earlier: KnownMoves?
  /// What closing phases came to, by state, where last moves are kept.
  var conclusions: [KnownMoves.Conclusion] = []

  /// A state whose next commands are to be run.
  struct Open {
    let node: Int
    let root: Int
    /// What is known of it; nothing if it must be brought about again.
    let kept: Kept?
  }

  /// All that it takes to go on from a state.
  struct Kept {
    let place: Space.Place
    let judge: Judge
    let standing: Simulator.Standing
  }

  /// What is the same for all plans with one header.
  struct Root {
    let header: PlanHeader
    let likeness: StateLikeness
    var state: StateSketch
    /// What power-offs would leave, by the disk's number for it.
    var survivors: [Int: Survivors] = [:]
  }

  var roots: [Root]
  /// Whose plans the system is set up for.
  private var openRoot = -1
  var visited: [StateKey: Int] = [:]

  /// Creates an explorer of a system whose stores lie at a place.
  ///
  /// What an earlier exploration knows is taken for true: it must have had the same system, header, judge
  /// and depth, and an equal notion of which states are alike.
  package init(
    _ system: any SystemUnderTest,
    at place: StorePlace,
    space: Space,
    judge: Judge.Type,
    bounds: ExplorationBounds,
    knowing earlier: KnownMoves? = nil
  ) {
    self.earlier = earlier
    result.moves = bounds.keepsMoves ? KnownMoves() : nil
    simulator = Simulator(system, at: place)
    simulator.mayLosePower = space.losesPower
    self.space = space
    self.bounds = bounds
    roots = space.headers.map { header in
      var state = StateSketch(header)
      state.tellsLosses = space.losesPower
      return Root(
        header: header,
        likeness: StateLikeness(header, clipsAges: space.clockOnlyRises),
        state: state
      )
    }
  }

  /// Runs every plan up to the bounds.
  ///
  /// It tells how many states there are so far, and asks whether to go on.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start or be looked at: the lab's own trouble.
  /// - Complexity: one command a state and move, and a closing phase a state.
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

  /// Whether the next length has far more states than there may be, going by how many more there are of
  /// this length than of the one before.
  private func isTooMuch(_ count: Int, after shorter: Int) -> Bool {
    guard count >= bounds.foresightCountMin, shorter > 0 else { return false }
    let foreseen = tree.count + count * count / shorter
    guard foreseen > bounds.stateCountMax + bounds.stateCountMax / 50 else { return false }
    result.ending = .outOfStates
    result.foreseenStateCount = foreseen
    return true
  }

  private func begin(_ root: Int, _ level: inout [Open]) throws(SystemFailure) {
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
    try meet(node, root, place, judge, isLast: bounds.depth == 0, &level)
  }

  // MARK: One length

  /// Runs each move from each state of one length, and leaves the new states.
  private func advance(
    _ level: inout [Open],
    depth: Int,
    _ progress: (Int) -> Bool
  ) throws(SystemFailure) {
    var following: [Open] = []
    defer { level = following }
    level.reverse()
    // What is kept of a state goes with its moves.
    while let open = level.popLast() {
      try setUp(open.root)
      let kept = if let kept = open.kept { kept } else { try bringAbout(open) }
      let isLast = depth + 1 == bounds.depth
      let moves = isLast ? earlier?.moves(after: tree.commands(to: open.node)) : nil
      for command in space.moves(from: kept.place) {
        if let outcome = moves?[command] {
          take(outcome, of: command, from: open)
        } else {
          try go(command, from: open, kept, depth: depth, &following)
        }
        guard tree.count <= bounds.stateCountMax else {
          result.ending = .outOfStates
          return
        }
      }
      guard progress(tree.count) else {
        result.ending = .stopped
        return
      }
    }
  }

  /// Sets the system up for the plans with a header: a state is put back only where it was taken.
  private func setUp(_ root: Int) throws(SystemFailure) {
    guard root != openRoot else { return }
    openRoot = root
    try simulator.open(roots[root].header) { _ in true }
  }

  /// Performs the commands that lead to a state which was not kept, once for all of its moves.
  private func bringAbout(_ open: Open) throws(SystemFailure) -> Kept {
    let header = roots[open.root].header
    var (judge, place) = (Judge(header), space.start(header))
    try simulator.open(header) { event in
      judge.observe(event)
      return true
    }
    for (index, command) in tree.commands(to: open.node).enumerated() {
      perform(command, index, in: header, &judge, &place)
    }
    return Kept(place: place, judge: judge, standing: try standing())
  }

  /// Where the simulator stands, with the system unless every command is to be performed again.
  private func standing() throws(SystemFailure) -> Simulator.Standing {
    try simulator.standing(withSystem: bounds.putsStatesBack)
  }

  /// Performs a command, and answers whether it ran: what is refused is no plan.
  @discardableResult
  private func perform(
    _ command: Command,
    _ index: Int,
    in header: PlanHeader,
    _ judge: inout Judge,
    _ place: inout Space.Place
  ) -> Bool {
    var events: [Event] = []
    judge.append(command)
    simulator.step(command, index, in: header) { event in
      judge.observe(event)
      events.append(event)
      return true
    }
    // What the system or the scheduler refuses to send is no plan.
    if events.contains(where: \.isSkip) { return false }
    space.advance(&place, by: command.action, events)
    return true
  }

  private func go(
    _ command: Command,
    from open: Open,
    _ kept: Kept,
    depth: Int,
    _ following: inout [Open]
  ) throws(SystemFailure) {
    let header = roots[open.root].header
    try simulator.goBack(to: kept.standing, header, performing: tree.commands(to: open.node))
    var (judge, place) = (kept.judge, kept.place)
    let isLast = depth + 1 == bounds.depth
    guard perform(command, depth, in: header, &judge, &place) else {
      if isLast { keep(nil, of: command, from: open) }
      return
    }
    result.moveCount += 1
    note(judge.broken, after: command, at: open.node, header)
    // A store that cannot be opened any more has no next command.
    guard !simulator.isBeyondRepair else { return }
    let key = try key(open.root, place, judge)
    let node: Int
    if let met = visited[key] {
      node = met
      tree.link(open.node, to: node)
      // What the way put to the test is not part of the state.
      result.exercised |= judge.conclusion.held
    } else {
      node = tree.add(command, after: open.node)
      if bounds.mergesStates { visited[key] = node }
      try meet(node, open.root, place, judge, isLast: isLast, &following)
    }
    if isLast { keep((key.likeness, judge, node), of: command, from: open) }
  }

  /// Takes in a new state: keeps it for its next commands, and runs what comes after a last one.
  private func meet(
    _ node: Int,
    _ root: Int,
    _ place: Space.Place,
    _ judge: Judge,
    isLast: Bool,
    _ following: inout [Open]
  ) throws(SystemFailure) {
    if !isLast {
      let isKept = following.count < bounds.keptCountMax
      let kept = isKept ? Kept(place: place, judge: judge, standing: try standing()) : nil
      following.append(Open(node: node, root: root, kept: kept))
    }
    var closing = judge
    let header = roots[root].header
    // Once nobody changes anything another round changes nothing either; what it finds is run again with
    // all of them.
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

  private func key(
    _ root: Int,
    _ place: Space.Place,
    _ judge: Judge
  ) throws(SystemFailure) -> StateKey {
    try simulator.describe(&roots[root].state)
    judge.describe(&roots[root].state, tick: simulator.tick)
    space.describe(place, &roots[root].state)
    try describeLosses(root, judge)
    return StateKey(root: root, likeness: roots[root].state.likeness(roots[root].likeness))
  }

  // MARK: What broke

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
  /// Whether a command did not run.
  fileprivate var isSkip: Bool {
    if case .skipped = happening { true } else { false }
  }
}

/// A state, as far as anything that can come of it depends on it.
struct StateKey: Hashable {
  let root: Int
  let likeness: UInt64
}

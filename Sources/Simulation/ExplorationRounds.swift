package import Traces

/// The new states that one process has reached with plans of one length.
///
/// An exploration can be divided among processes (``ExplorationRounds``). At each plan length, each
/// process then continues plans from some of the newest states, and the result is a slice.
///
/// State numbers start at 0: first come the states that shorter plans reach, then ``states``.
package struct ExplorationSlice: Sendable {
  /// A state that this process reached with plans of one length, and no process with shorter plans.
  package struct State: Hashable, Sendable {
    /// The index in ``PlanSpace/headers`` of the header that all plans to this state share.
    package let root: Int32
    /// The number of the state from which a command led to this state; -1 if no command led to it.
    package let parent: Int32
    /// The index in ``ExplorationSlice/commands`` of the command that led to this state, or -1.
    package let command: Int32
    /// A hash of the state; two states count as one if their hashes and their headers are equal.
    package let equivalence: UInt64

    package init(root: Int32, parent: Int32, command: Int32, equivalence: UInt64) {
      (self.root, self.parent) = (root, parent)
      (self.command, self.equivalence) = (command, equivalence)
    }
  }

  /// A command, and the index in ``PlanSpace/headers`` of the header of a plan with this command.
  package struct RootCommand: Hashable, Sendable {
    package let root: Int
    package let command: Command

    package init(root: Int, command: Command) { (self.root, self.command) = (root, command) }
  }

  /// The number of states that all processes together have reached with shorter plans.
  package let knownCount: Int
  package let states: [State]
  /// For each command that led to a state, the numbers of the states before and after the command.
  ///
  /// The state before the command is one that plans with one command fewer reach. The state after
  /// it was known from shorter plans, or is one of ``states``. The list is empty if it was left out
  /// when the slice was read from a file.
  package let moves: [StateMove]
  package let commands: [RootCommand]
  /// The broken and exercised invariants, the number of commands, and why the exploration ended.
  package let exploration: Exploration

  package init(
    knownCount: Int,
    states: [State],
    moves: [StateMove],
    commands: [RootCommand],
    exploration: Exploration
  ) {
    self.knownCount = knownCount
    self.states = states
    self.moves = moves
    self.commands = commands
    self.exploration = exploration
  }

  /// Returns whether this result was made when `count` states were known, and its indices are valid.
  ///
  /// The states and commands to which the indices refer must exist. Indices of headers are checked
  /// only for negative values.
  fileprivate func fits(after count: Int) -> Bool {
    let all = Int32(count + states.count)
    return knownCount == count
      && states.allSatisfy {
        $0.root >= 0 && (-1..<Int32(count)).contains($0.parent)
          && (-1..<Int32(commands.count)).contains($0.command)
      }
      && moves.allSatisfy { (0..<Int32(count)).contains($0.from) && (0..<all).contains($0.to) }
  }
}

/// A command that leads from one state to another, by the numbers of the states.
package struct StateMove: Hashable, Sendable {
  package let from: Int32
  package let to: Int32

  package init(from: Int32, to: Int32) { (self.from, self.to) = (from, to) }
}

/// An exploration that is divided among several processes.
///
/// At each plan length, the new states are divided into slices by their hashes, so that only one
/// process continues from each state. Different slices may reach the same new state, which counts
/// once. The counts of states, plans and commands, the broken invariants and the lengths of the
/// shortest plans are those of ``Explorer/explore(progress:)``.
///
/// The maximum number of states is checked within each slice, and for all slices of a length
/// together before the next length. So a length counts as covered if all slices have covered it,
/// even if ``Explorer/explore(progress:)`` would have stopped in it.
package struct ExplorationRounds: Sendable {
  private(set) var tree = PlanTree()
  private(set) var visited: [StateKey: Int] = [:]
  /// The states that plans with ``length`` commands reach, and shorter plans do not.
  private(set) var newest: [(node: Int, key: StateKey)] = []
  /// The number of states that plans with `length - 1` commands reach, and shorter plans do not.
  private(set) var shorterCount = 0
  private(set) var result = Exploration()
  private var rootCount = 0
  /// The number of commands in the longest explored plans; -1 before any plan is explored.
  package private(set) var length = -1

  package init() {}

  /// Whether longer plans can be explored; `false` once a process has stopped early.
  ///
  /// The reason is that more states than the maximum were reached or estimated, or that a progress
  /// closure returned `false`.
  package var isOpen: Bool { result.ending == .complete }

  /// Adds the results (slices) of all processes for plans that are one command longer than before.
  ///
  /// The slices must be in the order of their indices.
  ///
  /// - Returns: `false`, without any change, if a slice was made with a different number of known
  ///   states than this exploration has, or refers to a state or command that does not exist, or to
  ///   a header by a negative index.
  package mutating func add(_ slices: [ExplorationSlice]) -> Bool {
    let known = tree.count
    guard slices.allSatisfy({ $0.fits(after: known) }) else { return false }
    shorterCount = newest.count
    newest = []
    for slice in slices {
      let numbers = add(slice.states, slice.commands)
      for move in slice.moves {
        tree.link(
          Int(move.from),
          to: move.to < known ? Int(move.to) : numbers[Int(move.to) - known]
        )
      }
      add(slice.exploration)
    }
    if length < 0 { rootCount = newest.count }
    length += 1
    if isOpen { result.depth = length }
    return true
  }

  /// Adds those of the given states that are not known yet, and returns the numbers of all given
  /// states.
  private mutating func add(
    _ states: [ExplorationSlice.State],
    _ commands: [ExplorationSlice.RootCommand]
  ) -> [Int] {
    let places = commands.map { tree.place(of: $0.command) }
    return states.map { state in
      let key = StateKey(root: Int(state.root), equivalence: state.equivalence)
      if let known = visited[key] { return known }
      let place = state.command < 0 ? -1 : places[Int(state.command)]
      let node = tree.insert(place, after: Int(state.parent))
      visited[key] = node
      newest.append((node, key))
      return node
    }
  }

  private mutating func add(_ exploration: Exploration) {
    result.broken.merge(exploration.broken) { first, _ in first }
    result.exercised |= exploration.exercised
    result.moveCount += exploration.moveCount
    guard isOpen, exploration.ending != .complete else { return }
    result.ending = exploration.ending
    result.foreseenStateCount = exploration.foreseenStateCount
  }

  /// Returns the whole exploration of plans with at most `depth` commands.
  ///
  /// If some of these plans are still unexplored, the ending is not ``Exploration/Ending/complete``,
  /// and the depth is the last complete length.
  package func exploration(to depth: Int) -> Exploration {
    var whole = result
    if isOpen, length < depth { whole.ending = .stopped }
    whole.stateCount = tree.count
    whole.planCount = tree.planCount(through: whole.depth, roots: rootCount)
    return whole
  }
}

extension Explorer {
  /// Runs every possible command in each state of one slice of the newest states in `rounds`.
  ///
  /// The newest states are those that only the longest plans reach. Slice `index`, counted from 1,
  /// contains the newest states whose hash modulo `count` is `index - 1`. If `rounds` is empty,
  /// slice 1 instead reaches the states before the first command, and the other slices reach no
  /// state.
  ///
  /// - Returns: the new states that the commands reach, the broken and exercised invariants, the
  ///   number of commands, and why the exploration ended, for ``ExplorationRounds/add(_:)``.
  /// - Precondition: ``ExplorationBounds/mergesStates`` is `true`.
  /// - Throws: the errors of ``explore(progress:)``.
  /// - Complexity: for each state of the slice, one run of the commands that lead to the state and
  ///   of each possible command; for each new state, one run of the closing passes and reads.
  ///   Without snapshots, the commands that lead to a state run again before each possible command.
  package func explore(
    slice index: Int,
    of count: Int,
    after rounds: ExplorationRounds,
    progress: (Int) -> Bool = { _ in true }
  ) throws(SystemFailure) -> ExplorationSlice {
    precondition(bounds.mergesStates, "An exploration in slices requires bounds.mergesStates.")
    bounds.keptCountMax = 0
    (tree, visited, knownCount) = (rounds.tree, rounds.visited, rounds.tree.count)
    known = rounds.result.broken.keys.reduce(0) { $0 | 1 << UInt64($1) }
    let moveCount = tree.moves.count
    var level: [Open] = []
    if rounds.length < 0 {
      if index == 1 { for root in roots.indices { try begin(root, &level) } }
    } else if tree.count > bounds.stateCountMax {
      result.ending = .outOfStates
    } else if !isTooMuch(rounds.newest.count, after: rounds.shorterCount) {
      level = rounds.newest.filter { $0.key.equivalence % UInt64(count) == UInt64(index - 1) }
        .map { Open(node: $0.node, root: $0.key.root, parent: nil) }
      try advance(&level, depth: rounds.length, progress)
    }
    return slice(moves: Array(tree.moves[moveCount...]))
  }

  /// Verifies that the commands which led another process to a state lead to the same state here.
  ///
  /// Otherwise equal states of several processes would count as different ones.
  func verify(_ key: StateKey, of node: Int) throws(SystemFailure) {
    guard visited[key] != node else { return }
    let words = tree.commands(to: node).map(\.action.word).joined(separator: ", ")
    throw SystemFailure(
      .failed,
      "\(words.isEmpty ? "A plan without commands" : "A plan with the commands \(words)") led to a "
        + "different state in another process. Use the same build in all processes, and set "
        + "SWIFT_DETERMINISTIC_HASHING=1 for systems that hash their states."
    )
  }

  /// Returns the result of this process: its new states, the given moves, and ``result``.
  ///
  /// New states have the number `knownCount` or a higher one. A move is a command that leads from
  /// one state to another.
  private func slice(moves: [StateMove]) -> ExplorationSlice {
    var keys = [StateKey](
      repeating: StateKey(root: 0, equivalence: 0),
      count: tree.count - knownCount
    )
    for (key, node) in visited where node >= knownCount { keys[node - knownCount] = key }
    var places: [Int32: Int32] = [-1: -1]
    var commands: [ExplorationSlice.RootCommand] = []
    let states = zip(knownCount..., keys).map { node, key in
      let (parent, place) = tree.origin(of: node)
      if places[place] == nil, let command = tree.command(at: place) {
        places[place] = Int32(commands.count)
        commands.append(ExplorationSlice.RootCommand(root: key.root, command: command))
      }
      return ExplorationSlice.State(
        root: Int32(key.root),
        parent: parent,
        command: places[place] ?? -1,
        equivalence: key.equivalence
      )
    }
    return ExplorationSlice(
      knownCount: knownCount,
      states: states,
      moves: moves,
      commands: commands,
      exploration: result
    )
  }
}

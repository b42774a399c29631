package import Traces

/// The result of running every plan of a plan space up to a length.
package struct Exploration: Sendable {
  /// The length up to which every plan was covered.
  package internal(set) var depth = 0
  /// The number of plans covered: each legal order of commands counts as one plan.
  package internal(set) var planCount = 0.0
  /// The number of states; equivalent states count once if they are merged.
  package internal(set) var stateCount = 0
  /// The number of moves from all states, including those known from an earlier exploration.
  package internal(set) var moveCount = 0
  /// The reason why the exploration ended.
  ///
  /// The default is ``Ending/complete``.
  package internal(set) var ending = Ending.complete
  /// The estimated number of states if the next length were run, when that is more than allowed.
  package internal(set) var foreseenStateCount: Int?
  /// The outcomes of the last moves, or `nil` unless ``ExplorationBounds/keepsMoves`` is set.
  package internal(set) var moves: KnownMoves?
  /// A shortest plan for each invariant that broke, by the invariant's number.
  package internal(set) var broken: [Int: Plan] = [:]
  /// The invariants that were exercised, broken or not, one bit each.
  package internal(set) var exercised: UInt64 = 0

  /// The reasons for which an exploration ends.
  package enum Ending: Sendable, Hashable {
    /// Every plan was covered.
    case complete
    /// The number of states exceeded the limit, or was estimated to exceed it.
    case outOfStates
    /// The progress closure returned `false`.
    case stopped
  }
}

/// The limits and options of an exploration.
package struct ExplorationBounds: Sendable, Hashable {
  /// The greatest number of commands in a plan.
  package var depth: Int
  /// The greatest number of states.
  package var stateCountMax: Int
  /// Whether the system is restored from snapshots.
  ///
  /// The default is `true`. If `false`, all commands that lead to a state are performed again
  /// before each move.
  package var putsStatesBack = true
  /// The greatest number of states, reached by plans of equal length, that are kept as snapshots.
  ///
  /// The default is 50,000. Any other state is reached by performing the commands of its plan again.
  package var keptCountMax = 50_000
  /// The number of states of a length from which the size of the next is estimated.
  ///
  /// The default is 1,000.
  package var foresightCountMin = 1_000
  /// Whether the outcomes of the last moves are kept for later explorations.
  ///
  /// The default is `false`.
  package var keepsMoves = false
  /// Whether equivalent states are merged.
  ///
  /// The default is `true`; if `false`, every plan is run.
  package var mergesStates = true
  /// The greatest number of pairs of merged plans that are sampled, to be continued afterwards.
  ///
  /// The default is 0.
  package var pairCountMax = 0
  /// The seed of the sample and of the continuations.
  package var pairSeed: UInt64 = 1

  package init(depth: Int, stateCountMax: Int) {
    self.depth = depth
    self.stateCountMax = stateCountMax
  }
}

/// A set of plans, given by its headers and the commands allowed after each prefix of a plan.
package protocol PlanSpace {
  /// The state of a plan prefix, as far as the allowed next commands depend on it.
  associatedtype Place

  /// The headers of the plans.
  var headers: [PlanHeader] { get }
  /// Whether the clock never goes back, so that anything older than a week stays so.
  var clockOnlyRises: Bool { get }
  /// Whether actors with equal configurations have the same moves.
  var treatsActorsAlike: Bool { get }
  /// Whether a power-off may occur, so that equivalent states must also leave equal data after one.
  var losesPower: Bool { get }
  /// Returns the state before the first command of a plan with a header.
  func start(_ header: PlanHeader) -> Place
  /// Returns the allowed next commands, always in the same order.
  func moves(from place: Place) -> [Command]
  /// Updates the state after a command and the events that it caused.
  func advance(_ place: inout Place, by action: Action, _ events: [Event])
  /// Adds everything that ``moves(from:)`` depends on.
  func describe(_ place: Place, _ state: inout StateSketch)
}

/// A judge of a run in progress: a value, so that a copy can follow another continuation.
///
/// Invariants are numbered from 0. Sets of invariants are words with one bit each.
package protocol PlanJudge {
  /// Creates a judge for a plan that has no commands and no events yet.
  init(_ header: PlanHeader)
  /// Adds a command to the plan.
  mutating func append(_ command: Command)
  /// Processes the next event.
  mutating func observe(_ event: Event)
  /// Adds everything that later results depend on; `tick` is the scheduler's current step.
  func describe(_ state: inout StateSketch, tick: Int)
  /// The invariants that are broken so far; no later event can repair them.
  var broken: UInt64 { get }
  /// The result after the last event: broken invariants, and exercised invariants that held.
  var conclusion: (broken: UInt64, held: UInt64) { get }
}

/// The states that an exploration has reached, a shortest path to each, and all moves between them.
struct PlanTree {
  private var parents: [Int32] = []
  /// The last command on the path to each state, as an index into `every`; -1 for a root.
  private var commands: [Int32] = []
  private var every: [Command] = []
  private var places: [Command: Int32] = [:]
  private var depths: [UInt8] = []
  /// Every move, including those to states that were already known.
  private var moves: [(from: Int32, to: Int32)] = []

  /// The number of states.
  var count: Int { parents.count }

  /// Adds the state before the first command, and returns its index.
  mutating func addRoot() -> Int {
    parents.append(-1)
    commands.append(-1)
    depths.append(0)
    return count - 1
  }

  /// Adds a state that a command leads to, and returns its index.
  mutating func add(_ command: Command, after parent: Int) -> Int {
    parents.append(Int32(parent))
    commands.append(place(of: command))
    depths.append(depths[parent] + 1)
    link(parent, to: count - 1)
    return count - 1
  }

  private mutating func place(of command: Command) -> Int32 {
    if let known = places[command] { return known }
    let place = Int32(every.count)
    every.append(command)
    places[command] = place
    return place
  }

  /// Records a move from one state to another.
  mutating func link(_ from: Int, to: Int) { moves.append((Int32(from), Int32(to))) }

  /// Returns the commands of a shortest plan that leads to a state.
  func commands(to node: Int) -> [Command] {
    var found: [Command] = []
    var node = node
    while node >= 0 {
      if commands[node] >= 0 { found.append(every[Int(commands[node])]) }
      node = Int(parents[node])
    }
    return found.reversed()
  }

  /// Returns the number of plans with at most `depth` commands: all paths through the states.
  ///
  /// - Complexity: linear in the moves, for each length.
  func planCount(through depth: Int, roots: Int) -> Double {
    var ways = [Double](repeating: 0, count: count)
    for node in 0..<count where depths[node] == 0 { ways[node] = 1 }
    var total = Double(roots)
    for _ in 0..<depth {
      var longer = [Double](repeating: 0, count: count)
      for move in moves { longer[Int(move.to)] += ways[Int(move.from)] }
      ways = longer
      total += ways.reduce(0, +)
    }
    return total
  }
}

/// The outcomes of one exploration's last moves, for explorations of plans with the same prefix.
///
/// The same commands after the same header give the same run, whatever else an exploration covers,
/// so a known outcome is not run again. Only moves at the greatest length are kept, about nine in
/// ten of all moves.
package struct KnownMoves: Sendable {
  /// The outcome of a move.
  struct Outcome: Sendable {
    /// The state that the move leads to, or `nil` if the move was refused.
    let equivalence: UInt64?
    /// The invariants that the move broke.
    let broken: UInt64
    /// The invariants that were exercised and held up to and including the move.
    let held: UInt64
    /// The result of the closing phase.
    let conclusion: Conclusion
  }

  /// The result of a closing phase: the invariants that broke, and those exercised that held.
  struct Conclusion: Sendable {
    var broken: UInt64 = 0
    var held: UInt64 = 0
  }

  /// The known outcomes of the moves after one plan.
  struct Moves: Sendable {
    fileprivate let outcomes: [Int32: Outcome]
    fileprivate let places: [Command: Int32]

    /// Returns the outcome of a move, or `nil` if it was not run.
    subscript(command: Command) -> Outcome? { places[command].flatMap { outcomes[$0] } }
  }

  private var places: [Command: Int32] = [:]
  private var moves: [[Command]: [Int32: Outcome]] = [:]

  /// Stores the outcome of a move after a plan.
  mutating func keep(_ outcome: Outcome, of command: Command, after plan: [Command]) {
    let place = places[command] ?? Int32(places.count)
    places[command] = place
    moves[plan, default: [:]][place] = outcome
  }

  /// Returns the known outcomes of the moves after a plan, or `nil` if there are none.
  func moves(after plan: [Command]) -> Moves? {
    moves[plan].map { Moves(outcomes: $0, places: places) }
  }
}

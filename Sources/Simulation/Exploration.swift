package import Traces

/// The result of running every plan of a plan space up to a length.
package struct Exploration: Sendable {
  /// The length up to which every plan was covered.
  package internal(set) var depth = 0
  /// The number of covered plans, where each legal sequence of commands counts as one plan.
  package internal(set) var planCount = 0.0
  /// The number of reached states; equivalent states count as one if they are merged.
  package internal(set) var stateCount = 0
  /// The number of moves (commands performed in a state), including moves with known outcomes.
  package internal(set) var moveCount = 0
  /// The reason why the exploration ended.
  ///
  /// The default is ``Ending/complete``.
  package internal(set) var ending = Ending.complete
  /// The estimated number of states with one more command; `nil` unless the estimate exceeds the
  /// limit.
  package internal(set) var foreseenStateCount: Int?
  /// The outcomes of the moves at the greatest length, if ``ExplorationBounds/keepsMoves`` is
  /// `true`.
  package internal(set) var moves: KnownMoves?
  /// For each broken invariant, a shortest plan that breaks it, by the invariant's number.
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
  /// The maximum number of states.
  package var stateCountMax: Int
  /// Whether the explorer restores states of the system from snapshots.
  ///
  /// The default is `true`. If `false`, all commands that lead to a state are performed again
  /// before each move.
  package var putsStatesBack = true
  /// The maximum number of states of one length that are kept as snapshots.
  ///
  /// The default is 50,000. A state without a snapshot is reached by performing its commands again.
  package var keptCountMax = 50_000
  /// The minimum number of states of one length for an estimate of the next length's number.
  ///
  /// The default is 1,000.
  package var foresightCountMin = 1_000
  /// Whether the outcomes of moves at the greatest length are kept for later explorations.
  ///
  /// The default is `false`.
  package var keepsMoves = false
  /// Whether equivalent states are merged, so that only one of them is continued.
  ///
  /// The default is `true`. If `false`, every plan is run.
  package var mergesStates = true
  /// The maximum number of pairs of merged plans that are sampled, to compare their continuations.
  ///
  /// The default is 0.
  package var pairCountMax = 0
  /// The seed of the sample of pairs and of their continuations.
  package var pairSeed: UInt64 = 1

  package init(depth: Int, stateCountMax: Int) {
    self.depth = depth
    self.stateCountMax = stateCountMax
  }
}

/// A set of plans, given by its headers and the commands allowed after each prefix of a plan.
package protocol PlanSpace {
  /// The state after a prefix of a plan, as far as the allowed next commands depend on it.
  associatedtype Place

  var headers: [PlanHeader] { get }
  /// Whether the clock never goes back, so that ages of more than a week can be treated alike.
  var clockOnlyRises: Bool { get }
  /// Whether actors with equal configurations have the same moves.
  var treatsActorsAlike: Bool { get }
  /// Whether power-offs may occur, so that states include the data that a power-off would leave.
  var losesPower: Bool { get }
  /// Returns the place before the first command of a plan with this header.
  func start(_ header: PlanHeader) -> Place
  /// Returns the commands allowed next at a place, always in the same order.
  func moves(from place: Place) -> [Command]
  /// Updates a place after a command and the events that the command caused.
  func advance(_ place: inout Place, by action: Action, _ events: [Event])
  /// Adds to a sketch everything on which ``moves(from:)`` depends.
  func describe(_ place: Place, _ state: inout StateSketch)
}

/// A judge of a run in progress, which finds broken invariants.
///
/// A judge is a value, so that a copy can follow another continuation. Invariants are numbered from 0.
/// Sets of invariants are words with one bit each.
package protocol PlanJudge {
  /// Creates a judge for a plan that has no commands and no events yet.
  init(_ header: PlanHeader)
  /// Adds a command to the plan.
  mutating func append(_ command: Command)
  /// Processes the next event.
  mutating func observe(_ event: Event)
  /// Adds to a sketch all state on which later results depend; `tick` is the scheduler's current
  /// step.
  func describe(_ state: inout StateSketch, tick: Int)
  /// The invariants that are broken so far; later events cannot change that.
  var broken: UInt64 { get }
  /// The broken invariants, and those that were exercised and not broken, one bit each.
  ///
  /// Read this property after the last event.
  var conclusion: (broken: UInt64, held: UInt64) { get }
}

/// The states that an exploration has reached, the moves between them, and a shortest path to each.
struct PlanTree {
  private var parents: [Int32] = []
  /// The index in `every` of the last command on the path to each state; -1 for a root.
  private var commands: [Int32] = []
  private var every: [Command] = []
  private var places: [Command: Int32] = [:]
  private var depths: [UInt8] = []
  /// Every move, including moves to states that were reached before.
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

  /// Returns the number of plans with at most `depth` commands, which are paths through the states.
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

/// The outcomes of moves at an exploration's greatest length, for later explorations of these
/// plans.
///
/// The same commands after the same header give the same run, so a known outcome is not run again.
/// Only moves at the greatest length are kept: about nine in ten of all moves.
package struct KnownMoves: Sendable {
  /// The outcome of a move.
  struct Outcome: Sendable {
    /// A hash of the state after the move; `nil` if the move was refused.
    let equivalence: UInt64?
    /// The invariants that the move broke.
    let broken: UInt64
    /// The invariants that were exercised and not broken in the plan, the move included.
    let held: UInt64
    /// The result of the closing phase.
    let conclusion: Conclusion
  }

  /// The result of a closing phase: the broken invariants, and those exercised and not broken.
  struct Conclusion: Sendable {
    var broken: UInt64 = 0
    var held: UInt64 = 0
  }

  /// The known outcomes of the moves that continue one plan.
  struct Moves: Sendable {
    fileprivate let outcomes: [Int32: Outcome]
    fileprivate let places: [Command: Int32]

    /// The outcome of a move; `nil` if the move was not run.
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

  /// Returns the known outcomes of the moves after a plan; `nil` if there are none.
  func moves(after plan: [Command]) -> Moves? {
    moves[plan].map { Moves(outcomes: $0, places: places) }
  }
}

package import Traces

/// The result of running all plans of a ``PlanSpace`` up to a number of commands.
package struct Exploration: Sendable {
  /// The greatest plan length, in commands, up to which every plan was covered.
  package var depth = 0
  /// The number of covered plans; each sequence of allowed commands after a header is one plan.
  package var planCount = 0.0
  /// The number of reached states; if equivalent states are merged, they count as one.
  package var stateCount = 0
  /// The number of commands performed in all states.
  ///
  /// Commands whose outcome an earlier exploration had recorded are counted, too.
  package var moveCount = 0
  /// The reason why the exploration ended.
  ///
  /// The default is ``Ending/complete``.
  package var ending = Ending.complete
  /// The estimated number of states after one more command, if the estimate ended the exploration.
  ///
  /// Otherwise the value is `nil`.
  package var foreseenStateCount: Int?
  /// The outcomes of the last commands of the longest plans, if ``ExplorationBounds/keepsMoves`` is
  /// `true`.
  package internal(set) var moves: KnownMoves?
  /// For each broken invariant, by its number, a shortest plan that breaks it.
  package var broken: [Int: Plan] = [:]
  /// The invariants that were exercised, broken or not, one bit each by their numbers.
  ///
  /// A plan exercises an invariant if it gives the invariant's checker something to check.
  package var exercised: UInt64 = 0

  package init() {}

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
  /// The maximum number of commands in a plan.
  package var depth: Int
  /// The maximum number of states.
  package var stateCountMax: Int
  /// Whether the explorer restores the system from a snapshot before each command.
  ///
  /// The default is `true`. If `false`, the explorer resets the system and performs again all
  /// commands that lead to the state.
  package var putsStatesBack = true
  /// The maximum number of kept snapshots for each plan length.
  ///
  /// To continue plans from a state, the explorer restores a snapshot of the state before it, and
  /// performs the one command between the two states. If that snapshot was not kept, the explorer
  /// performs all commands that lead to the state. The default is 50,000.
  package var keptCountMax = 50_000
  /// The minimum number of new states for an estimate of the states after one more command.
  ///
  /// A state is new if plans of the current length reach it, but no shorter plan does. With fewer
  /// new states than this minimum, the explorer makes no estimate. An estimate of more than 2 %
  /// above ``stateCountMax`` ends the exploration.
  ///
  /// The default is 1,000.
  package var foresightCountMin = 1_000
  /// Whether ``Exploration/moves`` keeps the outcomes of the last commands of the longest plans.
  ///
  /// With these outcomes, a later exploration of the same plans need not run these last commands
  /// again.
  /// The default is `false`.
  package var keepsMoves = false
  /// Whether equivalent states are merged: plans are continued from only one of them.
  ///
  /// The default is `true`. If `false`, every plan is run.
  package var mergesStates = true
  /// The maximum number of pairs of plans that are compared to test the merging of states.
  ///
  /// The two plans of a pair lead to states that were merged, so their continuations must have
  /// equal outcomes. The default is 0.
  package var pairCountMax = 0
  /// The seed for the random choices of pairs of plans, and of the commands that continue them.
  package var pairSeed: UInt64 = 1

  package init(depth: Int, stateCountMax: Int) {
    self.depth = depth
    self.stateCountMax = stateCountMax
  }
}

/// A set of plans: their headers, and a rule that decides which commands may come next in a plan.
package protocol PlanSpace {
  /// The state of a plan after some commands; it decides which commands are allowed next.
  associatedtype Place

  var headers: [PlanHeader] { get }
  /// Whether the clock never goes back.
  ///
  /// If so, all times more than a week ago are equivalent.
  var clockOnlyRises: Bool { get }
  /// Whether actors with equal configurations always have the same allowed commands.
  var treatsActorsAlike: Bool { get }
  /// Whether power-offs may occur.
  ///
  /// If so, a state includes the data that a power-off would leave.
  var losesPower: Bool { get }
  /// Returns the ``Place`` of a plan with the given header and no commands yet.
  func start(_ header: PlanHeader) -> Place
  /// Returns the commands that are allowed next, always in the same order.
  func moves(from place: Place) -> [Command]
  /// Updates the state of a plan (``Place``) after one more command, which caused `events`.
  func advance(_ place: inout Place, by action: Action, _ events: [Event])
  /// Adds to `state` all data on which the result of ``moves(from:)`` depends.
  func describe(_ place: Place, _ state: inout StateSketch)
}

/// Finds the invariants that a run in progress breaks.
///
/// A judge is a value, so that copies can follow different continuations of one plan. Invariants
/// are numbered from 0. A set of invariants is a word with one bit for each.
package protocol PlanJudge {
  /// Creates a judge, which checks one plan's run; the plan has no commands and no events yet.
  init(_ header: PlanHeader)
  /// Adds a command to the plan.
  mutating func append(_ command: Command)
  /// Checks the next event of the run, and updates the broken and exercised invariants.
  mutating func observe(_ event: Event)
  /// Adds to `state` all data on which later results depend; `tick` is the scheduler's current step.
  func describe(_ state: inout StateSketch, tick: Int)
  /// The invariants that the observed events have broken, one bit each; they stay broken.
  var broken: UInt64 { get }
  /// The broken invariants, and those that were exercised and not broken, one bit each.
  ///
  /// Read this property after the last event.
  var conclusion: (broken: UInt64, held: UInt64) { get }
}

/// The states that an exploration has reached, and the commands that lead from one state to another.
///
/// The tree also has a shortest path to each state.
struct PlanTree {
  private var parents: [Int32] = []
  /// For each state, the command that led to it, as an index of the array `every`.
  ///
  /// The index is -1 for a state before the first command.
  private var commands: [Int32] = []
  /// The commands that have led to new states, each different command once.
  private var every: [Command] = []
  private var places: [Command: Int32] = [:]
  private var depths: [UInt8] = []
  /// All commands between states, including those to states that were already known.
  private(set) var moves: [StateMove] = []

  /// The number of states.
  var count: Int { parents.count }

  /// Adds the state before the first command, and returns its index.
  mutating func addRoot() -> Int {
    parents.append(-1)
    commands.append(-1)
    depths.append(0)
    return count - 1
  }

  /// Adds the state to which a command leads, and returns its index.
  mutating func add(_ command: Command, after parent: Int) -> Int {
    let node = insert(place(of: command), after: parent)
    link(parent, to: node)
    return node
  }

  /// Adds the state to which a command leads, without adding the command to ``moves``.
  ///
  /// `place` is the command's index in the list of commands (`every`). If `parent` is -1, the state
  /// is one before the first command, and `place` is ignored. Returns the index of the state.
  mutating func insert(_ place: Int32, after parent: Int) -> Int {
    guard parent >= 0 else { return addRoot() }
    parents.append(Int32(parent))
    commands.append(place)
    depths.append(depths[parent] + 1)
    return count - 1
  }

  /// Returns the state from which a command led to a state, and the index of this command.
  ///
  /// ``command(at:)`` returns the command with this index. Both numbers are -1 for a state before
  /// the first command.
  func origin(of node: Int) -> (parent: Int32, place: Int32) { (parents[node], commands[node]) }

  /// Returns the command with an index that ``place(of:)`` has returned; `nil` for -1.
  func command(at place: Int32) -> Command? { place < 0 ? nil : every[Int(place)] }

  /// Returns the index of a command in the list of commands, and adds the command if it is new.
  mutating func place(of command: Command) -> Int32 {
    if let known = places[command] { return known }
    let place = Int32(every.count)
    every.append(command)
    places[command] = place
    return place
  }

  /// Records a command that leads from one state to another.
  mutating func link(_ from: Int, to: Int) {
    moves.append(StateMove(from: Int32(from), to: Int32(to)))
  }

  /// Returns the commands of a shortest path to a state.
  func commands(to node: Int) -> [Command] {
    var found: [Command] = []
    var node = node
    while node >= 0 {
      if commands[node] >= 0 { found.append(every[Int(commands[node])]) }
      node = Int(parents[node])
    }
    return found.reversed()
  }

  /// Returns the number of plans with at most `depth` commands.
  ///
  /// A plan is a sequence of ``moves``, each from the state to which the previous one leads. The
  /// first one starts at a state before the first command; `roots` is the number of these states.
  ///
  /// - Complexity: `depth` times the number of ``moves``.
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

/// The outcomes of the last commands of the longest plans, for later explorations of the same plans.
///
/// The same commands after the same header give the same run, so a command with a known outcome is
/// not run again. Only the last commands of the longest plans are kept: about nine in ten of all
/// commands.
package struct KnownMoves: Sendable {
  /// The state after a plan's last command, and the invariants that the plan breaks or exercises.
  struct Outcome: Sendable {
    /// A hash of the state after the command; `nil` if the simulator skipped the command.
    let equivalence: UInt64?
    /// The invariants that the plan has broken up to the end of the command, one bit each.
    let broken: UInt64
    /// The invariants that the plan exercised and did not break up to this point, one bit each.
    let held: UInt64
    /// The result for the whole plan, which ends with closing passes and reads after the command.
    ///
    /// If another plan has reached an equivalent state before, this is the result for that plan.
    let conclusion: Conclusion
  }

  /// Two sets of invariants, one bit each: those that a plan broke, and those that held.
  ///
  /// An invariant has held if the plan exercised it and did not break it. The plan includes the
  /// passes and reads that close it.
  struct Conclusion: Sendable {
    var broken: UInt64 = 0
    var held: UInt64 = 0
  }

  /// The known outcomes of the commands that can continue one plan.
  struct Moves: Sendable {
    fileprivate let outcomes: [Int32: Outcome]
    fileprivate let places: [Command: Int32]

    /// The outcome of a command; `nil` if the command was not run.
    subscript(command: Command) -> Outcome? { places[command].flatMap { outcomes[$0] } }
  }

  private var places: [Command: Int32] = [:]
  private var moves: [[Command]: [Int32: Outcome]] = [:]

  /// Stores the outcome of a command that continues a plan.
  mutating func keep(_ outcome: Outcome, of command: Command, after plan: [Command]) {
    let place = places[command] ?? Int32(places.count)
    places[command] = place
    moves[plan, default: [:]][place] = outcome
  }

  /// Returns the known outcomes of the commands that continue a plan; `nil` if there are none.
  func moves(after plan: [Command]) -> Moves? {
    moves[plan].map { Moves(outcomes: $0, places: places) }
  }
}

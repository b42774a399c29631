import Traces

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

import PropertyTesting

/// The rule by which plans choose the next actor.
///
/// For every order of steps up to a length use ``PlanAlphabet`` and the explorer.
package enum PlanSchedule: Hashable, Sendable {
  /// Every actor that can act is equally likely.
  case random
  /// Priorities that change at a few points: an actor continues until a more urgent one can act.
  ///
  /// Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs"
  /// (2010): a bug that needs `depth` orderings is found with the probability
  /// ``leastProbability(actors:steps:)``.
  case pct(depth: Int)

  /// Returns a lower bound of the probability that one plan finds a bug of the schedule's depth.
  ///
  /// The depth is the number of steps whose order the bug depends on. The result is `nil` for a
  /// schedule without such a bound.
  package func leastProbability(actors: Int, steps: Int) -> Double? {
    guard case .pct(let depth) = self else { return nil }
    var bound = 1 / Double(max(actors, 1))
    for _ in 1..<max(depth, 1) { bound /= Double(max(steps, 1)) }
    return bound
  }
}

/// Actor priorities that change at a few points.
struct PlanPriorities {
  /// The actors by their places, the most urgent first.
  private var order: [Int] = []
  /// The numbers of the commands before which the most urgent actor becomes the least urgent.
  private var changes: Set<Int> = []
  private var step = 0

  /// Draws the actor priorities and the points at which they change.
  init(
    actors count: Int,
    steps: Int,
    depth: Int,
    _ source: inout ChoiceSource
  ) {
    var left = Array(0..<count)
    while !left.isEmpty { order.append(left.remove(at: source.index(below: left.count))) }
    for _ in 1..<max(depth, 1) { changes.insert(source.index(below: max(steps, 1))) }
  }

  /// Returns the most urgent actor in a bit set of places, after applying a change that is due.
  ///
  /// The result is `nil` if the set is empty.
  mutating func next(among able: UInt64) -> Int? {
    let first = order.firstIndex { able >> UInt64($0) & 1 == 1 }
    if changes.contains(step), let first { order.append(order.remove(at: first)) }
    step += 1
    return order.first { able >> UInt64($0) & 1 == 1 }
  }
}

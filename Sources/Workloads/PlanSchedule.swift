import PropertyTesting

/// How plans choose whose step comes next.
///
/// Every order of steps up to a length is what ``PlanAlphabet`` and the explorer are for.
package enum PlanSchedule: Hashable, Sendable {
  /// Whoever may act is as likely as any other.
  case random
  /// By priorities that change at a few points: an actor goes on until one of higher priority can.
  ///
  /// Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs"
  /// (2010): a bug that needs so many orderings is met with the probability ``leastProbability(actors:steps:)``.
  case pct(depth: Int)

  /// The least probability with which one plan meets a bug that depends on the order of as many steps
  /// as the schedule has depth; nothing where there is no such bound.
  package func leastProbability(actors: Int, steps: Int) -> Double? {
    guard case .pct(let depth) = self else { return nil }
    var bound = 1 / Double(max(actors, 1))
    for _ in 1..<max(depth, 1) { bound /= Double(max(steps, 1)) }
    return bound
  }
}

/// Whose turn it is under priorities that change at a few points.
struct PlanPriorities {
  /// Actors by their places, the most urgent first.
  private var order: [Int] = []
  /// The commands before which whoever is the most urgent becomes the least.
  private var changes: Set<Int> = []
  private var step = 0

  /// Draws who is more urgent than whom, and where that changes.
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

  /// The most urgent of those who can act now, as bits by place; nothing if nobody can.
  mutating func next(among able: UInt64) -> Int? {
    let first = order.firstIndex { able >> UInt64($0) & 1 == 1 }
    if changes.contains(step), let first { order.append(order.remove(at: first)) }
    step += 1
    return order.first { able >> UInt64($0) & 1 == 1 }
  }
}

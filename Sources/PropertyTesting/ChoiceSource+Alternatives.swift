extension ChoiceSource {
  /// Draws the index of a weight, in proportion to the weights; shrinks toward the first.
  ///
  /// An index with weight 0 is never returned: when a replayed choice names one, the nearest
  /// earlier index with a weight is taken, else the nearest later one. At least one weight must be
  /// positive.
  public mutating func weighted(_ weights: [Int], label: String? = nil) -> Int {
    if let label { openSpan(label) }
    defer { if label != nil { closeSpan() } }
    let total = weights.reduce(0) { $0 + max($1, 0) }
    guard total > 0 else { fatalError("weighted(\(weights)): no weight is positive") }
    let first = weights.firstIndex { $0 > 0 } ?? 0
    let index = take(0, Int64(weights.count - 1), simplest: 0, kind: .name) { random in
      var rest = Int(random.next(through: UInt64(total - 1)))
      for index in weights.indices {
        rest -= max(weights[index], 0)
        if rest < 0 { return Int64(index) }
      }
      return Int64(first)
    }
    if weights[Int(index)] > 0 { return Int(index) }
    let settled = weights[..<Int(index)].lastIndex { $0 > 0 } ?? first
    amendLast(Int64(settled))
    return settled
  }

  /// Returns weights that make this run unlike the others, for `weighted(_:)`: call it once a run.
  ///
  /// Half of the runs get the same weight for every alternative; in the others (*swarm* runs, after
  /// Groce et al., ISSTA 2012) some alternatives are left out and the rest weigh from 1 to 16. Long
  /// runs of one command, which uniform choice never makes, then come up. The weights are not
  /// choices: they bias later choices only, a replay gets equal weights, and there is nothing to
  /// shrink.
  public mutating func swarmWeights(_ count: Int) -> [Int] {
    guard !isReplaying, random.next() & 1 == 0 else { return Array(repeating: 1, count: count) }
    let keeps = random.next(through: 3)
    var weights = (0..<count).map { _ in
      random.next(through: 3) <= keeps ? 1 << Int(random.next(through: 4)) : 0
    }
    if weights.allSatisfy({ $0 == 0 }), count > 0 {
      weights[Int(random.next(through: UInt64(count - 1)))] = 1
    }
    return weights
  }

  /// Returns a number that is the same for the whole run, for rates that bias later choices.
  ///
  /// It is not a choice: a replay gets the range's lower bound, and there is nothing to shrink.
  public mutating func rate(in range: ClosedRange<Double>) -> Double {
    guard !isReplaying else { return range.lowerBound }
    return range.lowerBound + (range.upperBound - range.lowerBound) * random.nextFraction()
  }

  /// Discards the case, because it does not suit the property.
  public func reject(_ reason: String = "rejected") throws -> Never { throw Rejection(reason) }
}

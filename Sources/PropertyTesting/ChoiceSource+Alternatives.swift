extension ChoiceSource {
  /// Draws an index in proportion to its weight; shrinks toward the first.
  ///
  /// An index with weight 0 is never returned. If a replayed choice has one, the nearest earlier
  /// index with a positive weight is used, or else the nearest later one. At least one weight must
  /// be positive.
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

  /// Returns weights for `weighted(_:)` that vary between runs; call it once per run.
  ///
  /// Half of the runs get equal weights. In the others (*swarm* runs, Groce et al., ISSTA 2012),
  /// some alternatives are left out and the rest weigh from 1 to 16, which produces long sequences
  /// of one command that a uniform choice would not. The weights are not choices: they only bias
  /// later choices, a replay gets equal weights, and they are not shrunk.
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

  /// Returns a number to use for a whole run, as a rate that biases later choices.
  ///
  /// It is not a choice: a replay gets the lower bound of the range, and it is not shrunk.
  public mutating func rate(in range: ClosedRange<Double>) -> Double {
    guard !isReplaying else { return range.lowerBound }
    return range.lowerBound + (range.upperBound - range.lowerBound) * random.nextFraction()
  }

  /// Discards the case as unsuitable for the property.
  public func reject(_ reason: String = "rejected") throws -> Never { throw Rejection(reason) }
}

/// Draws the medians of resamples without sorting each of them.
///
/// - Complexity: O(n) a draw.
struct MedianSampler {
  private let values: [Double]
  private var timesDrawn: [Int]

  init(_ sorted: SortedSamples) {
    values = sorted.values
    timesDrawn = [Int](repeating: 0, count: sorted.values.count)
  }

  /// Draws as many values as there are, with repetition, and answers the median of the draw.
  mutating func draw(_ random: inout SeededRandom) -> Double {
    let count = values.count
    for place in 0..<count { timesDrawn[place] = 0 }
    for _ in 0..<count { timesDrawn[random.index(below: count)] += 1 }
    let upper = value(atRank: count / 2)
    return count.isMultiple(of: 2) ? (value(atRank: count / 2 - 1) + upper) / 2 : upper
  }

  private func value(atRank rank: Int) -> Double {
    var passed = 0
    for place in 0..<values.count {
      passed += timesDrawn[place]
      if passed > rank { return values[place] }
    }
    return values[values.count - 1]
  }
}

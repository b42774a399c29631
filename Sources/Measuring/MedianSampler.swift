/// A sampler of the medians of resamples that does not sort each of them.
///
/// It draws whole groups of values, as many as there are groups; a group may be a single value. The
/// values are sorted once, and the draws of their groups are counted.
///
/// - Complexity: O(n) per draw.
struct MedianSampler {
  private let values: [Double]
  private let groupOfValue: [Int]
  private let sizes: [Int]
  private var timesDrawn: [Int]

  init(_ sorted: SortedSamples) {
    values = sorted.values
    groupOfValue = Array(sorted.values.indices)
    sizes = [Int](repeating: 1, count: sorted.values.count)
    timesDrawn = sizes
  }

  init(groups: [[Double]]) {
    let pairs = groups.enumerated().flatMap { group, values in
      values.map { (value: $0, group: group) }
    }.sorted { $0.value < $1.value }
    values = pairs.map(\.value)
    groupOfValue = pairs.map(\.group)
    sizes = groups.map(\.count)
    timesDrawn = sizes
  }

  /// Draws as many groups as there are, with repetition, and returns the median of their values.
  mutating func draw(_ random: inout SeededRandom) -> Double {
    for group in 0..<sizes.count { timesDrawn[group] = 0 }
    var total = 0
    for _ in 0..<sizes.count {
      let group = random.index(below: sizes.count)
      timesDrawn[group] += 1
      total += sizes[group]
    }
    return median(of: total)
  }

  private func median(of total: Int) -> Double {
    let lowerRank = (total - 1) / 2
    let upperRank = total / 2
    var passed = 0
    var lower: Double?
    for place in 0..<values.count {
      passed += timesDrawn[groupOfValue[place]]
      if lower == nil && passed > lowerRank { lower = values[place] }
      if let lower, passed > upperRank { return (lower + values[place]) / 2 }
    }
    return values[values.count - 1]
  }
}

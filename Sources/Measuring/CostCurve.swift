#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The cost of one operation at several history sizes.
package struct CostCurve: Sendable, Hashable, Codable {
  /// The samples at one history size.
  package struct Point: Sendable, Hashable, Codable {
    /// The size of history, in transactions.
    package var size: Int
    /// The cost of each measurement, in the curve's unit.
    package var samples: [Double]

    /// Creates a point.
    package init(size: Int, samples: [Double]) {
      self.size = size
      self.samples = samples
    }
  }

  /// The points, smallest size first.
  package let points: [Point]

  /// Creates a curve from points in any order; sizes must differ and be positive.
  package init(_ points: [Point]) {
    self.points = points.sorted { $0.size < $1.size }
    precondition(Set(points.map(\.size)).count == points.count, "a size comes twice")
    precondition(points.allSatisfy { $0.size > 0 && !$0.samples.isEmpty }, "an empty point")
  }

  /// Creates a curve from the rows with samples on one metric, or returns `nil` if there are none.
  ///
  /// The rows must be of one benchmark and contender, so that no size occurs twice.
  package init?(_ rows: [BenchmarkRow], metric: Metric) {
    let points = rows.filter { $0.metric == metric && !$0.samples.isEmpty }
      .map { Point(size: $0.historySize, samples: $0.samples) }
    guard !points.isEmpty else { return nil }
    self.init(points)
  }

  /// Estimates the ratio of the median cost at the largest size to that at the smallest.
  ///
  /// - Returns: The ratio, or `nil` for fewer than two sizes or a cost of zero at the smallest.
  package func growth(bootstrap: Bootstrap) -> Interval? {
    guard let first = points.first, let last = points.last, first.size < last.size else {
      return nil
    }
    let smallest = SortedSamples(first.samples)
    let largest = SortedSamples(last.samples)
    guard let least = smallest.values.first, least > 0 else { return nil }
    var random = SeededRandom(seed: bootstrap.seed)
    var small = MedianSampler(smallest)
    var large = MedianSampler(largest)
    let estimates = (0..<bootstrap.resamples).map { _ in
      large.draw(&random) / small.draw(&random)
    }
    return bootstrap.interval(around: largest.median / smallest.median, from: estimates)
  }

  /// Estimates the slope of the curve's upper half on a log-log scale: 0 is flat, 1 linear.
  ///
  /// - Returns: The slope, or `nil` for fewer than three sizes or a cost of zero.
  package func tailSlope(bootstrap: Bootstrap) -> Interval? {
    guard points.count >= 3, isPositive else { return nil }
    let tail = Array(points.suffix(max(3, (points.count + 1) / 2)))
    let sizes = tail.map { log(Double($0.size)) }
    var random = SeededRandom(seed: bootstrap.seed)
    var samplers = tail.map { MedianSampler(SortedSamples($0.samples)) }
    let estimates = (0..<bootstrap.resamples).map { _ in
      slope(sizes, samplers.indices.map { log(samplers[$0].draw(&random)) })
    }
    let costs = tail.map { log(SortedSamples($0.samples).median) }
    return bootstrap.interval(around: slope(sizes, costs), from: estimates)
  }

  /// Whether every sample is above zero.
  package var isPositive: Bool {
    points.allSatisfy { point in point.samples.allSatisfy { $0 > 0 } }
  }

  private func slope(_ sizes: [Double], _ costs: [Double]) -> Double {
    let meanSize = sizes.reduce(0, +) / Double(sizes.count)
    let meanCost = costs.reduce(0, +) / Double(costs.count)
    var product = 0.0
    var square = 0.0
    for (size, cost) in zip(sizes, costs) {
      product += (size - meanSize) * (cost - meanCost)
      square += (size - meanSize) * (size - meanSize)
    }
    return product / square
  }
}

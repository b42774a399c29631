import Basics

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A model of how cost grows with the size of history: a fixed part plus a growing part.
package enum CostModel: String, Sendable, Codable, CaseIterable {
  /// The cost does not grow.
  case flat
  /// The cost grows with the logarithm of the size.
  case logarithmic = "log n"
  /// The cost grows linearly with the size.
  case linear = "n"
  /// The cost grows with the size times its logarithm.
  case linearithmic = "n log n"
  /// The cost grows with the square of the size.
  case quadratic = "n^2"

  /// Returns the part of the cost formula that grows, such as n or log n, for a size.
  func term(_ size: Double) -> Double {
    switch self {
    case .flat: 0
    case .logarithmic: log2(size)
    case .linear: size
    case .linearithmic: size * log2(size)
    case .quadratic: size * size
    }
  }

  var parameters: Double { self == .flat ? 1 : 2 }
}

/// A cost model fitted to a curve: `fixed + rate * term(size)`, neither part below zero.
package struct CostFit: Sendable, Hashable, Codable {
  package var model: CostModel
  /// The fixed cost, in the curve's unit.
  package var fixed: Double
  /// The factor of the growing part: in the curve's unit, the cost is `fixed + rate * term(n)`.
  ///
  /// The term is n or log n, for example, where n is the history size.
  package var rate: Double
  /// The mean square of the relative errors of the fit.
  package var error: Double

  /// Returns the cost predicted for a size, in the curve's unit.
  package func cost(at size: Int) -> Double { fixed + rate * model.term(Double(size)) }

  /// Returns the predicted cost at the last size divided by the predicted cost at the first size.
  func growth(over sizes: [Double]) -> Double {
    guard let first = sizes.first, let last = sizes.last else { return 1 }
    return (fixed + rate * model.term(last)) / (fixed + rate * model.term(first))
  }

  /// Fits a model to costs above zero by least squares of the relative errors.
  ///
  /// The intercept matters: without it, a scan hidden under a fixed cost of a millisecond is
  /// classified as logarithmic.
  init(_ model: CostModel, sizes: [Double], costs: [Double]) {
    self.model = model
    let terms = sizes.map(model.term)
    (fixed, rate) = CostFit.solve(terms, costs, isFlat: model == .flat)
    var squares = 0.0
    for (term, cost) in zip(terms, costs) {
      let miss = (fixed + rate * term) / cost - 1
      squares += miss * miss
    }
    error = squares / Double(costs.count)
  }

  /// Returns the Bayesian information criterion; the model with the least value is the best.
  ///
  /// Errors below a thousandth count as a thousandth: exact counters fit exactly, and then the
  /// number of parameters decides.
  func criterion(points: Int) -> Double {
    let count = Double(points)
    return count * log(max(error, 1e-6)) + model.parameters * log(count)
  }

  /// Solves weighted least squares in two unknowns that may not be negative.
  private static func solve(
    _ terms: [Double],
    _ costs: [Double],
    isFlat: Bool
  ) -> (fixed: Double, rate: Double) {
    var (w, wx, wxx, wy, wxy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (term, cost) in zip(terms, costs) {
      let weight = 1 / (cost * cost)
      w += weight
      wx += weight * term
      wxx += weight * term * term
      wy += weight * cost
      wxy += weight * term * cost
    }
    let determinant = w * wxx - wx * wx
    if isFlat || determinant <= 0 { return (wy / w, 0) }
    let fixed = (wxx * wy - wx * wxy) / determinant
    let rate = (w * wxy - wx * wy) / determinant
    if rate < 0 { return (wy / w, 0) }
    if fixed < 0 { return (0, wxy / wxx) }
    return (fixed, rate)
  }
}

/// The cost of one operation at several history sizes.
package struct CostCurve: Sendable, Hashable, Codable {
  /// The samples at one history size.
  package struct Point: Sendable, Hashable, Codable {
    /// The size of history, in transactions.
    package var size: Int
    /// The cost of each measurement, in the curve's unit.
    package var samples: [Double]

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

  /// Estimates the median cost at the largest size divided by the median cost at the smallest size.
  ///
  /// - Returns: The ratio, or `nil` for fewer than two sizes or a cost of zero at the smallest.
  package func growth(bootstrap: Bootstrap) -> Interval? {
    guard let first = points.first, let last = points.last, first.size < last.size else {
      return nil
    }
    let smallest = SortedSamples(first.samples)
    let largest = SortedSamples(last.samples)
    guard let least = smallest.values.first, least > 0 else { return nil }
    var random = SplitMix64(seed: bootstrap.seed)
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
    var random = SplitMix64(seed: bootstrap.seed)
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

/// A cost curve with a known growth class, used to validate ``ComplexityJudge``.
package struct KnownCurve: Sendable, CustomStringConvertible {
  /// The formula of the curve, such as `0.9 + 1e-6 n`.
  package let description: String
  /// The true growth class of the curve, and so the verdict that ``ComplexityJudge`` should give.
  package let answer: ComplexityClass
  private let cost: @Sendable (Double) -> Double

  private init(
    _ description: String,
    _ answer: ComplexityClass,
    _ cost: @escaping @Sendable (Double) -> Double
  ) {
    self.description = description
    self.answer = answer
    self.cost = cost
  }

  /// The sizes at which a simulated curve is measured: eleven from 1,000 to 1,000,000.
  package static let sizes = (0..<11).map { Int(1_000 * pow(1_000, Double($0) / 10)) }

  /// The cost of a scan of all history plus a fixed cost.
  ///
  /// At small sizes, the fixed cost hides the scan.
  package static let hiddenScan = KnownCurve("0.9 + 1e-6 n", .linearLike) { 0.9 + 1e-6 * $0 }

  /// All curves with a known growth class, for validating ``ComplexityJudge``.
  package static let all = [
    KnownCurve("0.25", .flat) { _ in 0.25 },
    KnownCurve("0.21 + 0.004 log n", .logarithmic) { 0.21 + 0.004 * log2($0) },
    KnownCurve("2e-4 n", .linearLike) { 2e-4 * $0 },
    KnownCurve("0.9 + 2.1e-4 n", .linearLike) { 0.9 + 2.1e-4 * $0 },
    hiddenScan,
    KnownCurve("0.5 + 2e-5 n log n", .linearLike) { 0.5 + 2e-5 * $0 * log2($0) },
    KnownCurve("0.5 + 1e-9 n^2", .worse) { 0.5 + 1e-9 * $0 * $0 },
  ]

  /// Returns the curve with simulated noise: thirty samples at each size, determined by a seed.
  package func measured(deviation: Double, seed: UInt64) -> CostCurve {
    var noise = SimulatedNoise(seed: seed)
    return CostCurve(
      Self.sizes.map { size in
        CostCurve.Point(
          size: size,
          samples: (0..<30).map { _ in noise.disturb(cost(Double(size)), by: deviation) }
        )
      }
    )
  }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A law by which cost may follow the size of history: a fixed part and a part that grows.
package enum CostModel: String, Sendable, Codable, CaseIterable {
  /// The fixed part alone.
  case flat
  /// With the logarithm of the size.
  case logarithmic = "log n"
  /// With the size.
  case linear = "n"
  /// With the size times its logarithm.
  case linearithmic = "n log n"
  /// With the square of the size.
  case quadratic = "n^2"

  /// The growing part for a size.
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
  /// The law.
  package var model: CostModel
  /// The cost that does not grow, in the curve's unit.
  package var fixed: Double
  /// The cost of one unit of the growing term.
  package var rate: Double
  /// The mean square of the relative errors.
  package var error: Double

  /// The cost that the fit expects at a size, in the curve's unit.
  package func cost(at size: Int) -> Double { fixed + rate * model.term(Double(size)) }

  /// How many times dearer the last size is than the first, by this fit.
  func growth(over sizes: [Double]) -> Double {
    guard let first = sizes.first, let last = sizes.last else { return 1 }
    return (fixed + rate * model.term(last)) / (fixed + rate * model.term(first))
  }

  /// Fits a law to costs, all above zero, so that the squares of the relative errors are least.
  ///
  /// The intercept matters: without it a scan hidden under a fixed cost of a millisecond reads as
  /// logarithmic.
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

  /// Bayesian information criterion; the least is the best.
  ///
  /// Errors below a thousandth are taken as a thousandth: exact counters fit exactly, and then the
  /// number of parameters decides.
  func criterion(points: Int) -> Double {
    let count = Double(points)
    return count * log(max(error, 1e-6)) + model.parameters * log(count)
  }

  /// Weighted least squares in two unknowns that may not fall below zero.
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

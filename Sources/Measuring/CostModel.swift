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
  /// The cost grows with the size.
  case linear = "n"
  /// The cost grows with the size times its logarithm.
  case linearithmic = "n log n"
  /// The cost grows with the square of the size.
  case quadratic = "n^2"

  /// Returns the growing term for a size.
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
  /// The cost model.
  package var model: CostModel
  /// The fixed cost, in the curve's unit.
  package var fixed: Double
  /// The cost of one unit of the growing term.
  package var rate: Double
  /// The mean square of the relative errors.
  package var error: Double

  /// Returns the cost predicted for a size, in the curve's unit.
  package func cost(at size: Int) -> Double { fixed + rate * model.term(Double(size)) }

  /// Returns the predicted cost at the last size divided by that at the first.
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

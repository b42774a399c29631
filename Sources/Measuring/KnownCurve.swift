#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A cost curve with a known model, used to validate the judge of cost curves.
package struct KnownCurve: Sendable, CustomStringConvertible {
  /// The formula of the model.
  package let description: String
  /// The class that a judge should report.
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

  /// A scan of all history under a fixed cost: easy to overlook, and the costliest to miss.
  package static let hiddenScan = KnownCurve("0.9 + 1e-6 n", .linearLike) { 0.9 + 1e-6 * $0 }

  /// All known curves.
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

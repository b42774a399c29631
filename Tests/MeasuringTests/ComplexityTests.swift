import Foundation
import Testing

@testable import Measuring

@Suite struct `Complexity verdicts` {
  struct KnownCurve: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: ComplexityClass
    let cost: @Sendable (Double) -> Double
  }

  static let sizes = (0..<11).map { Int(1_000 * pow(1_000, Double($0) / 10)) }

  static let known = [
    KnownCurve(testDescription: "0.25", answer: .flat) { _ in 0.25 },
    KnownCurve(testDescription: "0.21 + 0.004 log n", answer: .logarithmic) {
      0.21 + 0.004 * log2($0)
    },
    KnownCurve(testDescription: "2e-4 n", answer: .linearLike) { 2e-4 * $0 },
    KnownCurve(testDescription: "0.9 + 2.1e-4 n", answer: .linearLike) { 0.9 + 2.1e-4 * $0 },
    KnownCurve(testDescription: "0.9 + 1e-6 n", answer: .linearLike) { 0.9 + 1e-6 * $0 },
    KnownCurve(testDescription: "0.5 + 2e-5 n log n", answer: .linearLike) {
      0.5 + 2e-5 * $0 * log2($0)
    },
    KnownCurve(testDescription: "0.5 + 1e-9 n^2", answer: .worse) { 0.5 + 1e-9 * $0 * $0 },
  ]

  @Test(arguments: known)
  func `A known cost is recognized under 3 % noise`(curve: KnownCurve) {
    for seed in 0..<UInt64(5) {
      let verdict = ComplexityJudge(seed: seed).judge(simulated(curve, 0.03, seed: seed))
      #expect(verdict.complexity == curve.answer, "seed \(seed): \(verdict.because ?? "")")
      #expect(verdict.confidence >= 0.95)
      #expect(verdict.because == nil)
    }
  }

  @Test func `A scan hidden under a fixed cost is never called flat or logarithmic`() {
    for seed in 0..<UInt64(10) {
      let verdict = ComplexityJudge(seed: seed).judge(simulated(Self.known[4], 0.08, seed: seed))
      #expect([.linearLike, .inconclusive].contains(verdict.complexity), "seed \(seed)")
    }
  }

  @Test func `Exact counters need no noise to be judged`() {
    let steps = CostCurve(
      Self.sizes.map { CostCurve.Point(size: $0, samples: [1.2 * Double($0) + 14]) }
    )
    let verdict = ComplexityJudge(seed: 1).judge(steps)
    #expect(verdict.complexity == .linearLike)
    #expect(verdict.confidence == 1)
    #expect(verdict.fit?.model == .linear)
    #expect(abs((verdict.fit?.rate ?? 0) - 1.2) < 1e-6)
    let constant = CostCurve(Self.sizes.map { CostCurve.Point(size: $0, samples: [607]) })
    #expect(ComplexityJudge(seed: 1).judge(constant).complexity == .flat)
  }

  @Test func `Growth tells the factor from the smallest to the largest with its interval`() throws {
    let curve = simulated(Self.known[1], 0.03, seed: 1)
    let growth = try #require(curve.growth(bootstrap: Bootstrap(seed: 1)))
    let truth = (0.21 + 0.004 * log2(1_000_000)) / (0.21 + 0.004 * log2(1_000))
    #expect(growth.contains(truth))
    #expect(growth.upper - growth.lower < 0.1)
    let slope = try #require(
      simulated(Self.known[2], 0.03, seed: 1).tailSlope(
        bootstrap: Bootstrap(seed: 1)
      )
    )
    #expect(slope.contains(1))
  }

  @Test func `Three sizes give a growth factor but no law`() {
    let curve = CostCurve(
      [1_000, 10_000, 100_000].map { CostCurve.Point(size: $0, samples: [1, 1.1, 0.9]) }
    )
    let verdict = ComplexityJudge(seed: 1).judge(curve)
    #expect(verdict.complexity == .inconclusive)
    #expect(verdict.because == "3 sizes were measured; a law is fitted from 5 on")
    #expect(verdict.fit == nil)
    #expect(verdict.growth?.estimate == 1)
  }

  @Test func `Costs of zero are not judged`() {
    let curve = CostCurve(Self.sizes.map { CostCurve.Point(size: $0, samples: [0]) })
    let verdict = ComplexityJudge(seed: 1).judge(curve)
    #expect(verdict.complexity == .inconclusive)
    #expect(verdict.because == "a sample is zero")
    #expect(verdict.growth == nil)
    #expect(verdict.tailSlope == nil)
  }

  private func simulated(_ curve: KnownCurve, _ deviation: Double, seed: UInt64) -> CostCurve {
    var noise = Noise(seed: seed)
    return CostCurve(
      Self.sizes.map { size in
        CostCurve.Point(
          size: size,
          samples: (0..<30).map { _ in noise.disturb(curve.cost(Double(size)), by: deviation) }
        )
      }
    )
  }
}

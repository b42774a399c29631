import Foundation
import Testing

@testable import Measuring

@Suite struct `Complexity verdicts` {
  @Test(arguments: KnownCurve.all)
  func `A known cost is recognized under 3 % noise`(curve: KnownCurve) {
    for seed in 0..<UInt64(5) {
      let measured = curve.measured(deviation: 0.03, seed: seed)
      let verdict = ComplexityJudge(seed: seed).judge(measured)
      #expect(verdict.complexity == curve.answer, "seed \(seed): \(verdict.because ?? "")")
      #expect(verdict.confidence >= 0.95)
      #expect(verdict.because == nil)
    }
  }

  @Test func `A scan hidden under a fixed cost is never called flat or logarithmic`() {
    for seed in 0..<UInt64(10) {
      let verdict = ComplexityJudge(seed: seed).judge(
        KnownCurve.hiddenScan.measured(deviation: 0.08, seed: seed)
      )
      #expect([.linearLike, .inconclusive].contains(verdict.complexity), "seed \(seed)")
    }
  }

  @Test func `Exact counters need no noise to be judged`() {
    let steps = CostCurve(
      KnownCurve.sizes.map { CostCurve.Point(size: $0, samples: [1.2 * Double($0) + 14]) }
    )
    let verdict = ComplexityJudge(seed: 1).judge(steps)
    #expect(verdict.complexity == .linearLike)
    #expect(verdict.confidence == 1)
    #expect(verdict.fit?.model == .linear)
    #expect(abs((verdict.fit?.rate ?? 0) - 1.2) < 1e-6)
    let constant = CostCurve(KnownCurve.sizes.map { CostCurve.Point(size: $0, samples: [607]) })
    #expect(ComplexityJudge(seed: 1).judge(constant).complexity == .flat)
  }

  @Test func `Growth is the factor from the smallest to the largest size, with its interval`()
    throws
  {
    let curve = KnownCurve.all[1].measured(deviation: 0.03, seed: 1)
    let growth = try #require(curve.growth(bootstrap: Bootstrap(seed: 1)))
    let truth = (0.21 + 0.004 * log2(1_000_000)) / (0.21 + 0.004 * log2(1_000))
    #expect(growth.contains(truth))
    #expect(growth.upper - growth.lower < 0.1)
    let slope = try #require(
      KnownCurve.all[2].measured(deviation: 0.03, seed: 1).tailSlope(
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
    #expect(verdict.because == "3 sizes were measured; classifying the growth needs at least 5")
    #expect(verdict.fit == nil)
    #expect(verdict.growth?.estimate == 1)
  }

  @Test func `Costs of zero are not judged`() {
    let curve = CostCurve(KnownCurve.sizes.map { CostCurve.Point(size: $0, samples: [0]) })
    let verdict = ComplexityJudge(seed: 1).judge(curve)
    #expect(verdict.complexity == .inconclusive)
    #expect(verdict.because == "a sample is zero")
    #expect(verdict.growth == nil)
    #expect(verdict.tailSlope == nil)
  }
}

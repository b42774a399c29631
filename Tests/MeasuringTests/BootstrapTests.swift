import Foundation
import Testing

@testable import Measuring

@Suite struct `Bootstrap intervals` {
  @Test func `The median of counted draws equals the median of sorted draws`() {
    let values: [Double] = [5, 1, 4, 2, 3, 9, 7, 8]
    let bootstrap = Bootstrap(resamples: 500, seed: 3)
    let sorted = values.sorted()
    let general = bootstrap.interval(units: sorted.count) { drawn in
      SortedSamples(drawn.map { sorted[$0] }).median
    }
    #expect(bootstrap.median(of: values) == general)
  }

  @Test func `Groups are drawn as a whole`() {
    let groups: [[Double]] = [[1, 9], [2, 8, 3], [7], [4, 6, 5, 5]]
    let bootstrap = Bootstrap(resamples: 500, seed: 3)
    let general = bootstrap.interval(units: groups.count) { drawn in
      SortedSamples(drawn.flatMap { groups[$0] }).median
    }
    #expect(bootstrap.median(ofGroups: groups) == general)
  }

  @Test func `The same seed gives the same interval and another seed another`() {
    var noise = SimulatedNoise(seed: 1)
    let values = (0..<40).map { _ in noise.normal() }
    let interval = Bootstrap(seed: 7).median(of: values)
    #expect(Bootstrap(seed: 7).median(of: values) == interval)
    #expect(Bootstrap(seed: 8).median(of: values) != interval)
  }

  @Test func `A known ratio is covered about as often as promised`() {
    let covered = (0..<200).count { simulation in
      estimate(of: 1.05, deviation: 0.02, seed: UInt64(simulation)).interval.contains(1.05)
    }
    // 190 are expected; 180 or fewer occur by chance in one of 300 seeds.
    #expect((181...200).contains(covered))
  }

  @Test func `A program compared with itself raises no alarm`() {
    for simulation in 0..<200 {
      let ratio = estimate(of: 1, deviation: 0.005, seed: UInt64(1_000 + simulation))
      #expect(ratio.verdict() != .dearer, "simulation \(simulation)")
      #expect(ratio.verdict() != .cheaper, "simulation \(simulation)")
    }
  }

  @Test func `A slowdown of two percent is detected`() {
    let found = (0..<100).count { simulation in
      estimate(of: 1.02, deviation: 0.005, seed: UInt64(2_000 + simulation)).verdict() == .dearer
    }
    #expect(found >= 98)
  }

  @Test(arguments: [
    (lower: 1.006, upper: 1.02, verdict: RatioVerdict.dearer),
    (lower: 0.97, upper: 0.99, verdict: .cheaper),
    (lower: 0.998, upper: 1.003, verdict: .alike),
    (lower: 0.99, upper: 1.003, verdict: .undecided),
    (lower: 1.004, upper: 1.02, verdict: .undecided),
  ])
  func `A verdict requires the whole interval on one side`(
    lower: Double,
    upper: Double,
    verdict: RatioVerdict
  ) {
    var ratio = RatioEstimate(to: "floor", logRatios: [0], bootstrap: Bootstrap(seed: 1))
    ratio.interval = Interval(estimate: 1, lower: lower, upper: upper, confidence: 0.95)
    #expect(ratio.verdict() == verdict)
  }

  /// The ratio of 50 simulated blocks, some of them hit by a disturbance.
  private func estimate(of ratio: Double, deviation: Double, seed: UInt64) -> RatioEstimate {
    var noise = SimulatedNoise(seed: seed)
    let logRatios = (0..<50).map { _ in
      log(noise.disturb(ratio, by: deviation) / noise.disturb(1, by: deviation))
    }
    return RatioEstimate(
      to: "floor",
      logRatios: logRatios,
      bootstrap: Bootstrap(resamples: 500, seed: seed)
    )
  }
}

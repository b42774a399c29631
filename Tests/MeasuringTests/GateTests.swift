import Foundation
import Testing

@testable import Measuring

@Suite struct `The gate` {
  @Test func `The signed-rank test gives the probabilities of the tables`() {
    // All of ten values above the level: the normal distribution's 0.0030 for 1 in 1,024.
    let above = (1...10).map { Double($0) }
    #expect(abs(SignedRankTest.chance(of: above, above: 0) - 0.00296) < 1e-4)
    #expect(SignedRankTest.chance(of: above.map(-), above: 0) > 0.99)
    #expect(SignedRankTest.chance(of: [1, -1, 2, -2, 3, -3, 4, -4], above: 0) > 0.4)
    #expect(SignedRankTest.chance(of: [9, 9, 9, 9, 9], above: 0) == 1)
    #expect(SignedRankTest.chance(of: above, above: 5.5) > 0.4)
  }

  @Test func `The probabilities of equal values are as rare as stated`() {
    var noise = SimulatedNoise(seed: 3)
    let chances = (0..<2_000).map { _ in
      SignedRankTest.chance(of: (0..<20).map { _ in noise.normal() }, above: 0)
    }
    let below = Double(chances.filter { $0 < 0.05 }.count) / 2_000
    #expect(abs(below - 0.05) < 0.015)
  }

  @Test func `Of many probabilities only those that pass the false discovery rate are reported`() {
    #expect(FalseDiscovery.reported([0.04, 0.5, 0.9, 0.7]) == [false, false, false, false])
    #expect(FalseDiscovery.reported([0.001, 0.5, 0.9, 0.7]) == [true, false, false, false])
    // The second is reported because the first is so rare.
    #expect(FalseDiscovery.reported([0.02, 0.001, 0.9, 0.7]) == [true, true, false, false])
    #expect(FalseDiscovery.reported([]) == [])
  }

  @Test func `A confirmed change exceeds the margin`() {
    let gate = RegressionGate(seed: 1)
    let dearer = units(40, around: 0.03)
    let cheaper = units(40, around: -0.03)
    let verdicts = gate.judge([
      .init(first: units(10, around: 0.03), second: dearer),
      .init(first: units(10, around: -0.03), second: cheaper),
      .init(first: units(10, around: 0.03), second: units(40, around: 0.005)),
      .init(first: units(10, around: 0)),
      .init(first: [0.1, 0.1]),
    ])
    #expect(verdicts.map(\.answer) == [.dearer, .cheaper, .alike, .alike, .undecided])
    #expect(verdicts.map(\.units) == [40, 40, 40, 10, 2])
    #expect(verdicts.map(\.wasSuspect) == [true, true, true, false, false])
    #expect(abs(verdicts[0].ratio.estimate - exp(0.03)) < 0.002)
  }

  @Test func `A suspect is judged by the later measurement only`() {
    let gate = RegressionGate(seed: 1)
    let unlucky = RegressionGate.Evidence(
      first: units(20, around: 0.2),
      second: units(80, around: 0)
    )
    #expect(gate.judge([unlucky]).map(\.answer) == [.alike])
  }

  @Test func `A first measurement that is too wide is repeated, then undecided`() {
    let gate = RegressionGate(seed: 1)
    let wide = (0..<20).map { $0.isMultiple(of: 2) ? 0.4 : -0.4 }
    #expect(gate.wantsSecondLook(wide))
    #expect(gate.judge([.init(first: wide, second: wide)]).map(\.answer) == [.undecided])
    #expect(!gate.wantsSecondLook(units(20, around: 0)))
    #expect(gate.wantsSecondLook(units(20, around: 0.02)))
    #expect(!gate.wantsSecondLook([0.3, 0.3]))
  }

  @Test func `The variation between launches equals the measured one`() {
    var launches = SimulatedLaunches(seed: 5)
    let pairs = launches.pairs(4_000, effect: 0)
    let mean = pairs.reduce(0, +) / 4_000
    let variance = pairs.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 4_000
    #expect(abs(variance.squareRoot() - SimulatedLaunches.pairDeviation) < 0.002)
  }

  /// Values within a tenth of a percent of a centre.
  private func units(_ count: Int, around middle: Double) -> [Double] {
    var noise = SimulatedNoise(seed: UInt64(count))
    return (0..<count).map { _ in middle + 0.001 * noise.normal() }
  }
}

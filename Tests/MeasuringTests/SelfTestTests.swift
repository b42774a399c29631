import Testing

@testable import Measuring

@Suite struct `The measurement self-test` {
  @Test func `A short self-test reaches all its goals`() {
    var outcomes: [SelfTestOutcome] = []
    var test = SimulatedSelfTest(seed: 7, isQuick: true)
    // A debug build is slow.
    (test.disturbances, test.rows) = (2, 20)
    test.run { outcomes.append($0) }
    #expect(outcomes.count == KnownCurve.all.count + 2)
    for outcome in outcomes { #expect(outcome.isReached, "\(outcome.part): \(outcome.found)") }
    #expect(outcomes.allSatisfy { !$0.isMeasured })
  }

  @Test func `A gate that decides too early is detected`() {
    var trial = ComplexityTrial(of: KnownCurve.hiddenScan, deviation: 0.03, seeds: 0..<3)
    #expect(trial.right == 3)
    #expect(SelfTestOutcome.law(trial).isReached)
    // With such noise no verdict is reliable, and none is given.
    trial = ComplexityTrial(of: KnownCurve.all[1], deviation: 0.5, seeds: 0..<5)
    #expect(trial.decidedShare < 0.9)
    #expect(!SelfTestOutcome.law(trial).isReached)
  }

  @Test func `A gate that measures once raises alarms, and the self-test reports it`() {
    var launches = SimulatedLaunches(seed: 9)
    let gate = RegressionGate(seed: 9)
    let trial = GateTrial(rows: 20, units: 20, gate: gate) { _, units in
      launches.pairs(units, effect: 0.2)
    }
    #expect(trial.alarms == 20)
    #expect(!SelfTestOutcome.alarms("alike", trial, isMeasured: false).isReached)
    #expect(SelfTestOutcome.found("dearer", trial, isMeasured: false).isReached)
    let none = GateTrial.launches(rows: 20, effect: 0.001, seed: 1)
    #expect(!SelfTestOutcome.found("dearer", none, isMeasured: false).isReached)
  }
}

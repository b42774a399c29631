/// The results of a gate on rows whose true ratio is known.
package struct GateTrial: Sendable, Hashable {
  /// The number of rows that were judged.
  package private(set) var rows = 0
  /// The number of rows that were measured again.
  package private(set) var suspects = 0
  /// The number of rows confirmed as slower.
  package private(set) var dearer = 0
  /// The number of rows confirmed as faster.
  package private(set) var cheaper = 0
  /// The number of rows that remained undecided.
  package private(set) var undecided = 0

  /// Creates a trial without rows.
  package init() {}

  /// The number of rows reported as changed.
  package var alarms: Int { dearer + cheaper }

  /// The share of rows that were decided.
  package var decidedShare: Double { 1 - Double(undecided) / Double(max(1, rows)) }

  /// The share of rows confirmed as slower.
  package var foundShare: Double { Double(dearer) / Double(max(1, rows)) }

  /// Passes rows through both stages of a gate and counts the verdicts.
  ///
  /// The `measure` closure returns the logarithms of the ratios of the requested number of units.
  ///
  /// - Throws: what `measure` throws.
  package init(
    rows: Int,
    units: Int,
    gate: RegressionGate,
    measure: (_ row: Int, _ units: Int) throws -> [Double]
  ) rethrows {
    var evidence: [RegressionGate.Evidence] = []
    for row in 0..<rows {
      var one = RegressionGate.Evidence(first: try measure(row, units))
      if gate.wantsSecondLook(one.first) {
        one.second = try measure(row, units * RegressionGate.secondLookFactor)
        suspects += 1
      }
      evidence.append(one)
    }
    for verdict in gate.judge(evidence) { note(verdict.answer) }
  }

  private mutating func note(_ answer: GateVerdict.Answer) {
    rows += 1
    switch answer {
    case .alike: break
    case .dearer: dearer += 1
    case .cheaper: cheaper += 1
    case .undecided: undecided += 1
    }
  }
}

extension GateTrial {
  /// Passes simulated pairs of launches through both stages of a gate.
  package static func launches(
    rows: Int,
    pairs: Int = 20,
    effect: Double,
    seed: UInt64
  ) -> GateTrial {
    var launches = SimulatedLaunches(seed: seed)
    return GateTrial(rows: rows, units: pairs, gate: RegressionGate(seed: seed)) { _, units in
      launches.pairs(units, effect: effect)
    }
  }
}

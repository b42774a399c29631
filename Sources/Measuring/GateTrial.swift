/// How a gate did on rows whose true ratio is known.
package struct GateTrial: Sendable, Hashable {
  /// How many rows were judged.
  package private(set) var rows = 0
  /// How many were measured again.
  package private(set) var suspects = 0
  /// How many were confirmed to be dearer.
  package private(set) var dearer = 0
  /// How many were confirmed to be cheaper.
  package private(set) var cheaper = 0
  /// How many could not be decided.
  package private(set) var undecided = 0

  /// Makes a trial without rows.
  package init() {}

  /// How many rows were said to have changed.
  package var alarms: Int { dearer + cheaper }

  /// The share of the rows that were decided.
  package var decidedShare: Double { 1 - Double(undecided) / Double(max(1, rows)) }

  /// The share of the rows that were confirmed to be dearer.
  package var foundShare: Double { Double(dearer) / Double(max(1, rows)) }

  /// Puts rows through both looks and counts the answers.
  ///
  /// `measure` answers the logarithms of ratios of as many units as it is asked for.
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
  /// Puts simulated pairs of launches through both looks.
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

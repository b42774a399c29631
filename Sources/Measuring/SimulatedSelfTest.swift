/// The simulated parts of the measurement self-test: cost models and launches.
package struct SimulatedSelfTest: Sendable {
  /// The seed of the self-test.
  package var seed: UInt64
  /// The number of noise seeds for each known curve.
  package var disturbances: UInt64
  /// The number of simulated rows of launches of each kind.
  package var rows: Int

  /// Creates the self-test; a quick one has 10 noise seeds and 60 rows instead of 100 and 300.
  package init(seed: UInt64, isQuick: Bool) {
    self.seed = seed
    disturbances = isQuick ? 10 : 100
    rows = isQuick ? 60 : 300
  }

  /// Runs all parts, and passes each outcome to a closure.
  ///
  /// - Throws: what `note` throws, at once.
  package func run(_ note: (SelfTestOutcome) throws -> Void) rethrows {
    // Drawn from the seed, so that the consecutive seeds used here do not overlap for adjacent
    // seeds.
    let first = SeededRandom.draw(seed) >> 8
    for curve in KnownCurve.all {
      try note(.law(ComplexityTrial(of: curve, seeds: first..<first + disturbances)))
    }
    let alike = GateTrial.launches(rows: rows, effect: 0, seed: first)
    try note(.alarms("one build beside itself", alike, isMeasured: false))
    let dearer = GateTrial.launches(rows: rows, effect: 0.05, seed: first + 1)
    try note(.found("+5 % across builds", dearer, isMeasured: false))
  }
}

extension SeededRandom {
  /// Returns the first number of the stream of a seed.
  fileprivate static func draw(_ seed: UInt64) -> UInt64 {
    var random = SeededRandom(seed: seed)
    return random.next()
  }
}

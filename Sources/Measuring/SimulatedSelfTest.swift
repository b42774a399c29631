/// The parts of the measuring's own test that need no machine: laws and launches, simulated.
package struct SimulatedSelfTest: Sendable {
  /// From what everything follows.
  package var seed: UInt64
  /// Under how many disturbances each known curve is judged.
  package var disturbances: UInt64
  /// How many rows of launches there are of each kind.
  package var rows: Int

  /// Plans the test; `quick` tries a tenth.
  package init(seed: UInt64, isQuick: Bool) {
    self.seed = seed
    disturbances = isQuick ? 10 : 100
    rows = isQuick ? 60 : 300
  }

  /// Does all parts, and tells each outcome as it comes.
  ///
  /// - Throws: what `note` throws, at once.
  package func run(_ note: (SelfTestOutcome) throws -> Void) rethrows {
    // Seeds that are wanted in a row lie far from those of a neighbouring seed.
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
  /// The first number of the stream that belongs to a seed.
  fileprivate static func draw(_ seed: UInt64) -> UInt64 {
    var random = SeededRandom(seed: seed)
    return random.next()
  }
}

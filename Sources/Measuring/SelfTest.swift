import Basics

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The expected and actual result of one part of the measurement self-test.
package struct SelfTestOutcome: Sendable, Hashable, Codable {
  package var part: String
  /// The expected result of this part of the self-test.
  package var goal: String
  /// The actual result of this part of the self-test.
  package var found: String
  /// Whether the actual result is as expected.
  package var isReached: Bool
  /// Whether real work was timed or counted; otherwise the measurements were simulated.
  package var isMeasured: Bool

  package init(
    _ part: String,
    goal: String,
    found: String,
    isReached: Bool,
    isMeasured: Bool
  ) {
    self.part = part
    self.goal = goal
    self.found = found
    self.isReached = isReached
    self.isMeasured = isMeasured
  }
}

extension SelfTestOutcome {
  /// The least allowed shares: of conclusive verdicts, and of slowdowns that were found.
  private static let (leastDecided, leastFound) = (0.9, 0.95)
  /// The greatest number of false alarms that a part of the self-test may raise.
  ///
  /// The part has three hundred rows, or fewer in a quick self-test. Each row compares equal costs.
  private static let mostAlarms = 1

  /// Returns the outcome of checking whether ``ComplexityJudge`` classifies a cost curve correctly.
  ///
  /// The true growth law of the curve is known.
  package static func law(_ trial: ComplexityTrial) -> SelfTestOutcome {
    SelfTestOutcome(
      "the law \(trial.curve)",
      goal: "0 wrong, at least 90 % decided",
      found: "\(trial.wrong) wrong, \(percent(trial.decidedShare)) decided",
      isReached: trial.wrong == 0 && trial.overlooked == 0
        && trial.decidedShare >= leastDecided,
      isMeasured: false
    )
  }

  /// Returns the outcome of checking whether a ``RegressionGate`` raises few false alarms on rows
  /// without a change.
  package static func alarms(
    _ part: String,
    _ trial: GateTrial,
    isMeasured: Bool
  ) -> SelfTestOutcome {
    SelfTestOutcome(
      part,
      goal: "at most \(mostAlarms) alarm, at least 90 % decided",
      found: "\(trial.alarms) of \(trial.rows)" + looks(trial),
      isReached: trial.alarms <= mostAlarms && trial.decidedShare >= leastDecided,
      isMeasured: isMeasured
    )
  }

  /// Returns the outcome of checking whether a ``RegressionGate`` finds nearly all rows whose cost
  /// has risen.
  package static func found(
    _ part: String,
    _ trial: GateTrial,
    isMeasured: Bool
  ) -> SelfTestOutcome {
    SelfTestOutcome(
      part,
      goal: "found in at least 95 %",
      found: "\(trial.dearer) of \(trial.rows)" + looks(trial),
      isReached: trial.foundShare >= leastFound,
      isMeasured: isMeasured
    )
  }

  private static func looks(_ trial: GateTrial) -> String {
    let again = ", \(trial.suspects) measured again"
    return again + (trial.undecided == 0 ? "" : ", \(trial.undecided) undecided")
  }

  private static func percent(_ share: Double) -> String {
    "\(Int((share * 100).rounded(.down))) %"
  }
}

/// The verdicts of ``ComplexityJudge`` on one curve of known growth, with various simulated noise.
package struct ComplexityTrial: Sendable, Hashable {
  /// The formula of the simulated cost at history size n, such as `0.9 + 1e-6 n`.
  package let curve: String
  /// The number of correct verdicts.
  package private(set) var right = 0
  /// The number of wrong verdicts.
  package private(set) var wrong = 0
  /// The number of inconclusive verdicts.
  package private(set) var undecided = 0
  /// The number of times that a growing cost was classified as flat or logarithmic.
  package private(set) var overlooked = 0

  /// Computes a verdict on a curve for each seed of the noise, and counts the verdicts.
  ///
  /// - Complexity: one judgement of eleven sizes per seed.
  package init(of curve: KnownCurve, deviation: Double = 0.03, seeds: Range<UInt64>) {
    self.curve = curve.description
    for seed in seeds {
      let measured = curve.measured(deviation: deviation, seed: seed)
      note(ComplexityJudge(seed: seed).judge(measured).complexity, of: curve)
    }
  }

  /// The share of conclusive verdicts.
  package var decidedShare: Double {
    Double(right + wrong) / Double(max(1, right + wrong + undecided))
  }

  private mutating func note(_ answer: ComplexityClass, of curve: KnownCurve) {
    switch answer {
    case curve.answer: right += 1
    case .inconclusive: undecided += 1
    case .flat, .logarithmic, .linearLike, .worse: wrong += 1
    }
    let grows = [.linearLike, .worse].contains(curve.answer)
    if grows && [.flat, .logarithmic].contains(answer) { overlooked += 1 }
  }
}

/// The results of a ``RegressionGate`` on rows whose true ratio is known.
///
/// A row is a comparison of two costs; its ratio is that of candidate to baseline.
package struct GateTrial: Sendable, Hashable {
  /// The number of compared pairs of costs (rows).
  package private(set) var rows = 0
  /// The number of rows that seemed changed or were uncertain, and so were measured a second time.
  package private(set) var suspects = 0
  /// The number of rows that the gate reported as slower, rightly or wrongly.
  package private(set) var dearer = 0
  /// The number of rows that the gate reported as faster, rightly or wrongly.
  package private(set) var cheaper = 0
  /// The number of rows for which the ``RegressionGate`` could not decide if the cost has changed.
  package private(set) var undecided = 0

  package init() {}

  /// The number of rows that the gate reported as slower or faster.
  package var alarms: Int { dearer + cheaper }

  /// The share of rows for which the ``RegressionGate`` could decide if the cost has changed.
  package var decidedShare: Double { 1 - Double(undecided) / Double(max(1, rows)) }

  /// The share of rows that the gate reported as slower.
  package var foundShare: Double { Double(dearer) / Double(max(1, rows)) }

  /// Judges rows by both stages of a ``RegressionGate`` and counts the verdicts.
  ///
  /// `measure` receives the number of a row and a number of units. For each unit, a block of
  /// measurements or a pair of launches, it returns the logarithm of the cost ratio of candidate to
  /// baseline. The first stage measures every row. The second stage measures rows that seem changed
  /// or are uncertain (suspects) again, with four times as many units.
  ///
  /// - Throws: The error of `measure`.
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
  /// Judges simulated pairs of launches by both stages of a ``RegressionGate``, and counts the verdicts.
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

/// The simulated parts of the measurement self-test: cost curves, and launches of two builds.
package struct SimulatedSelfTest: Sendable {
  package var seed: UInt64
  /// The number of noise seeds with which each cost curve of known growth is simulated and judged.
  package var disturbances: UInt64
  /// The number of simulated comparisons (rows) of equal builds.
  ///
  /// The self-test makes the same number of comparisons of a build with one that is 5 % slower.
  package var rows: Int

  /// Creates the self-test: 100 noise seeds (``disturbances``) and 300 ``rows``; 10 and 60 if quick.
  package init(seed: UInt64, isQuick: Bool) {
    self.seed = seed
    disturbances = isQuick ? 10 : 100
    rows = isQuick ? 60 : 300
  }

  /// Runs all parts, and passes each outcome to a closure.
  ///
  /// - Throws: The first error of `note`, which ends the self-test.
  package func run(_ note: (SelfTestOutcome) throws -> Void) rethrows {
    // The noise seeds are consecutive numbers; the first is drawn from `seed`. If it were `seed` itself,
    // two self-tests with adjacent seeds would use almost the same noise.
    let first = SplitMix64.draw(seed) >> 8
    for curve in KnownCurve.all {
      try note(.law(ComplexityTrial(of: curve, seeds: first..<first + disturbances)))
    }
    let alike = GateTrial.launches(rows: rows, effect: 0, seed: first)
    try note(.alarms("one build compared with itself", alike, isMeasured: false))
    let dearer = GateTrial.launches(rows: rows, effect: 0.05, seed: first + 1)
    try note(.found("+5 % across builds", dearer, isMeasured: false))
  }
}

extension SplitMix64 {
  /// Returns the first random number that a generator with the given seed produces.
  fileprivate static func draw(_ seed: UInt64) -> UInt64 {
    var random = SplitMix64(seed: seed)
    return random.next()
  }
}

/// Simulated noise of known size, determined by one seed.
///
/// The noise is used to validate ``ComplexityJudge`` and ``RegressionGate``, because the right
/// verdict is known.
package struct SimulatedNoise: Sendable {
  /// The percentage of samples that are outliers.
  package static let outlierPercent = 3.0

  private var random: SplitMix64

  /// Creates the noise for a seed.
  package init(seed: UInt64) { random = SplitMix64(seed: seed &* 7_919 &+ 13) }

  /// Draws from the standard normal distribution (Box and Muller).
  package mutating func normal() -> Double {
    (-2 * log(max(random.unit(), .leastNormalMagnitude))).squareRoot()
      * cos(2 * .pi * random.unit())
  }

  /// Returns a cost with random noise of about the given standard deviation, a share of the cost.
  ///
  /// Three results in a hundred are outliers, also multiplied by a random factor from 1 to 3.
  package mutating func disturb(_ cost: Double, by deviation: Double) -> Double {
    let noisy = cost * exp(deviation * normal())
    let isOutlier = random.unit() < Self.outlierPercent / 100
    return isOutlier ? noisy * (1 + 2 * random.unit()) : noisy
  }
}

/// Simulated launches of two builds of one program, with the scatter of a noisy two-core machine.
///
/// In forty alternating launches of one binary, the median processor time varied by 4.2 % from
/// launch to launch, because of the placement of code and pages. The difference of two consecutive
/// launches varied by 4.9 %. Independent launches would give 5.9 %; consecutive launches share a
/// part of their deviation.
package struct SimulatedLaunches: Sendable {
  /// The standard deviation of the time of one launch, as a share of that time.
  package static let launchDeviation = 0.042
  /// The standard deviation of the difference between the times of two consecutive launches.
  ///
  /// It is a share of the time of one launch, as measured in forty launches of one binary.
  package static let pairDeviation = 0.049

  private var noise: SimulatedNoise

  /// Creates simulated launches of two builds, whose noise depends only on a seed.
  package init(seed: UInt64) { noise = SimulatedNoise(seed: seed) }

  /// Returns the logarithms of the ratios of the new build (head) to the old one (base), one per pair.
  ///
  /// An `effect` of 0.05 makes the head 5 % slower.
  package mutating func pairs(_ count: Int, effect: Double) -> [Double] {
    (0..<count).map { _ in
      let shared = noise.normal() * shareOfNeighbours
      return launch(shared) + log(1 + effect) - launch(shared)
    }
  }

  private mutating func launch(_ shared: Double) -> Double {
    shared + noise.normal() * Self.pairDeviation / 2.0.squareRoot()
  }

  private var shareOfNeighbours: Double {
    let own = Self.pairDeviation * Self.pairDeviation / 2
    return (Self.launchDeviation * Self.launchDeviation - own).squareRoot()
  }
}

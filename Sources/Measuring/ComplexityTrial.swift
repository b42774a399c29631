/// The results of a judge on one known curve, measured repeatedly with different noise.
package struct ComplexityTrial: Sendable, Hashable {
  /// The cost model of the curve.
  package let curve: String
  /// The number of correct verdicts.
  package private(set) var right = 0
  /// The number of wrong verdicts.
  package private(set) var wrong = 0
  /// The number of inconclusive verdicts.
  package private(set) var undecided = 0
  /// The number of times that a growing cost was classified as flat or logarithmic.
  package private(set) var overlooked = 0

  /// Judges a curve once per seed of the noise.
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

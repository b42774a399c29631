/// How a judge of laws did on one known curve, measured again and again under other disturbances.
package struct ComplexityTrial: Sendable, Hashable {
  /// The law of the curve.
  package let curve: String
  /// How often the right answer came.
  package private(set) var right = 0
  /// How often another answer came.
  package private(set) var wrong = 0
  /// How often none could be given.
  package private(set) var undecided = 0
  /// How often a cost that grows was called flat or logarithmic.
  package private(set) var overlooked = 0

  /// Judges a curve under as many disturbances as there are seeds.
  ///
  /// - Complexity: one judgement of eleven sizes a seed.
  package init(of curve: KnownCurve, deviation: Double = 0.03, seeds: Range<UInt64>) {
    self.curve = curve.description
    for seed in seeds {
      let measured = curve.measured(deviation: deviation, seed: seed)
      note(ComplexityJudge(seed: seed).judge(measured).complexity, of: curve)
    }
  }

  /// The share of the disturbances under which the judge answered at all.
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

/// How an operation's cost follows the size of history, as far as the samples allow to say.
package enum ComplexityClass: String, Sendable, Codable {
  /// The same at every size.
  case flat
  /// Grows with the logarithm of the size.
  case logarithmic
  /// Grows with the size, or with the size times its logarithm: the two can hardly be told apart.
  case linearLike = "linear-like"
  /// Grows faster than that.
  case worse
  /// The resamples disagree, or there are too few sizes.
  case inconclusive

  init(_ model: CostModel) {
    switch model {
    case .flat: self = .flat
    case .logarithmic: self = .logarithmic
    case .linear, .linearithmic: self = .linearLike
    case .quadratic: self = .worse
    }
  }
}

/// A judgement on a cost curve, with everything that it rests on.
package struct ComplexityVerdict: Sendable, Hashable, Codable {
  /// The answer.
  package var complexity: ComplexityClass
  /// The share of resamples that agree with the likeliest class, in 0...1.
  package var confidence: Double
  /// The likeliest law, fitted to the medians; nil when there are too few sizes to fit.
  package var fit: CostFit?
  /// How many times dearer the largest size is than the smallest.
  package var growth: Interval?
  /// The slope of the curve's upper half on log-log paper.
  package var tailSlope: Interval?
  /// Why nothing could be decided; nil when it was.
  package var because: String?
}

/// The class of an operation's growth with the size of history.
package enum ComplexityClass: String, Sendable, Codable {
  /// The cost is the same at every size.
  case flat
  /// The cost grows with the logarithm of the size.
  case logarithmic
  /// The cost grows with n or n log n, which are hard to distinguish.
  case linearLike = "linear-like"
  /// The cost grows faster than n log n.
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

/// A verdict on a cost curve, with the evidence for it.
package struct ComplexityVerdict: Sendable, Hashable, Codable {
  /// The class of the growth.
  package var complexity: ComplexityClass
  /// The share of resamples that agree with the best class, in 0...1.
  package var confidence: Double
  /// The best model, fitted to the medians, or `nil` if there are too few sizes.
  package var fit: CostFit?
  /// The cost at the largest size divided by that at the smallest, or `nil` if unknown.
  package var growth: Interval?
  /// The slope of the curve's upper half on a log-log scale, or `nil` if unknown.
  package var tailSlope: Interval?
  /// The reason why the verdict is inconclusive, or `nil` if it is conclusive.
  package var because: String?
}

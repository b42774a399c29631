/// Samples in increasing order, for computing order statistics.
package struct SortedSamples: Sendable {
  /// The values, least first.
  package let values: [Double]

  /// Sorts values; there must be at least one, and none may be NaN.
  ///
  /// - Complexity: O(n log n).
  package init(_ values: [Double]) {
    precondition(!values.isEmpty, "no samples")
    precondition(!values.contains(where: \.isNaN), "a sample is not a number")
    self.values = values.sorted()
  }

  /// Returns the quantile for a share in 0...1, interpolated between neighbours.
  ///
  /// This is the definition that R calls type 7, the default of R and NumPy.
  package func quantile(_ share: Double) -> Double {
    let position = share * Double(values.count - 1)
    let below = Int(position.rounded(.down))
    let above = min(below + 1, values.count - 1)
    let weight = position - Double(below)
    return values[below] + (values[above] - values[below]) * weight
  }

  /// The median.
  package var median: Double { quantile(0.5) }

  /// The arithmetic mean.
  package var mean: Double { values.reduce(0, +) / Double(values.count) }

  /// The number of values outside Tukey's fences of 1.5 and 3 interquartile ranges.
  package var outliers: Outliers {
    let lower = quantile(0.25)
    let upper = quantile(0.75)
    let range = upper - lower
    var outliers = Outliers()
    for value in values {
      let distance = max(lower - value, value - upper)
      if distance > 3 * range {
        outliers.severe += 1
      } else if distance > 1.5 * range {
        outliers.mild += 1
      }
    }
    return outliers
  }
}

/// The number of outliers; they are counted and shown, never dropped.
package struct Outliers: Sendable, Hashable, Codable {
  /// The number of values between 1.5 and 3 interquartile ranges outside the quartiles.
  package var mild: Int
  /// The number of values more than 3 interquartile ranges outside the quartiles.
  package var severe: Int

  /// Creates a count.
  package init(mild: Int = 0, severe: Int = 0) {
    self.mild = mild
    self.severe = severe
  }

  /// The number of outliers of both kinds.
  package var count: Int { mild + severe }
}

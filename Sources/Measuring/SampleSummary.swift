/// The percentiles of one row's samples, in the row's unit.
package struct SampleSummary: Sendable, Hashable, Codable {
  /// The number of samples.
  package var count: Int
  package var min: Double
  package var p5: Double
  package var p25: Double
  package var p50: Double
  package var p75: Double
  package var p90: Double
  package var p95: Double
  package var p99: Double
  package var max: Double
  /// The arithmetic mean.
  package var mean: Double
  /// The number of outliers; all other statistics include them.
  package var outliers: Outliers

  /// Summarizes samples; there must be at least one.
  package init(_ samples: [Double]) {
    let sorted = SortedSamples(samples)
    count = samples.count
    min = sorted.quantile(0)
    p5 = sorted.quantile(0.05)
    p25 = sorted.quantile(0.25)
    p50 = sorted.median
    p75 = sorted.quantile(0.75)
    p90 = sorted.quantile(0.9)
    p95 = sorted.quantile(0.95)
    p99 = sorted.quantile(0.99)
    max = sorted.quantile(1)
    mean = sorted.mean
    outliers = sorted.outliers
  }
}

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

  package init(mild: Int = 0, severe: Int = 0) {
    self.mild = mild
    self.severe = severe
  }

  /// The number of outliers of both kinds.
  package var count: Int { mild + severe }
}

/// An error in the use of a measurement.
package enum MeasuringError: Error, Equatable, CustomStringConvertible {
  /// The stopwatch measured no time, for example because the closure did not start it.
  case nothingTimed(contender: String)
  /// The closure returned before it stopped the stopwatch.
  case stillRunning(contender: String)
  case sameName(String)
  case noSuchContender(String, known: [String])

  /// A message with the problem, the name of the contender (the measured code) and a suggestion.
  package var description: String {
    switch self {
    case .nothingTimed(let contender):
      "\(contender): no time passed between start and stop; "
        + "start the stopwatch before the work, or repeat the work within one measurement"
    case .stillRunning(let contender):
      "\(contender): the stopwatch was still running at the end; stop it after the work"
    case .sameName(let name):
      "two contenders are named \(name); give each its own name"
    case .noSuchContender(let name, let known):
      "no contender is named \(name); there are \(known.joined(separator: ", "))"
    }
  }
}

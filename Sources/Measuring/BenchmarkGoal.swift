/// A limit for a figure derived from a benchmark.
package struct BenchmarkGoal: Sendable, Hashable {
  /// The figures that a goal can limit.
  package enum Figure: Sendable, Hashable {
    /// The cost relative to that of another contender in the same rounds.
    case ratio(to: String, Metric = .wall)
    /// The wall time at the largest history relative to that at a smaller one, in the same rounds.
    case growth(from: Int)
    /// A quantile of the samples; 1 is the maximum.
    case quantile(Double, Metric = .wall)
  }

  /// A description of the goal for readers.
  package var measure: String
  /// The title of the benchmark, without the conditions that all benchmarks share.
  package var benchmark: String
  /// The contender whose figure is compared with the limit.
  package var contender: String
  /// The figure that is compared with the limit.
  package var figure: Figure
  /// The greatest allowed value, in the figure's unit, or `nil` to report the figure only.
  package var limit: Double?

  /// Creates a goal.
  package init(
    _ measure: String,
    benchmark: String,
    contender: String,
    _ figure: Figure,
    atMost limit: Double?
  ) {
    self.measure = measure
    self.benchmark = benchmark
    self.contender = contender
    self.figure = figure
    self.limit = limit
  }

  /// The unit of the figure and its limit; empty for a ratio.
  package var unit: String {
    if case .quantile(_, let metric) = figure { metric.unit } else { "" }
  }

  /// Returns whether a row belongs to the benchmark, at the base point of all axes.
  package func isAbout(_ row: BenchmarkRow) -> Bool {
    // Checked first because a title is built at each access, and most rows are of another subject.
    guard row.axis == nil, benchmark.hasPrefix(row.subject) else { return false }
    let title = row.title
    return title == benchmark || title.hasPrefix(benchmark + ", ")
  }
}

/// The outcome of a goal in a run.
package struct GoalOutcome: Sendable, Hashable {
  /// The result of comparing a figure with its limit.
  package enum Verdict: String, Sendable, Codable {
    case reached
    case missed = "not reached"
    /// The goal has no limit.
    case told = "reported"
    case notMeasured = "not measured"
  }

  /// The goal that was judged.
  package var goal: BenchmarkGoal
  /// The value of the figure, or `nil` if it was not measured.
  package var value: Double?
  /// The confidence interval of the figure, or `nil` for a count or if it was not measured.
  package var interval: Interval?
  /// The same ratio for processor time, or `nil` if the figure is not a ratio of times.
  ///
  /// A busy machine disturbs processor time less than wall time.
  package var processorValue: Double?
  /// The history sizes behind the figure, largest first; empty if it was not measured.
  package var historySizes: [Int] = []
  /// The reason why the figure is missing, or `nil` if it was measured.
  package var reason: String?

  /// The result of comparing the figure with its limit.
  package var verdict: Verdict {
    guard let value else { return .notMeasured }
    guard let limit = goal.limit else { return .told }
    return value <= limit ? .reached : .missed
  }
}

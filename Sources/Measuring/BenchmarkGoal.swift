/// A figure that a benchmark is to reach.
package struct BenchmarkGoal: Sendable, Hashable {
  /// What a figure is read from.
  package enum Figure: Sendable, Hashable {
    /// The cost beside that of another contender of the same rounds.
    case ratio(to: String, Metric = .wall)
    /// The wall time at the largest history beside that at a smaller one, of the same rounds.
    case growth(from: Int)
    /// A quantile of the samples, 1 for the greatest.
    case quantile(Double, Metric = .wall)
  }

  /// What is measured, as people say it.
  package var measure: String
  /// The title of the benchmark, without the conditions that all benchmarks share.
  package var benchmark: String
  /// Who is measured.
  package var contender: String
  /// What the figure is read from.
  package var figure: Figure
  /// The most that the figure may be, in its unit; nil for a figure that is only told.
  package var limit: Double?

  /// Makes a goal.
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

  /// Whether a row is of the benchmark, at the base point: other conditions are no goal.
  package func isAbout(_ row: BenchmarkRow) -> Bool {
    // A row puts its title together each time it is asked, and most are of another subject.
    guard row.axis == nil, benchmark.hasPrefix(row.subject) else { return false }
    let title = row.title
    return title == benchmark || title.hasPrefix(benchmark + ", ")
  }
}

/// What came of a goal in a run.
package struct GoalOutcome: Sendable, Hashable {
  /// Whether the figure is within its limit.
  package enum Verdict: String, Sendable, Codable {
    case reached
    case missed = "not reached"
    /// The goal has no limit.
    case told = "reported"
    case notMeasured = "not measured"
  }

  /// The goal.
  package var goal: BenchmarkGoal
  /// The figure with its interval, where it has one; nil when it was not measured.
  package var value: Double?
  /// How far the figure can be trusted; nil for a count, or when it was not measured.
  package var interval: Interval?
  /// The same ratio of the time on a processor, which a busy machine disturbs less; nil for what is no
  /// ratio of times.
  package var processorValue: Double?
  /// The sizes of history that were compared, largest first; one where none were.
  package var historySizes: [Int] = []
  /// Why there is no figure.
  package var reason: String?

  /// Whether the figure is within its limit.
  package var verdict: Verdict {
    guard let value else { return .notMeasured }
    guard let limit = goal.limit else { return .told }
    return value <= limit ? .reached : .missed
  }
}

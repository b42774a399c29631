/// The samples of one contender in one operation at one history size, on one metric.
package struct BenchmarkRow: Sendable, Hashable, Codable {
  /// The part of the system that is measured: `fetch`.
  package var subject: String
  /// The operation that is measured: `newest 100`.
  package var operation: String
  /// The conditions of the measurement: `4 authors, packed, warm`.
  package var condition: String
  /// The name of the contender: ours, the floor, or a peer.
  package var contender: String
  /// The size of history, in transactions.
  package var historySize: Int
  /// The metric of the samples.
  package var metric: Metric
  /// All samples in the order of measuring, in the metric's unit.
  package var samples: [Double]
  /// The percentiles of the samples, or `nil` if there are no samples.
  package var summary: SampleSummary?
  /// The median with its interval, or `nil` for rows that were not measured in rounds.
  package var median: Interval?
  /// The cost relative to the floor in the same rounds, or `nil` if there is no such ratio.
  package var ratio: RatioEstimate?
  /// The seed that determines the order of measuring.
  @HexCoded package var seed: UInt64
  /// The reason why there are no samples, or `nil` if there are any.
  package var notMeasured: String?
  /// The reason why an exact row may differ from run to run, or `nil` if it may not.
  package var varies: String?

  /// The condition that differs from the base point, such as `cold`, or `nil` at the base point.
  ///
  /// It is also part of `condition`.
  package var axis: String?

  /// Creates a row from samples; there must be at least one.
  package init(
    subject: String,
    operation: String,
    condition: String,
    contender: String,
    historySize: Int,
    metric: Metric,
    samples: [Double],
    median: Interval? = nil,
    ratio: RatioEstimate? = nil,
    seed: UInt64
  ) {
    self.subject = subject
    self.operation = operation
    self.condition = condition
    self.contender = contender
    self.historySize = historySize
    self.metric = metric
    self.samples = samples
    self.median = median
    self.ratio = ratio
    self.seed = seed
    summary = SampleSummary(samples)
  }

  /// Creates a row without samples that gives the reason, instead of a zero.
  package init(
    subject: String,
    operation: String,
    condition: String,
    contender: String,
    historySize: Int,
    metric: Metric,
    notMeasured reason: String,
    seed: UInt64
  ) {
    self.subject = subject
    self.operation = operation
    self.condition = condition
    self.contender = contender
    self.historySize = historySize
    self.metric = metric
    self.seed = seed
    samples = []
    notMeasured = reason
  }

  /// Whether the row must be the same in every run of the same program.
  package var isExact: Bool {
    metric.kind == .exact && varies == nil && notMeasured == nil
  }

  /// Whether the row comes from the separate, untimed counting pass.
  package var isCountedBeside: Bool {
    (Metric.counted + Metric.allocator + [.residentGrowth]).contains(metric)
  }

  /// The benchmark's name without contender and size: `fetch newest 100, 4 authors`.
  package var title: String {
    let name = operation.isEmpty ? subject : "\(subject) \(operation)"
    return condition.isEmpty ? name : "\(name), \(condition)"
  }
}

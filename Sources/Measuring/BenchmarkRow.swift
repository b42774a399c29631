/// What one contender cost in one operation at one size of history, on one metric.
package struct BenchmarkRow: Sendable, Hashable, Codable {
  /// The part of the system that is measured: `fetch`.
  package var subject: String
  /// What it does: `newest 100`.
  package var operation: String
  /// Under which conditions: `4 authors, packed, warm`.
  package var condition: String
  /// Who did it: ours, the floor, or a peer.
  package var contender: String
  /// The size of history, in transactions.
  package var historySize: Int
  /// What was measured.
  package var metric: Metric
  /// Every sample in the order of measuring, in the metric's unit.
  package var samples: [Double]
  /// The percentiles of the samples; nil when nothing was measured.
  package var summary: SampleSummary?
  /// The median with its interval; nil for exact metrics.
  package var median: Interval?
  /// The cost beside the floor of the same rounds; nil for the floor itself.
  package var ratio: RatioEstimate?
  /// From what the order of measuring follows.
  @HexCoded package var seed: UInt64
  /// Why there are no samples; nil when there are.
  package var notMeasured: String?
  /// Why an exact row may differ from run to run nevertheless; nil when it may not.
  package var varies: String?

  /// What is other than at the base point, if anything is: `cold`; its condition tells it too.
  package var axis: String?

  /// Makes a row from samples; there must be at least one.
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

  /// Makes a row that says why there is no number, instead of a zero.
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

  /// Whether the row comes from the untimed pass that counts what a timed contender does.
  package var isCountedBeside: Bool {
    (Metric.counted + Metric.allocator + [.residentGrowth]).contains(metric)
  }

  /// The benchmark's name without contender and size: `fetch newest 100, 4 authors`.
  package var title: String {
    let name = operation.isEmpty ? subject : "\(subject) \(operation)"
    return condition.isEmpty ? name : "\(name), \(condition)"
  }
}

import Measuring

/// The samples of one contender on one metric, in a benchmark that takes its own samples.
struct SampledRow {
  /// The name of the contender.
  let contender: String
  /// The metric of the samples.
  let metric: Metric
  /// The samples, each a separate event, or the reason why there are none.
  let outcome: Outcome
  /// The size of history, or `nil` if it is that of the run.
  var historySize: Int?

  /// The samples, or a sentence with the reason why there are none.
  enum Outcome {
    case samples([Double])
    case notMeasured(String)

    /// Returns the outcome for a size of memory in bytes, which only some systems count.
    static func memory(_ bytes: Int64?) -> Outcome {
      guard let bytes else {
        return .notMeasured("only Linux counts it, and only of a process of its own")
      }
      return .samples([Double(bytes)])
    }
  }

  /// Converts this row to a row of the results.
  func row(about topic: RowTopic, seed: UInt64) -> BenchmarkRow {
    switch outcome {
    case .samples(let samples) where !samples.isEmpty: found(samples, topic, seed)
    case .samples: missing("no sample came", topic, seed)
    case .notMeasured(let reason): missing(reason, topic, seed)
    }
  }

  /// The reason why memory differs from run to run, although the system counts it.
  static let memoryVaries = "the system gives and takes memory in pages of its own choice"

  private func found(
    _ samples: [Double],
    _ topic: RowTopic,
    _ seed: UInt64
  ) -> BenchmarkRow {
    var row = BenchmarkRow(
      subject: topic.subject,
      operation: topic.operation,
      condition: topic.condition,
      contender: contender,
      historySize: topic.historySize,
      metric: metric,
      samples: samples,
      seed: seed
    )
    if Metric.varying.contains(metric) { row.varies = Self.memoryVaries }
    return row
  }

  private func missing(_ reason: String, _ topic: RowTopic, _ seed: UInt64) -> BenchmarkRow {
    BenchmarkRow(
      subject: topic.subject,
      operation: topic.operation,
      condition: topic.condition,
      contender: contender,
      historySize: topic.historySize,
      metric: metric,
      notMeasured: reason,
      seed: seed
    )
  }
}

/// The benchmark and size of a set of rows; a measurement provides the rest of each row.
package struct RowTopic: Sendable, Hashable {
  /// The part of the system that is measured.
  package var subject: String
  /// The operation that is measured.
  package var operation: String
  /// The conditions of the measurement.
  package var condition: String
  /// The size of history, in transactions.
  package var historySize: Int

  /// Creates a topic.
  package init(subject: String, operation: String, condition: String, historySize: Int) {
    self.subject = subject
    self.operation = operation
    self.condition = condition
    self.historySize = historySize
  }
}

extension InterleavedResult {
  /// Returns the samples as rows: wall time and processor time of each contender.
  ///
  /// Ratios are relative to the contender named `floor`; if it is `nil`, rows have no ratios.
  ///
  /// - Throws: `noSuchContender` if the floor was not measured.
  package func rows(
    about topic: RowTopic,
    floor: String?
  ) throws(MeasuringError) -> [BenchmarkRow] {
    var rows: [BenchmarkRow] = []
    for name in names {
      for kind in TimeKind.allCases {
        rows.append(try row(of: name, kind, about: topic, floor: floor))
      }
    }
    return rows
  }

  private func row(
    of name: String,
    _ kind: TimeKind,
    about topic: RowTopic,
    floor: String?
  ) throws(MeasuringError) -> BenchmarkRow {
    var ratio: RatioEstimate?
    if let floor, floor != name { ratio = try self.ratio(of: name, to: floor, kind) }
    return BenchmarkRow(
      subject: topic.subject,
      operation: topic.operation,
      condition: topic.condition,
      contender: name,
      historySize: topic.historySize,
      metric: .time(kind),
      samples: try samples(of: name, kind),
      median: try median(of: name, kind),
      ratio: ratio,
      seed: seed
    )
  }
}

/// What a set of rows is about; the rest of each row comes from the measurement.
package struct RowTopic: Sendable, Hashable {
  /// The part of the system that is measured.
  package var subject: String
  /// What it does.
  package var operation: String
  /// Under which conditions.
  package var condition: String
  /// The size of history, in transactions.
  package var historySize: Int

  /// Makes a topic.
  package init(subject: String, operation: String, condition: String, historySize: Int) {
    self.subject = subject
    self.operation = operation
    self.condition = condition
    self.historySize = historySize
  }
}

extension InterleavedResult {
  /// Turns the readings into rows: each contender on the wall and on the processor.
  ///
  /// `floor` is the contender that ratios compare with; nil for rows without ratios.
  ///
  /// - Throws: `noSuchContender` when the floor was not measured.
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

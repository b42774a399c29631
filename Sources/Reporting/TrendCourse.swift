package import Measuring

/// The values of one benchmark row over several runs on one machine.
package struct TrendCourse: Sendable, Hashable {
  /// The identity of the row.
  package struct Row: Sendable, Hashable {
    /// The benchmark.
    package var title: String
    /// The contender's name.
    package var contender: String
    /// The size of history, in transactions.
    package var historySize: Int
    /// The metric's name, followed by ` ratio` for a ratio.
    package var metric: String
    /// The kind of the metric.
    package var kind: Metric.Kind
    /// The unit; empty for a ratio.
    package var unit: String
    /// The machine.
    package var machine: String

    /// Creates a row's identity.
    package init(
      title: String,
      contender: String,
      historySize: Int,
      metric: String,
      kind: Metric.Kind,
      unit: String,
      machine: String
    ) {
      self.title = title
      self.contender = contender
      self.historySize = historySize
      self.metric = metric
      self.kind = kind
      self.unit = unit
      self.machine = machine
    }
  }

  /// The result of one run.
  package struct Point: Sendable, Hashable {
    /// The start time of the run.
    package var time: UTCTime
    /// The commit that was measured, or `nil` if it is unknown.
    package var commit: String?
    /// The median.
    package var median: Double
    /// The bounds of the interval, or `nil` if it has none.
    package var lower: Double?
    package var upper: Double?

    /// Creates a point.
    package init(
      time: UTCTime,
      commit: String?,
      median: Double,
      lower: Double? = nil,
      upper: Double? = nil
    ) {
      self.time = time
      self.commit = commit
      self.median = median
      self.lower = lower
      self.upper = upper
    }
  }

  /// The identity of the row.
  package var row: Row
  /// The runs, oldest first.
  package var points: [Point]

  /// Creates a course.
  package init(row: Row, points: [Point]) {
    self.row = row
    self.points = points
  }

  /// Returns the steps of the medians, oldest first.
  ///
  /// - Complexity: as `ChangePointJudge.steps(in:)`.
  package func steps(by judge: ChangePointJudge = ChangePointJudge()) -> [ChangePoint] {
    judge.steps(in: points.map(\.median))
  }
}

extension TrendCourse.Row {
  /// The row's name for readers.
  package var name: String {
    "\(title), \(contender), at \(NumberText.count(historySize)): \(metric)"
  }
}

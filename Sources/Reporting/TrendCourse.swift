package import Measuring

/// What one row of the benchmarks came to in run after run on one machine.
package struct TrendCourse: Sendable, Hashable {
  /// Which row.
  package struct Row: Sendable, Hashable {
    /// The benchmark.
    package var title: String
    /// Who was measured.
    package var contender: String
    /// The size of history, in transactions.
    package var historySize: Int
    /// What was measured: a metric's name, or one with ` ratio` behind it.
    package var metric: String
    /// How it was measured.
    package var kind: Metric.Kind
    /// The unit; empty for a ratio.
    package var unit: String
    /// On which machine.
    package var machine: String

    /// Makes a row's name.
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

  /// What one run said.
  package struct Point: Sendable, Hashable {
    /// When the run began.
    package var time: UTCTime
    /// The commit that was measured; nil when the run could not know.
    package var commit: String?
    /// The median.
    package var median: Double
    /// The interval's ends; nil for what has none.
    package var lower: Double?
    package var upper: Double?

    /// Makes a point.
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

  /// Which row.
  package var row: Row
  /// The runs, oldest first.
  package var points: [Point]

  /// Makes a course.
  package init(row: Row, points: [Point]) {
    self.row = row
    self.points = points
  }

  /// The steps of the medians, oldest first.
  ///
  /// - Complexity: as `ChangePointJudge.steps(in:)`.
  package func steps(by judge: ChangePointJudge = ChangePointJudge()) -> [ChangePoint] {
    judge.steps(in: points.map(\.median))
  }
}

extension TrendCourse.Row {
  /// The row as people name it.
  package var name: String {
    "\(title), \(contender), at \(NumberText.count(historySize)): \(metric)"
  }
}

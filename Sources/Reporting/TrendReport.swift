package import Measuring
internal import PersistentHistory

/// A report on results over several runs and the steps between their levels.
package struct TrendReport: Sendable {
  /// One step of a row.
  package struct Finding: Sendable, Hashable {
    /// The row.
    package var course: TrendCourse
    /// The step.
    package var step: ChangePoint

    /// The first run of the new level.
    package var point: TrendCourse.Point { course.points[step.index] }
    /// Whether the value increased, which is worse for every metric.
    package var isDearer: Bool { step.after > step.before }
    /// The size of the step, formatted for readers.
    package var change: String {
      guard let factor = step.factor else {
        return "from 0 to \(TrendReport.text(step.after, course))"
      }
      let percent = NumberText.significant(abs(factor - 1) * 100)
      return factor >= 2 ? NumberText.ratio(factor) : (isDearer ? "+" : "\u{2212}") + percent + " %"
    }
  }

  /// The rows with at least two runs.
  package let courses: [TrendCourse]
  /// The steps of all rows, newest first.
  package let findings: [Finding]
  /// The number of rows that were judged.
  package var rowCount: Int { courses.count }
  /// The largest number of runs of a row.
  package var runCount: Int { courses.map(\.points.count).max() ?? 0 }

  /// Creates a report that judges every row.
  ///
  /// - Complexity: as `ChangePointJudge.steps(in:)`, for each row.
  package init(_ courses: [TrendCourse], judge: ChangePointJudge = ChangePointJudge()) {
    self.courses = courses.filter { $0.points.count > 1 }
    findings = self.courses.flatMap { course in
      course.steps(by: judge).map { Finding(course: course, step: $0) }
    }.sorted {
      ($1.point.time.secondsSince1970, $0.course.row.name)
        < ($0.point.time.secondsSince1970, $1.course.row.name)
    }
  }

  /// Returns the steps in the last runs of their rows; by default the last five.
  package func recent(within runs: Int = 5) -> [Finding] {
    findings.filter { $0.step.index + runs >= $0.course.points.count }
  }

  /// A sentence that summarizes the trend.
  package var sentence: String {
    guard rowCount > 0 else {
      return "There are no two runs of one row on one machine yet: a trend needs more nights."
    }
    let runs = "\(rowCount.counted("row")) over \(runCount.counted("run"))"
    guard !findings.isEmpty else { return "No step in \(runs)." }
    let dearer = findings.filter(\.isDearer).count
    let steps = findings.count.counted("step")
    return "\(steps) in \(runs), \(dearer) of them upwards."
  }

  /// A table of the steps, newest first.
  package var table: ReportTable {
    var table = ReportTable(
      caption: "Steps, newest first",
      columns: [
        .text("since"), .text("commit"), .text("benchmark"), .text("contender"),
        .number("history"), .text("metric"), .number("before"), .number("after"),
        .number("change"), .number("chance"),
      ]
    )
    for finding in findings { table.append(row(finding)) }
    return table
  }

  private func row(_ finding: Finding) -> ReportTable.Row {
    let row = finding.course.row
    return ReportTable.Row(
      [
        finding.point.time.readable, finding.point.commit.map { String($0.prefix(9)) } ?? "",
        row.title, row.contender, NumberText.count(row.historySize), row.metric,
        Self.text(finding.step.before, finding.course),
        Self.text(finding.step.after, finding.course), finding.change,
        finding.step.chance == 0 ? "exact" : NumberText.significant(finding.step.chance),
      ],
      mark: finding.isDearer ? .bad : .good,
      anchor: PageSection.anchor(from: "step \(row.name) \(finding.step.index)")
    )
  }

  /// Returns a value of a row with its unit.
  static func text(_ value: Double, _ course: TrendCourse) -> String {
    course.row.unit.isEmpty
      ? NumberText.ratio(value) : NumberText.quantity(value, unit: course.row.unit)
  }
}

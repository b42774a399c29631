package import Measuring
internal import PersistentHistory

/// Tells how results moved from run to run, and at which runs they stepped to another level.
package struct TrendReport: Sendable {
  /// A row with a step.
  package struct Finding: Sendable, Hashable {
    /// The row.
    package var course: TrendCourse
    /// Where it stepped.
    package var step: ChangePoint

    /// The first run of the new level.
    package var point: TrendCourse.Point { course.points[step.index] }
    /// Whether more is worse there; less is better for every metric.
    package var isDearer: Bool { step.after > step.before }
    /// By how much, as people write it.
    package var change: String {
      guard let factor = step.factor else {
        return "from 0 to \(TrendReport.text(step.after, course))"
      }
      let percent = NumberText.significant(abs(factor - 1) * 100)
      return factor >= 2 ? NumberText.ratio(factor) : (isDearer ? "+" : "\u{2212}") + percent + " %"
    }
  }

  /// The rows with two runs or more.
  package let courses: [TrendCourse]
  /// The steps of all rows, newest first.
  package let findings: [Finding]
  /// How many rows were judged.
  package var rowCount: Int { courses.count }
  /// The runs of the row that has most.
  package var runCount: Int { courses.map(\.points.count).max() ?? 0 }

  /// Judges every row.
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

  /// The steps that came in one of the last runs of their rows.
  package func recent(within runs: Int = 5) -> [Finding] {
    findings.filter { $0.step.index + runs >= $0.course.points.count }
  }

  /// What the trend says, in a sentence.
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

  /// The steps as a table.
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

  /// A value of a row, in its unit.
  static func text(_ value: Double, _ course: TrendCourse) -> String {
    course.row.unit.isEmpty
      ? NumberText.ratio(value) : NumberText.quantity(value, unit: course.row.unit)
  }
}

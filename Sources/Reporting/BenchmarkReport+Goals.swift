package import Measuring
internal import PersistentHistory

extension BenchmarkReport {
  /// The outcomes of all goals that the run has measurements for.
  package var reachedFor: [GoalOutcome] {
    outcomes.filter { outcome in
      outcome.value != nil || results.rows.contains(where: outcome.goal.isAbout)
    }
  }

  /// The number of goals reached, as a sentence, or `nil` if no goal with a limit was measured.
  package var goalSentence: String? {
    let told = reachedFor
    let reached = told.filter { $0.verdict == .reached }.count
    let missed = told.filter { $0.verdict == .missed }.count
    guard reached + missed > 0 else { return nil }
    let goals = reached + missed == 1 ? "goal" : "goals"
    let left = told.filter { $0.verdict == .notMeasured }.count
    let rest = left == 0 ? "" : "; \(left) could not be measured"
    return "\(reached) of \(reached + missed) \(goals) reached\(rest)." + busyWarning
  }

  /// Returns a table of goals: the figure, its limit and the verdict.
  package static func table(of outcomes: [GoalOutcome]) -> ReportTable {
    var table = ReportTable(
      caption: "",
      columns: [
        .text("measure"), .number("history"), .number("figure"), .number("95 % interval"),
        .number("processor"), .number("goal"), .text("verdict"),
      ]
    )
    for outcome in outcomes {
      table.append(
        ReportTable.Row(
          cells(of: outcome),
          mark: mark(of: outcome),
          anchor: anchor("goal", [outcome.goal.measure])
        )
      )
    }
    return table
  }

  private static func cells(of outcome: GoalOutcome) -> [String] {
    let goal = outcome.goal
    return [
      goal.measure,
      outcome.historySizes.map(NumberText.count).joined(separator: " / "),
      outcome.value.map { text($0, unit: goal.unit) } ?? "",
      outcome.interval.map { NumberText.range($0.lower, $0.upper) } ?? "",
      outcome.processorValue.map(NumberText.ratio) ?? "",
      goal.limit.map { "\u{2264} " + text($0, unit: goal.unit) } ?? "",
      outcome.verdict.rawValue,
    ]
  }

  /// Returns a ratio, or a quantity in its unit.
  private static func text(_ value: Double, unit: String) -> String {
    unit.isEmpty ? NumberText.ratio(value) : NumberText.quantity(value, unit: unit)
  }

  private static func mark(of outcome: GoalOutcome) -> VerdictState {
    switch outcome.verdict {
    case .reached: .good
    case .missed: .bad
    case .told: .measured
    case .notMeasured: .unknown
    }
  }

  /// Returns one tile for all goals, or `nil` if the run measured no goal with a limit.
  func goalTile() -> [VerdictTile]? {
    let told = reachedFor
    let missed = told.filter { $0.verdict == .missed }
    let reached = told.filter { $0.verdict == .reached }.count
    guard reached + missed.count > 0 else { return nil }
    let first = missed.first.map { "First not reached: \($0.goal.measure)." }
    return [
      VerdictTile(
        subject: "Goals",
        state: missed.isEmpty ? .good : .measured,
        word: missed.isEmpty ? "reached" : "some not reached",
        answer: "\(reached) of \(reached + missed.count)",
        detail: first ?? "Every figure of this run is within its limit.",
        anchor: Self.goalAnchor
      )
    ]
  }

  private static var goalAnchor: String { "goals" }

  /// A sentence to append if the machine was busy; otherwise empty.
  private var busyWarning: String {
    guard results.environment.isBusy, let load = results.environment.load else { return "" }
    return " The machine was busy (load \(NumberText.significant(load)) on "
      + "\(results.environment.processors.counted("processor"))): what was measured on the wall says little."
  }

  func goalSection() -> PageSection? {
    guard let sentence = goalSentence else { return nil }
    return PageSection(
      "Goals",
      anchor: Self.goalAnchor,
      [
        .paragraph(
          sentence
            + " A ratio is of times on the wall, from the same rounds; beside it stands that "
            + "of times on the processor, which a busy machine disturbs less. Where two histories are "
            + "named, both were measured in turn."
        ),
        .table(Self.table(of: reachedFor)),
      ]
    )
  }
}

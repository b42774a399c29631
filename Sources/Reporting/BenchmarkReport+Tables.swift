internal import HistoryTypes
package import Measuring

/// The parts of a report about counters, such as page reads, and about the goals of benchmarks.
extension BenchmarkReport {
  /// The counters that have columns in the table of counts; `results.csv` contains all counters.
  private static let columns: [Metric] = [
    .vmSteps, .pageReads, .pageWrites, .rowsWritten, .systemCalls, .allocations, .allocatedBytes,
  ]

  /// Returns the section of counters, such as page reads; `nil` if the results have none.
  ///
  /// Counters have the same values in every run, except for those of memory.
  func exactSection() -> PageSection? {
    // Only the counts at the largest history are listed; the fitted laws describe how counts grow.
    let rows = index.titles.flatMap { title in
      let counted = index.rows(titled: title).filter {
        $0.metric.kind == .exact && $0.summary != nil
      }
      let largest = counted.map(\.historySize).max()
      return counted.filter { $0.historySize == largest }
    }
    let tables = [countTable(of: rows), otherTable(of: rows)].filter { !$0.rows.isEmpty }
    guard !tables.isEmpty else { return nil }
    let words =
      "These values are counted, not timed: the next run gives the same values, except for memory, "
      + "which the operating system assigns. Each value is the greatest of one operation, measured with "
      + "the longest history; results.csv has every counter for every length of history."
    return PageSection("Exact counters", [.paragraph(words)] + tables.map { .table($0) })
  }

  /// Returns a row for each benchmark and contender, with a column for each counter.
  private func countTable(of rows: [BenchmarkRow]) -> ReportTable {
    var table = ReportTable(
      caption: "Counts of one operation",
      columns: [.text("benchmark"), .text("contender")]
        + Self.columns.map { .number($0.name) }
    )
    var order: [[String]] = []
    var counts: [[String]: [Metric: Double]] = [:]
    for row in rows where Self.columns.contains(row.metric) {
      let name = [shortened(row.title), row.contender]
      if counts[name] == nil { order.append(name) }
      counts[name, default: [:]][row.metric] = row.summary?.max
    }
    for name in order {
      let cells = Self.columns.map { metric in
        counts[name]?[metric].map {
          NumberText.quantity($0, unit: metric.unit == "B" ? "B" : "")
        } ?? ""
      }
      table.append(ReportTable.Row(name + cells, anchor: Self.anchor("counts", name)))
    }
    return table
  }

  /// Returns a table with a row for each counter that only a few benchmarks have.
  private func otherTable(of rows: [BenchmarkRow]) -> ReportTable {
    let inFile: [Metric] = [.bytesRead, .bytesWritten, .liveBytes, .residentGrowth]
    var table = ReportTable(
      caption: "Counts of some benchmarks",
      columns: [
        .text("benchmark"), .text("contender"), .text("counter"), .number("least"), .number("most"),
      ]
    )
    for row in rows where !(Self.columns + inFile).contains(row.metric) {
      guard let summary = row.summary else { continue }
      let name = [shortened(row.title), row.contender, row.metric.name]
      let counts = [summary.min, summary.max].map {
        NumberText.quantity($0, unit: row.metric.unit)
      }
      table.append(ReportTable.Row(name + counts, anchor: Self.anchor("counts", name)))
    }
    return table
  }
}

extension BenchmarkReport {
  /// The outcomes of all goals that the run has measurements for.
  package var reachedFor: [GoalOutcome] {
    outcomes.filter { outcome in
      outcome.value != nil || results.rows.contains(where: outcome.goal.isAbout)
    }
  }

  /// The number of reached goals as a sentence; `nil` if no goal with a limit was measured.
  package var goalSentence: String? {
    let reported = reachedFor
    let reached = reported.filter { $0.verdict == .reached }.count
    let missed = reported.filter { $0.verdict == .missed }.count
    guard reached + missed > 0 else { return nil }
    let goals = reached + missed == 1 ? "goal" : "goals"
    let left = reported.filter { $0.verdict == .notMeasured }.count
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

  /// Returns a value as text: a ratio if the unit is empty, otherwise a quantity in the unit.
  private static func text(_ value: Double, unit: String) -> String {
    unit.isEmpty ? NumberText.ratio(value) : NumberText.quantity(value, unit: unit)
  }

  private static func mark(of outcome: GoalOutcome) -> VerdictState {
    switch outcome.verdict {
    case .reached: .good
    case .missed: .bad
    case .reported: .measured
    case .notMeasured: .unknown
    }
  }

  /// Returns a list with one tile for all goals; `nil` if the run measured no goal with a limit.
  func goalTile() -> [VerdictTile]? {
    let reported = reachedFor
    let missed = reported.filter { $0.verdict == .missed }
    let reached = reported.filter { $0.verdict == .reached }.count
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

  /// A sentence that warns that the machine was busy; empty if it was not busy.
  ///
  /// A space precedes the sentence, so that it can be appended to a text.
  private var busyWarning: String {
    guard results.environment.isBusy, let load = results.environment.load else { return "" }
    return " The machine was busy (load \(NumberText.significant(load)) on "
      + "\(results.environment.processors.counted("processor"))): its wall times are not reliable."
  }

  func goalSection() -> PageSection? {
    guard let sentence = goalSentence else { return nil }
    return PageSection(
      "Goals",
      anchor: Self.goalAnchor,
      [
        .paragraph(
          sentence
            + " A ratio compares elapsed times of the same rounds; next to it is the ratio of "
            + "processor times, which a busy machine disturbs less. Where a row names "
            + "two kinds of history, the measurement alternated between them."
        ),
        .table(Self.table(of: reachedFor)),
      ] + obstacleBlocks
    )
  }

  /// For each goal that was not reached and has a known obstacle, its name and the obstacle.
  private var obstacles: [ReportPage.Fact] {
    outcomes.compactMap { outcome in
      outcome.obstacle.map { ReportPage.Fact(outcome.goal.measure, $0) }
    }
  }

  private var obstacleBlocks: [PageBlock] {
    let obstacles = obstacles
    guard !obstacles.isEmpty else { return [] }
    return [
      .subheading(Self.obstacleHeading, anchor: "why-not-reached"), .definitions(obstacles),
    ]
  }

  private static var obstacleHeading: String { "Why goals were not reached" }
}

extension GoalOutcome {
  /// The measured reason why the goal was not reached, as sentences; `nil` if there is none.
  fileprivate var obstacle: String? {
    guard verdict == .missed, let obstacle = goal.obstacle else { return nil }
    guard let contender = obstacle.contender, let interval = obstacleInterval else {
      return obstacle.text
    }
    return obstacle.text
      + " In this run \"\(contender)\" costs \(NumberText.ratio(interval.estimate)) "
      + "(\(NumberText.range(interval.lower, interval.upper)))."
  }
}

extension BenchmarkReport {
  /// Returns the figures of all goals as CSV; each row states its run, commit, time and seed.
  package func goalCSV(run: String) -> String {
    var writer = CSVWriter(columns: [
      "measure", "benchmark", "contender", "history", "figure", "unit", "lower", "upper",
      "processor",
      "limit", "verdict", "reason", "run", "commit", "time", "seed",
    ])
    let environment = results.environment
    for outcome in outcomes {
      let numbers = [
        outcome.value, outcome.interval?.lower, outcome.interval?.upper, outcome.processorValue,
        outcome.goal.limit,
      ].map { $0.map(NumberText.rounded) ?? "" }
      let unit = outcome.goal.unit.isEmpty ? "ratio" : outcome.goal.unit
      writer.append([
        outcome.goal.measure, outcome.goal.benchmark, outcome.goal.contender,
        outcome.historySizes.map(String.init).joined(separator: "/"), numbers[0], unit,
        numbers[1], numbers[2], numbers[3], numbers[4], outcome.verdict.rawValue,
        outcome.reason ?? outcome.obstacle ?? "", run,
        environment.commit ?? "", environment.time.description,
        "0x" + String(environment.seed, radix: 16),
      ])
    }
    return writer.text
  }

  /// Returns Markdown with the goals, the figures at the largest history, and their provenance.
  package func markdown(command: String) -> String {
    var provenance = ReportTable(columns: [.text("fact"), .text("value")])
    provenance.append(["Command", command])
    for fact in RunConditions.facts(of: results) {
      provenance.append([fact.name, fact.value])
    }
    var paragraphs = [
      "# What history costs",
      "Written by a run of the benchmarks, not by hand. " + (goalSentence ?? "It has no goals."),
      provenance.markdown(),
      "## Goals",
      Self.table(of: outcomes).markdown(),
    ]
    paragraphs += obstacleParagraphs
    paragraphs += ["## Every benchmark, at its largest history", largest.markdown()]
    return paragraphs.joined(separator: "\n\n") + "\n"
  }

  private var obstacleParagraphs: [String] {
    let obstacles = obstacles
    guard !obstacles.isEmpty else { return [] }
    let lines = obstacles.map { "- **\($0.name)**: \($0.value)" }
    return ["## " + Self.obstacleHeading, lines.joined(separator: "\n")]
  }

  /// The medians and ratios of every benchmark and contender at the largest history.
  private var largest: ReportTable {
    var table = ReportTable(columns: [
      .text("benchmark"), .text("contender"), .number("history"), .number("median"),
      .number("ratio"), .number("95 % interval"),
    ])
    for title in index.titles {
      let rows = index.rows(titled: title).filter {
        $0.metric.kind != .cpu && !$0.isCountedBeside
      }
      let most = rows.map(\.historySize).max()
      for row in rows where row.historySize == most {
        table.append([
          title, Self.contender(of: row), NumberText.count(row.historySize), Self.median(row),
          Self.ratio(row), Self.ratioRange(row),
        ])
      }
    }
    return table
  }

  /// Returns the contender of a row, followed by the metric unless the metric is wall time.
  package static func contender(of row: BenchmarkRow) -> String {
    row.metric == .wall ? row.contender : "\(row.contender), \(row.metric.name)"
  }
}

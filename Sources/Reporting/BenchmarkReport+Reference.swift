package import Measuring

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
        outcome.reason ?? "", run,
        environment.commit ?? "", environment.time.description,
        "0x" + String(environment.seed, radix: 16),
      ])
    }
    return writer.text
  }

  /// Returns Markdown with the goals, the figures at the largest history, and their provenance.
  package func markdown(command: String) -> String {
    var provenance = ReportTable(columns: [.text("what"), .text("which")])
    provenance.append(["Command", command])
    for fact in RunConditions.facts(of: results.environment) {
      provenance.append([fact.name, fact.value])
    }
    return [
      "# What history costs",
      "Written by a run of the benchmarks, not by hand. " + (goalSentence ?? "It has no goals."),
      provenance.markdown(),
      "## Goals",
      Self.table(of: outcomes).markdown(),
      "## Every benchmark, at its largest history",
      largest.markdown(),
    ].joined(separator: "\n\n") + "\n"
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

  /// Returns the contender of a row, with the metric unless it is wall time.
  package static func contender(of row: BenchmarkRow) -> String {
    row.metric == .wall ? row.contender : "\(row.contender), \(row.metric.name)"
  }
}

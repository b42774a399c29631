import Commands
import HistoryBenchmarks
import Measuring
import Reporting

struct ReportTrendOptions: VerbOptions {
  /// The number of recent runs; the exit code is 1 only if a cost rises in one of these runs.
  @Option(
    "fresh",
    .integer("N", 1...10_000),
    "Exits with 1 if a cost rose to a higher level in the last N runs."
  )
  var fresh = 5
  @Option(.history) var history: String
  var list = FormatOptions()

  /// - Throws: A usage error if the database cannot be read.
  func validate(in composition: Composition) throws(LabError) {
    try FilePath.checkReadable(history, for: "--history")
  }
}

extension ReportTrendVerb {
  static let spec = VerbSpec(
    name: "report trend",
    sentence: "Reports the runs at which the costs rose or fell to another level.",
    examples: [
      Example("report trend", "Lists the changes of level in the costs of our code, newest first."),
      Example("report trend --fresh 1", "Exits with 1 only if the costs rose in the last run."),
    ]
  ) { (options, _, terminal) in ReportTrendVerb(options: options, terminal: terminal) }
}

/// Reports how the costs of this project's code change from run to run.
struct ReportTrendVerb: Verb {
  let options: ReportTrendOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let trend = TrendReport(try HistoryDatabase(reading: options.history).ourSeries())
    switch options.list.format {
    case .text: show(trend) { terminal.print(trend.table, indent: 0) }
    case .markdown: show(trend) { terminal.print(String(trend.table.markdown().dropLast())) }
    case .json: terminal.print(try json(trend))
    }
    if trend.rowCount == 0 { return .undecided }
    return trend.recent(within: options.fresh).contains(where: \.isDearer) ? .violation : .good
  }

  private func show(_ trend: TrendReport, table: () -> Void) {
    if !trend.steps.isEmpty { table() }
    terminal.print(trend.sentence)
  }

  private func json(_ trend: TrendReport) throws(LabError) -> String {
    try JSONText.document(TrendDocument(trend), named: "the trend")
  }
}

/// The JSON form of a trend.
struct TrendDocument: Codable {
  struct Step: Codable {
    let benchmark: String
    let contender: String
    let historySize: Int
    let metric: String
    let machine: String
    let since: String
    let commit: String?
    let before: Double
    let after: Double
    let chance: Double
  }
  static let formatVersion = 1
  let trend: Int
  let rows: Int
  let runs: Int
  let because: String
  let steps: [Step]

  init(_ report: TrendReport) {
    trend = Self.formatVersion
    rows = report.rowCount
    runs = report.runCount
    because = report.sentence
    steps = report.steps.map { step in
      let row = step.series.row
      return Step(
        benchmark: row.title,
        contender: row.contender,
        historySize: row.historySize,
        metric: row.metric,
        machine: row.machine,
        since: step.point.time.description,
        commit: step.point.commit,
        before: step.changePoint.before,
        after: step.changePoint.after,
        chance: step.changePoint.chance
      )
    }
  }
}

extension HistoryDatabase {
  /// Returns the trend rows of this project's own code.
  ///
  /// If a cost has a ratio to its floor (raw SQLite in C), only the ratio is returned. Metrics that
  /// may vary between runs are left out; databases of earlier versions contain them.
  func ourSeries() throws(LabError) -> [TrendSeries] {
    let varying = Set(Metric.varying.map(\.name))
    let allSeries = try allSeries().filter { series in
      series.row.contender == BenchmarkSubject.ours && !varying.contains(series.row.metric)
    }
    let ratios = Set(allSeries.map(\.row).filter { $0.metric.hasSuffix(" ratio") })
    return allSeries.filter { series in
      var ratio = series.row
      ratio.metric += " ratio"
      ratio.unit = ""
      return !ratios.contains(ratio)
    }
  }
}

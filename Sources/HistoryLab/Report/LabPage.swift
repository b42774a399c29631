import HistoryBenchmarks
import Measuring
import Reporting

/// The results of runs as one page.
struct LabPage {
  let runs: RunCollection
  /// The trend of the costs from run to run; `nil` if there is no results database.
  let trend: TrendReport?
  /// The folder that will contain the page.
  let folder: String

  /// The page: verdicts first, then broken invariants, then costs.
  var page: ReportPage {
    let runs = runs.located(from: folder)
    let checks = CheckSections(checks: runs.checks, pageFolder: folder)
    let trials = TrialSections(stress: runs.stress, mutants: runs.mutants)
    let cards = CardSections(cards: runs.cards, pageFolder: folder).sections
    let tiles = checks.tiles + trials.tiles + [trend?.tile].compactMap { $0 }
    let behaviour = cards + checks.sections + trials.sections
    let courses = trend.map { [$0.section(watching: Self.watched)] } ?? []
    guard let bench = runs.bench else {
      return ReportPage(
        title: "Persistent History Lab",
        lead: "What holds, and what breaks it.",
        tiles: tiles,
        sections: behaviour + courses,
        environment: [
          .init("Lab", ToolSpec.version), .init("Benchmarks", "not measured"),
        ]
      )
    }
    var report = BenchmarkReport(bench.results, verdicts: tiles, goals: Goals.all)
    report.runFolder = RelativePath.path(from: folder, to: bench.folder)
    var page = report.page()
    page.title = "Persistent History Lab"
    page.lead = "What holds, what breaks it, and what it costs. " + page.lead
    page.sections = behaviour + courses + page.sections
    return page
  }

  /// The benchmarks whose trend is drawn even if it has no step.
  private static var watched: [String] { Goals.all.map(\.benchmark) }
}

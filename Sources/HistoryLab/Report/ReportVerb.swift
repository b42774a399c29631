import Foundation
import HistoryBenchmarks
import Measuring
import Reporting

/// Turns runs into a page.
struct ReportVerb: Verb {
  let options: ReportOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let runs = try RunCollection(options.runs)
    guard let newest = runs.newest else {
      throw .usage(
        "\(options.runs.quoted) holds no finished check, exploration or benchmark. Try: history-lab check"
      )
    }
    for reason in runs.unreadable { terminal.log("history-lab: left out: \(reason)") }
    let path = options.html ?? newest + "/index.html"
    let page = page(
      runs,
      try trend(),
      in: (path as NSString).deletingLastPathComponent
    )
    let images = ChartTool(toolsFolder: Self.toolsFolder).draw(page.charts)
    try PageFile.write(page.html(images: images), to: path)
    terminal.print("Report: \(path)")
    return .good
  }

  /// Verdicts first, then what broke, then what it costs.
  private func page(_ runs: RunCollection, _ trend: TrendReport?, in folder: String) -> ReportPage {
    let checks = CheckSections(checks: runs.checks, pageFolder: folder)
    let trials = TrialSections(stress: runs.stress, mutants: runs.mutants)
    let cards = CardSections(cards: runs.cards, scopes: runs.scopes).sections
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
    var page = BenchmarkReport(bench.results, verdicts: tiles, goals: Goals.all).page()
    page.title = "Persistent History Lab"
    page.lead = "What holds, what breaks it, and what it costs. " + page.lead
    page.sections = behaviour + courses + page.sections
    return page
  }

  /// The benchmarks whose course is drawn even without a step.
  private static var watched: [String] { Goals.all.map(\.benchmark) }

  /// How the costs moved from run to run; nothing where no runs are kept.
  private func trend() throws(LabError) -> TrendReport? {
    try options.history.map { (path) throws(LabError) in
      TrendReport(try HistoryDatabase(reading: path).ourCourses())
    }
  }

  /// The private environment of the chart tool, at the package's root where scripts run the command.
  private static var toolsFolder: String {
    FileManager.default.currentDirectoryPath + "/.tools"
  }
}

import Foundation
import HistoryBenchmarks
import Measuring
import Reporting

/// Turns runs into a page.
struct ReportVerb: Verb {
  let options: ReportOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let runs = try RunCollection(options.runs)
    // Told first: where nothing is left they are the reason.
    for reason in runs.leftOut { terminal.log("history-lab: left out: \(reason)") }
    guard let newest = runs.newest else {
      throw .usage(
        "\(options.runs.quoted) holds no finished check, exploration or benchmark.",
        try: "check"
      )
    }
    let path = options.html ?? newest + "/index.html"
    let folder = (path as NSString).deletingLastPathComponent
    let page = LabPage(runs: runs, trend: try trend(), folder: folder).page
    let images = ChartTool.find(for: composition.command).draw(page.charts)
    try PageFile.write(page.html(images: images), to: path)
    terminal.print("Report: \(RelativePath.shown(path))")
    return .good
  }

  /// How the costs moved from run to run; nothing where no runs are kept.
  private func trend() throws(LabError) -> TrendReport? {
    try options.history.map { (path) throws(LabError) in
      TrendReport(try HistoryDatabase(reading: path).ourCourses())
    }
  }
}

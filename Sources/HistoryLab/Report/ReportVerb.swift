import Foundation
import HistoryBenchmarks
import Measuring
import Reporting

/// Writes runs as a page.
struct ReportVerb: Verb {
  let options: ReportOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let runs = try RunCollection(options.runs)
    // Logged first: if no run is left, these are the reasons.
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

  /// Returns the trend of the costs from run to run; `nil` if there is no results database.
  private func trend() throws(LabError) -> TrendReport? {
    try options.history.map { (path) throws(LabError) in
      TrendReport(try HistoryDatabase(reading: path).ourCourses())
    }
  }
}

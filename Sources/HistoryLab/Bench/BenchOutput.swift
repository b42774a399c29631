import Foundation
import HistoryBenchmarks
import Measuring
import Reporting

/// The output files of a benchmark run.
struct BenchOutput {
  let results: BenchmarkResults
  let report: BenchmarkReport
  let folder: RunOutput
  let composition: Composition
  let terminal: Terminal

  init(
    _ results: BenchmarkResults,
    folder: RunOutput,
    composition: Composition,
    terminal: Terminal
  ) {
    self.composition = composition
    self.results = results
    report = BenchmarkReport(results, goals: Goals.all)
    self.folder = folder
    self.terminal = terminal
  }

  /// Writes the results (JSON, CSV), the laws (CSV), the goals (CSV, Markdown) and the page.
  ///
  /// - Throws: a lab error that says which file cannot be written.
  func write() throws(LabError) {
    do { try folder.write("results.json", try ResultsFile.json(results)) } catch {
      throw error as? LabError ?? .lab("the results cannot be written as JSON: \(error).")
    }
    try folder.write("results.csv", results.csv(run: folder.name))
    try folder.write("complexity.csv", ComplexityFindings(results).csv(run: folder.name))
    try folder.write("goals.csv", report.goalCSV(run: folder.name))
    try folder.write("goals.md", report.markdown(command: command))
    try folder.write(RunOutput.pageFile, page())
  }

  /// The command line of this process, with the plain name of the command for its path.
  private var command: String {
    (["history-lab"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
  }

  /// Returns the page, with charts if they can be drawn.
  private func page() -> String {
    let page = report.page()
    let images = ChartTool.find(for: composition.command).draw(page.charts)
    if case .missing(let reason) = images {
      terminal.log("The page has tables but no charts: \(reason). Get them with: \(remedy)")
    }
    return page.html(images: images)
  }

  private var remedy: String { ChartImages.remedy }
}

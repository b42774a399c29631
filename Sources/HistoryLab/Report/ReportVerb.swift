import Basics
import Commands
import Foundation
import HistoryBenchmarks
import Measuring
import Reporting

struct ReportOptions: VerbOptions {
  @Option(.runs) var runs: String
  /// The path of the page; `nil` selects `index.html` in the newest run's folder.
  @Option(
    "html",
    .path("FILE"),
    shown: "index.html in the newest run's folder",
    "Writes the page to FILE."
  )
  var html: String?
  @Option(.history) private var file: String

  /// The path of the results database, which contains the trend; `nil` if there is no such file.
  var history: String? { FilePath.state(of: file) == .file ? file : nil }

  /// - Throws: A usage error if the folder of runs does not exist, the given database cannot be
  ///   read, or the page cannot be written.
  func validate(in composition: Composition) throws(LabError) {
    switch FilePath.state(of: runs) {
    case .folder: break
    case .absent:
      throw .usage("there is no folder of runs \(runs.quoted).", try: "check")
    case .file: throw .usage("--output: \(runs.quoted) is a file, not a folder.")
    case .unreachable(let reason):
      throw .usage("--output: \(runs.quoted) cannot be reached: \(reason).")
    }
    if $file.isGiven { try FilePath.checkReadable(file, for: "--history") }
    if let html { try FilePath.checkWritableFile(html, for: "--html") }
  }
}

extension ReportVerb {
  static let spec = VerbSpec(
    name: "report",
    sentence: "Turns runs into a page that can be opened offline.",
    examples: [
      Example("report", "Writes the page of the newest run into that run's folder."),
      Example("report --html lab.html", "Writes the page into a file of your own."),
      Example("report trend", "Lists the runs at which the costs rose or fell to another level."),
    ],
    subverbs: [
      ReportTrendVerb.spec, ReportNightsVerb.spec, ReportExportVerb.spec, ReportMergeVerb.spec,
    ]
  ) { ReportVerb(options: $0, composition: $1, terminal: $2) }
}

/// Writes the results of runs as an HTML page.
struct ReportVerb: Verb {
  let options: ReportOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let (runs, newest) = try RunCollection.read(options.runs, terminal)
    let path = options.html ?? newest + "/index.html"
    let folder = FolderAccess.parent(of: path)
    let page = LabPage(runs: runs, trend: try trend(), folder: folder).page
    let images = composition.chartTool.draw(page.charts)
    try PageFile.write(page.html(images: images), to: path)
    terminal.print("Report: \(RelativePath.shown(path))")
    return .good
  }

  /// Returns the trend of the costs from run to run; `nil` if there is no results database.
  private func trend() throws(LabError) -> TrendReport? {
    try options.history.map { (path) throws(LabError) in
      TrendReport(try HistoryDatabase(reading: path).ourSeries())
    }
  }
}

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
    let trendSections = trend.map { [$0.section(watching: Self.watched)] } ?? []
    guard let bench = runs.bench else {
      return ReportPage(
        title: "Persistent History Lab",
        lead: "Which invariants hold, and which plans break them.",
        tiles: tiles,
        sections: behaviour + trendSections,
        environment: [
          .init("Lab", ToolSpec.version), .init("Benchmarks", "not measured"),
        ]
      )
    }
    var report = BenchmarkReport(bench.results, verdicts: tiles, goals: Goals.all)
    report.runFolder = RelativePath.path(from: folder, to: bench.folder)
    var page = report.page()
    page.title = "Persistent History Lab"
    page.lead = "Which invariants hold, what breaks them, and what operations cost. " + page.lead
    page.sections = behaviour + trendSections + page.sections
    return page
  }

  /// The benchmarks whose trend is always drawn, even without a change of costs.
  private static var watched: [String] { Goals.all.map(\.benchmark) }
}

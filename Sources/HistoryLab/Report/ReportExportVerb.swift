import Basics
import Commands
import Foundation
import HistoryBenchmarks
import Measuring
import Reporting

struct ReportExportOptions: VerbOptions {
  @Option(
    "format",
    each: .choice("NAME"),
    shown: "all",
    "A format to write, one of: \(ExportFormat.allCases.map(\.rawValue).joined(separator: " "))."
  )
  var formats: [ExportFormat]
  /// The folder to write the files to; `nil` selects the newest run's folder.
  @Option(
    "to",
    .path("DIR"),
    shown: "the newest run's folder",
    "The folder in which the files are written."
  )
  var target: String?
  @Option(.runs) var runs: String

  /// - Throws: A usage error if the folder of runs does not exist, or the target cannot be written.
  mutating func validate(in composition: Composition) throws(LabError) {
    guard FilePath.state(of: runs) == .folder else {
      throw .usage("there is no folder of runs \(runs.quoted).", try: "check")
    }
    if let target { try FilePath.checkWritableFolder(target, for: "--to") }
    if formats.isEmpty { formats = ExportFormat.allCases }
  }
}

/// A file format for other programs.
enum ExportFormat: String, CaseIterable, Sendable {
  case junit
  case bencher
  case githubAction = "github-action-benchmark"
  case csv
  case markdown
}

extension ReportExportVerb {
  static let spec = VerbSpec(
    name: "report export",
    sentence: "Writes runs in the formats that other programs read.",
    examples: [
      Example("report export", "Writes every format into the newest run's folder."),
      Example(
        "report export --format junit --to out",
        "Writes the verdicts for a CI system into the "
          + "folder `out`."
      ),
    ]
  ) { (options, _, terminal) in ReportExportVerb(options: options, terminal: terminal) }
}

/// Writes the results of runs in file formats for other programs.
struct ReportExportVerb: Verb {
  let options: ReportExportOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let (runs, newest) = try RunCollection.read(options.runs, terminal)
    let folder = options.target ?? newest
    try PageFile.makeFolder(folder, for: "--to")
    for format in options.formats {
      let files = try files(of: format, runs, folder)
      if files.isEmpty { terminal.log("\(format.rawValue): the runs have no data for it.") }
      for (name, text) in files {
        try PageFile.write(text, to: folder + "/" + name, for: "--to")
        terminal.print("\(format.rawValue): \(folder)/\(name)")
      }
    }
    return .good
  }

  /// Returns the contents of a format's files by name; empty if the runs contain no data for the format.
  private func files(
    of format: ExportFormat,
    _ runs: RunCollection,
    _ folder: String
  ) throws(LabError) -> [(name: String, text: String)] {
    switch format {
    case .junit: return [("junit.xml", LabVerdicts(runs.located(from: folder)).report.xml())]
    case .markdown:
      return [("report.md", LabPage(runs: runs, trend: nil, folder: folder).page.markdown())]
    case .bencher, .githubAction, .csv:
      guard let bench = runs.bench else { return [] }
      do { return try Self.files(of: format, bench) } catch {
        throw .lab("the results cannot be written as \(format.rawValue): \(error)")
      }
    }
  }

  private static func files(
    of format: ExportFormat,
    _ bench: RunCollection.Bench
  ) throws -> [(name: String, text: String)] {
    let export = ResultsExport(bench.results)
    let name = RunFolders.name(of: bench.folder)
    switch format {
    case .bencher: return [("bencher.json", try export.bencher())]
    case .githubAction: return [("github-action-benchmark.json", try export.githubAction())]
    case .csv:
      return [
        ("results.csv", bench.results.csv(run: name)),
        ("complexity.csv", ComplexityVerdicts(bench.results).csv(run: name)),
      ]
    case .junit, .markdown: return []
    }
  }
}

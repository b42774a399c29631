import Basics
import Commands
import Foundation
import HistoryTypes
import Reporting

struct ReportNightsOptions: VerbOptions {
  @Argument(.path("FOLDER"), "The folder of the nightly runs; default: \(usualFolder).")
  var folder = usualFolder

  private static let usualFolder = "Reports/nightly"

  /// - Throws: A usage error if the folder does not exist.
  func validate(in composition: Composition) throws(LabError) {
    guard FilePath.state(of: folder) == .folder else {
      throw .usage("there is no folder \(folder.quoted) of nightly runs. Try: scripts/nightly")
    }
  }
}

extension ReportNightsVerb {
  static let spec = VerbSpec(
    name: "report nights",
    sentence: "Writes an index page of all nightly runs, with a link to each night's page.",
    examples: [
      Example("report nights", "Writes the index of the nightly runs of scripts/nightly."),
      Example(
        "report nights /srv/nights",
        "Writes the index of the nightly runs in another folder."
      ),
    ]
  ) { (options, _, terminal) in ReportNightsVerb(options: options, terminal: terminal) }
}

/// Writes the page that lists all nightly runs.
struct ReportNightsVerb: Verb {
  let options: ReportNightsOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let path = options.folder + "/index.html"
    let page = try NightsPage(options.folder).page
    try PageFile.write(page.html(images: .drawn([:])), to: path, for: "FOLDER")
    terminal.print("Nights: \(path)")
    return .good
  }
}

/// The index page of all nightly runs: each step's result, and a link to the page of each night.
struct NightsPage {
  /// One nightly run, read from its folder.
  struct Night {
    let name: String
    /// The steps with their results and durations in seconds, as the night's file `state` lists them.
    let steps: [(name: String, result: String, seconds: Int)]
    let hasPage: Bool
  }
  let nights: [Night]

  /// Reads the nightly runs in a folder, newest first.
  ///
  /// - Throws: A usage error if the folder cannot be listed or contains no nightly run.
  init(_ folder: String) throws(LabError) {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw .usage(
        "the nightly runs in \(folder.quoted) cannot be listed: \(error.localizedDescription). "
          + "Check its permissions."
      )
    }
    nights = names.sorted().reversed().compactMap { Self.night(folder + "/" + $0, named: $0) }
    guard !nights.isEmpty else {
      throw .usage("\(folder.quoted) contains no nightly runs. Try: scripts/nightly")
    }
  }

  private static func night(_ folder: String, named name: String) -> Night? {
    guard let data = FileManager.default.contents(atPath: folder + "/state") else { return nil }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    return Night(
      name: name,
      steps: lines.compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 3, let seconds = Int(words[2]) else { return nil }
        return (String(words[0]), String(words[1]), seconds)
      },
      hasPage: FileManager.default.fileExists(atPath: folder + "/index.html")
    )
  }

  var page: ReportPage {
    let last = nights.first
    let failed = last?.steps.filter { $0.result == "FAILED" } ?? []
    return ReportPage(
      title: "Nights",
      lead: "The result of each step of each nightly run; the name of a night links to its page.",
      tiles: last.map { night in
        [
          VerdictTile(
            subject: "The last night: \(night.name)",
            state: failed.isEmpty ? .good : .bad,
            word: failed.isEmpty ? "nothing failed" : "failed",
            answer: failed.isEmpty
              ? night.steps.count.counted("step") : failed.map(\.name).joinedWithAnd,
            detail: "\(Self.minutes(night)) minutes."
          )
        ]
      } ?? [],
      sections: [PageSection("All nights", [.table(table)])]
    )
  }

  private var table: ReportTable {
    var names: [String] = []
    for step in nights.flatMap(\.steps) where !names.contains(step.name) { names.append(step.name) }
    names = Array(names.prefix(ReportTable.mostColumns - 2))
    var table = ReportTable(
      columns: [.text("night"), .number("minutes")] + names.map { .text($0) }
    )
    for night in nights { table.append(Self.row(night, names)) }
    return table
  }

  private static func row(_ night: Night, _ names: [String]) -> ReportTable.Row {
    let found = names.map { name in night.steps.first { $0.name == name } }
    var row = ReportTable.Row(
      [night.name, minutes(night)]
        + found.map { step in
          step.map { "\($0.result) \(Duration.seconds($0.seconds).roughly)" } ?? "left out"
        },
      anchor: PageSection.anchor(from: "night \(night.name)")
    )
    if night.hasPage { row.cellLinks[0] = .file(night.name + "/index.html") }
    for (place, step) in found.enumerated() {
      row.cellMarks[place + 2] = step.map { state($0.result) } ?? .unknown
    }
    return row
  }

  private static func minutes(_ night: Night) -> String {
    let tenths = night.steps.reduce(0) { $0 + $1.seconds } / 6
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func state(_ result: String) -> VerdictState {
    switch result {
    case "good": .good
    case "FAILED": .bad
    default: .unknown
    }
  }
}

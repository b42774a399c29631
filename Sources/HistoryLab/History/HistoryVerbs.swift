import Basics
import Commands
import HistoryTypes
import Reporting

struct HistoryAddOptions: VerbOptions {
  @Argument(each: .path("FOLDER"), "The folder of a run, or a folder that contains such folders.")
  var folders: [String]
  @Option(.history) var history: String

  /// - Throws: A usage error if a folder does not exist, or the database cannot be written.
  func validate(in composition: Composition) throws(LabError) {
    for folder in folders where FilePath.state(of: folder) != .folder {
      throw .usage("there is no folder \(folder.quoted). Give the folder of a run.")
    }
    try FilePath.checkWritableFile(history, for: "--history")
  }
}

struct HistoryListOptions: VerbOptions {
  @Option(.history) var history: String
  var list = FormatOptions()

  /// - Throws: A usage error if the database cannot be read.
  func validate(in composition: Composition) throws(LabError) {
    try FilePath.checkReadable(history, for: "--history")
  }
}

extension HistoryAddVerb {
  static let spec = VerbSpec(
    name: "history add",
    sentence: "Adds the results of runs to the results database; duplicates are ignored.",
    examples: [
      Example("history add Reports/latest", "Adds the newest run."),
      Example("history add Reports/runs", "Adds all runs in the folder."),
    ]
  ) { (options, _, terminal) in HistoryAddVerb(options: options, terminal: terminal) }
}

extension HistoryListVerb {
  /// The parent of the verbs `history add` and `history list`.
  static let group = VerbSpec(
    name: "history",
    sentence: "Adds runs to the results database, or lists them; trends are computed from it.",
    examples: HistoryAddVerb.spec.examples + [spec.examples[0]],
    subverbs: [HistoryAddVerb.spec, spec]
  )

  private static let spec = VerbSpec(
    name: "history list",
    sentence: "Lists the runs in the results database.",
    examples: [
      Example("history list", "Lists the runs, oldest first."),
      Example("history list --json", "Lists the runs as JSON."),
    ]
  ) { (options, _, terminal) in HistoryListVerb(options: options, terminal: terminal) }
}

/// Adds the results of runs to the results database.
struct HistoryAddVerb: Verb {
  let options: HistoryAddOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    var folders: [String] = []
    for folder in options.folders { folders += try Self.runs(in: folder) }
    let database = try HistoryDatabase(writing: options.history)
    var added = 0
    var known = 0
    var leftOut = 0
    for folder in folders {
      let finished: FinishedRun
      do throws(LabError) {
        finished = try FinishedRun(folder: folder)
      } catch .usage(let reason, try: _) {
        leftOut += 1
        terminal.log("history-lab: left out: \(reason)")
        continue
      }
      if try database.add(finished) { added += 1 } else { known += 1 }
    }
    terminal.print(
      "\(options.history): \(added.counted("run")) added, \(known.counted("was", "were")) there already"
        + (leftOut == 0 ? "" : ", \(leftOut.grouped) left out")
    )
    return leftOut == 0 ? .good : .undecided
  }

  /// Returns the folders of runs in or below a folder.
  ///
  /// - Throws: a usage error if the folder contains no runs.
  private static func runs(in folder: String) throws(LabError) -> [String] {
    let found = try RunFolders.runs(in: folder)
    guard found.isEmpty else { return found }
    throw .usage(
      "\(folder.quoted) contains no runs. Give the folder of a run, which contains run.json, or a "
        + "folder above it."
    )
  }
}

/// Lists the runs in the results database.
struct HistoryListVerb: Verb {
  let options: HistoryListOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let runs = try HistoryDatabase(reading: options.history).runs()
    let rendering = HistoryRendering(runs: runs)
    switch options.list.format {
    case .text: terminal.print(rendering.table, indent: 0)
    case .markdown: terminal.print(String(rendering.table.markdown().dropLast()))
    case .json: terminal.print(try rendering.json())
    }
    return .good
  }
}

/// The runs in the results database, as a table for people and as JSON for programs.
struct HistoryRendering {
  let runs: [HistoryDatabase.RunLine]

  /// The maximum number of characters of a verdict's reason in the table; JSON has it in full.
  private static let sentenceMax = 100

  /// A table with one row for each run.
  var table: ReportTable {
    var table = ReportTable(columns: [
      .text("run"), .text("time"), .text("commit"), .text("verdict"), .number("figures"),
      .number("verdicts"), .text("because"),
    ])
    for run in runs {
      table.append([
        run.name, run.time, run.commit.map { String($0.prefix(9)) } ?? "", run.verdict,
        run.figures.grouped, run.verdicts.grouped, Self.shortened(run.because),
      ])
    }
    return table
  }

  private static func shortened(_ sentence: String) -> String {
    sentence.count > sentenceMax ? sentence.prefix(sentenceMax - 1) + "…" : sentence
  }

  /// Returns the runs as a JSON list with sorted keys.
  func json() throws(LabError) -> String {
    try JSONText.document(runs, named: "the list of runs")
  }
}

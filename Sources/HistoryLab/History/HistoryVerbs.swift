import Foundation
import PersistentHistory
import Reporting

/// The options of `history add`.
struct HistoryAddOptions: Hashable, Sendable {
  /// The folders of runs, or folders that contain them.
  var folders: [String]
  /// The path of the results database.
  var history: String

  /// Reads the options from the arguments.
  ///
  /// - Throws: a usage error if a folder does not exist, or the database cannot be written.
  init(_ arguments: ParsedArguments) throws(LabError) {
    folders = arguments.positionals
    for folder in folders where FilePath.state(of: folder) != .folder {
      throw .usage("there is no folder \(folder.quoted). Give the folder of a run.")
    }
    history = try arguments.required(CommonOption.history)
    try FilePath.checkWritableFile(history, for: "--history")
  }

  static let spec = VerbSpec(
    name: "history add",
    sentence: "Keeps the results of runs in the results' database; what is kept already stays one.",
    positionals: [
      PositionalSpec(
        value: ValueReader<String>.path("FOLDER").rule,
        isRequired: true,
        repeats: true,
        sentence: "The folder of a run, or a folder that holds such folders."
      )
    ],
    options: [CommonOption.history.spec],
    examples: [
      Example("history add Reports/latest", "The newest run."),
      Example("history add Reports/runs", "Every run that is still there."),
    ]
  )
}

/// The options of `history list`.
struct HistoryListOptions: Hashable, Sendable {
  var history: String
  /// The output format.
  var format: CatalogueFormat

  init(_ arguments: ParsedArguments) throws(LabError) {
    history = try arguments.required(CommonOption.history)
    try FilePath.checkReadable(history, for: "--history")
    format = CatalogueFormat(arguments)
  }

  static let spec = VerbSpec(
    name: "history list",
    sentence: "Lists the runs that the results' database holds.",
    options: [CommonOption.history.spec, CommonOption.markdown.spec, CommonOption.json.spec],
    exclusive: [[CommonOption.markdown.name, CommonOption.json.name]],
    examples: [
      Example("history list", "The runs, oldest first."),
      Example("history list --json", "The same for another program to read."),
    ]
  )

  /// The parent verb of both.
  static let group = VerbSpec(
    name: "history",
    sentence: "Keeps the results of runs in a database, from which trends are read.",
    examples: HistoryAddOptions.spec.examples + [spec.examples[0]],
    subverbs: [HistoryAddOptions.spec, spec]
  )
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
  /// - Throws: a usage error if there is no run.
  private static func runs(in folder: String) throws(LabError) -> [String] {
    let found = try RunFolders.runs(in: folder)
    guard found.isEmpty else { return found }
    throw .usage("\(folder.quoted) holds no run: there is no run.json in it or below.")
  }
}

/// Lists the runs in the results database.
struct HistoryListVerb: Verb {
  let options: HistoryListOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let runs = try HistoryDatabase(reading: options.history).runs()
    let rendering = HistoryRendering(runs: runs)
    switch options.format {
    case .text: terminal.print(rendering.table, indent: 0)
    case .markdown: terminal.print(String(rendering.table.markdown().dropLast()))
    case .json: terminal.print(try rendering.json())
    }
    return .good
  }
}

/// The runs in the results database, for people and for programs.
struct HistoryRendering {
  let runs: [HistoryDatabase.RunLine]

  /// The maximum number of characters of a run's sentence in a table; JSON has the full text.
  private static let sentenceMax = 100

  /// One row for each run.
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
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    do { return String(decoding: try encoder.encode(runs), as: UTF8.self) } catch {
      throw .lab("the runs cannot be written as JSON: \(error)")
    }
  }
}

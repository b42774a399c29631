import PersistentHistory
import Reporting

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

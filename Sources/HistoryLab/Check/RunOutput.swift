import Checkers
import Foundation
import HistoryStore
import Measuring
import Reporting
import Systems
import Traces

/// The folder of one run of a verb, with what every verb writes into it.
struct RunOutput {
  private let folder: RunFolder
  private let record: RunRecord

  /// The versions that traces carry.
  let versions: [String: String]

  /// Makes the folder, before any work is done that would be lost without it.
  ///
  /// - Throws: a usage error that says which folder cannot be written, or a lab error when the disk is
  ///   full or fails.
  init(
    _ verb: String,
    seed: UInt64,
    output: String,
    outputIsDefault: Bool,
    shard: Shard? = nil
  ) throws(LabError) {
    let environment = RunEnvironment.current(
      sqlite: Store.sqliteVersion,
      commit: ProcessInfo.processInfo.environment["HISTORY_LAB_COMMIT"],
      time: .now(),
      seed: seed
    )
    record = RunRecord(
      verb: verb,
      commandLine: CommandLine.arguments,
      environment: environment,
      shard: shard
    )
    versions = [
      "lab": ToolSpec.version, "swift": environment.swift, "sqlite": environment.sqlite,
      "machine": environment.machine,
    ]
    do throws(RunFolderError) {
      folder = try RunFolder.create(
        for: record,
        output: outputIsDefault ? nil : output,
        currentFolder: FileManager.default.currentDirectoryPath
      )
    } catch {
      throw error.isOfFolder ? .usage("--output: \(error.description).") : .lab(error.description)
    }
    ScratchFolder.removeDead(in: String(folder.path.dropLast(folder.name.count + 1)))
  }

  /// Takes up the folder of a run that was cut short.
  ///
  /// - Throws: a usage error that says what is wrong with the folder.
  init(resuming path: String) throws(LabError) {
    let file = path + "/run.json"
    try FilePath.checkReadable(file, for: "--resume")
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: file))
      record = try JSONDecoder().decode(RunRecord.self, from: data)
    } catch {
      let reason = DocumentFault.reason(of: error)
      throw .usage("--resume: \(file.quoted) is not what a run writes: \(reason).")
    }
    folder = RunFolder(resuming: path)
    versions = [:]
  }

  /// Whether the run has come to an end, early or not.
  var hasVerdict: Bool { record.verdict != nil }

  /// The words of the run's command line, without the command.
  var words: [String] { Array(record.commandLine.dropFirst()) }

  /// Makes the folder for what is not kept.
  func makeScratch() throws(LabError) -> ScratchFolder { try ScratchFolder(in: folder.path) }

  /// The folder's path.
  var path: String { folder.path }

  /// The folder's path as it is printed: from the current folder where it lies below it.
  var shownPath: String { RelativePath.shown(folder.path) }

  /// The folder's name without the folders it lies in.
  var name: String { folder.name }

  /// Where, with what and when the run began.
  var environment: RunEnvironment { record.environment }

  /// Writes a file of the run.
  func write(_ file: String, _ text: String) throws(LabError) {
    do throws(RunFolderError) { try folder.writeFile(file, text) } catch {
      throw .lab(error.description)
    }
  }

  /// Keeps the counterexample, as a file and as a page, its plan and its trace.
  func keep(
    _ finding: Finding,
    as fileName: String,
    replayOfPlan: ReplayOptions,
    onDisk: String?,
    timeout: Double = ExternalProgram.secondsByDefault
  ) throws(LabError) -> FindingReport {
    let counterexample = finding.counterexample
    let stem = "\(fileName)-\(counterexample.violation.checker)"
    let kept = try keepWhole(counterexample, as: stem, onDisk: onDisk, timeout: timeout)
    return FindingReport(
      finding: finding,
      kept: kept,
      replayOfPlan: replayOfPlan
    )
  }

  /// What files call the systems of a run: no two of them the same.
  static func words(forSystems names: [String]) -> [String] {
    let plain = names.map { name in
      ExternalProgram.command(in: name) == nil
        ? name.replacingOccurrences(of: "/", with: "-") : "external"
    }
    return plain.indices.map { index in
      let count = plain[...index].count { $0 == plain[index] }
      return count == 1 ? plain[index] : "\(plain[index])-\(count)"
    }
  }

  /// Keeps a counterexample under a name, with its plan and its trace as files of their own.
  func keepWhole(
    _ counterexample: Counterexample,
    as stem: String,
    onDisk: String? = nil,
    timeout: Double = ExternalProgram.secondsByDefault
  ) throws(LabError) -> KeptCounterexample {
    try write("plan-\(stem).jsonl", PlanCodec.encode(counterexample.trace.header.plan))
    try write("trace-\(stem).jsonl", TraceCodec.encode(counterexample.trace))
    return try keep(counterexample, as: stem, onDisk: onDisk, timeout: timeout)
  }

  /// Keeps a counterexample under a name, as a file and as a page that shows it.
  func keep(
    _ counterexample: Counterexample,
    as stem: String,
    onDisk: String? = nil,
    timeout: Double = ExternalProgram.secondsByDefault
  ) throws(LabError) -> KeptCounterexample {
    let name = counterexample.trace.header.system
    let isExternal = ExternalProgram.command(in: name) != nil
    let file = "counterexample-\(stem).jsonl"
    try write(file, CounterexampleCodec.encode(counterexample))
    let options = ReplayOptions(
      source: .file(file),
      // A file does not get programs started: who replays it says which.
      system: isExternal ? name : nil,
      until: nil,
      json: false,
      onDisk: onDisk,
      timeout: timeout
    )
    let kept = KeptCounterexample(folder: shownPath, file: file, options: options)
    let page = CounterexamplePage(
      counterexample,
      meaning: CheckerSuite.sentence(of: counterexample.violation.checker),
      replay: kept.replay(for: .folder),
      file: file
    )
    try write(kept.page, page.html())
    return kept
  }

  /// Writes the page of the run from the documents that lie in its folder, without charts.
  ///
  /// - Throws: a lab error when the page cannot be written.
  func writePage() throws(LabError) {
    let page = LabPage(runs: try RunCollection(path), trend: nil, folder: path).page
    try write(Self.pageFile, page.html(images: .drawn([:])))
  }

  /// Prints where the run lies, and where its page.
  func printPlace(on terminal: Terminal) {
    terminal.print("Run: \(shownPath)")
    terminal.print("Report: \(shownPath)/\(Self.pageFile)")
  }

  /// The page that shows what the run found.
  static let pageFile = "index.html"

  /// Writes what came of the run.
  func finish(verdict: String, because: String) throws(LabError) {
    var record = record
    record.verdict = verdict
    record.because = because
    do throws(RunFolderError) { try folder.write(record) } catch {
      throw .lab(error.description)
    }
  }
}

/// Where a path or a command of a run is read.
enum RunReader {
  /// In the run's folder, which may lie on another machine by then.
  case folder
  /// In the current folder, by the person who started the run.
  case here(ShellCommand)

  /// How the run's folder is named there.
  func folder(_ shown: String) -> String {
    switch self {
    case .folder: "."
    case .here: shown
    }
  }

  /// How the command is named there.
  var command: ShellCommand {
    switch self {
    case .folder: .plain
    case .here(let command): command
    }
  }
}

/// Where a counterexample lies, and how to see it again.
struct KeptCounterexample {
  /// The run's folder, as it is printed.
  let folder: String
  /// The name of the file.
  let file: String
  /// How it is replayed, from the run's folder.
  let options: ReplayOptions

  /// The name of the page that shows it.
  var page: String { "\(file.dropLast(".jsonl".count)).html" }

  /// The page's path, as it is printed.
  var pagePath: String { "\(folder)/\(page)" }

  /// The file's name in the run's folder, or its path elsewhere.
  func path(for reader: RunReader) -> String {
    switch reader {
    case .folder: file
    case .here: "\(folder)/\(file)"
    }
  }

  /// The command that replays it.
  func replay(for reader: RunReader) -> String {
    var options = options
    switch reader {
    case .folder:
      // Where the stores lay belongs to the machine.
      options.onDisk = nil
      return options.line(typing: .plain)
    case .here(let command):
      options.source = .file(path(for: reader))
      return options.line(typing: command)
    }
  }
}

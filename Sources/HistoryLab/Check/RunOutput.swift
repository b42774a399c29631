import Basics
import Checkers
import Foundation
import HistoryStore
import Measuring
import Reporting
import Systems
import Traces

/// The folder of one run of a verb, and the files that every verb writes into it.
struct RunOutput {
  private let folder: RunFolder
  private let record: RunRecord

  /// The versions that are stored in traces.
  let versions: [String: String]

  /// Creates the folder before any work begins, so that no results are lost for lack of one.
  ///
  /// - Throws: a usage error that says which folder cannot be written, or a lab error when the disk is
  ///   full or fails.
  init(
    _ verb: String,
    seed: UInt64,
    output: String,
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
      shard: shard,
      lab: ToolSpec.version
    )
    versions = [
      "lab": ToolSpec.version, "swift": environment.swift, "sqlite": environment.sqlite,
      "machine": environment.machine,
    ]
    folder = try Self.folder(for: record, output, isLatest: true)
    ScratchFolder.removeDead(in: String(folder.path.dropLast(folder.name.count + 1)))
  }

  /// Creates the folder of a merged run, with the command line and the environment of its parts.
  ///
  /// The run is not the latest one until ``publish()``.
  ///
  /// - Throws: like the initializer of a new run.
  init(merging parts: RunParts, output: String) throws(LabError) {
    var environment = parts.environment
    environment.time = .now()
    var record = RunRecord(
      verb: parts.verb,
      commandLine: parts.commandLine,
      environment: environment,
      lab: parts.records[0].lab
    )
    record.parts = parts.all
    self.record = record
    versions = [:]
    folder = try Self.folder(for: record, output, isLatest: false)
  }

  private static func folder(
    for record: RunRecord,
    _ output: String,
    isLatest: Bool
  ) throws(LabError) -> RunFolder {
    do throws(RunFolderError) {
      return try RunFolder.create(
        for: record,
        output: output == CommonOption.runsFolder ? nil : output,
        currentFolder: FileManager.default.currentDirectoryPath,
        isLatest: isLatest
      )
    } catch {
      throw error.isOfFolder ? .usage("--output: \(error.description).") : .lab(error.description)
    }
  }

  /// Points `latest` to the run.
  func publish() throws(LabError) {
    do throws(RunFolderError) { try folder.makeLatest() } catch { throw .lab(error.description) }
  }

  /// Removes the folder with its files, so that a failed run leaves none behind.
  ///
  /// A folder that cannot be removed keeps no verdict, which marks it as unfinished.
  func discard() {
    do { try FileManager.default.removeItem(atPath: folder.path) } catch { return }
  }

  /// Reopens the folder of an unfinished run.
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

  /// Whether the run has ended, early or not.
  var hasVerdict: Bool { record.verdict != nil }

  /// The arguments of the run's command line, without the command.
  var words: [String] { Array(record.commandLine.dropFirst()) }

  /// Creates the folder for temporary files.
  func makeScratch() throws(LabError) -> ScratchFolder { try ScratchFolder(in: folder.path) }

  var path: String { folder.path }

  /// The part of a run that is split over several machines, or `nil` for a whole run.
  var shard: Shard? { record.shard }

  /// The folder's path as it is printed: relative if it is below the current folder.
  var shownPath: String { RelativePath.shown(folder.path) }

  /// The last component of the folder's path.
  var name: String { folder.name }

  /// The machine, versions, seed and start time of the run.
  var environment: RunEnvironment { record.environment }

  /// Writes a file into the folder.
  func write(_ file: String, _ text: String) throws(LabError) {
    do throws(RunFolderError) { try folder.writeFile(file, text) } catch {
      throw .lab(error.description)
    }
  }

  /// Writes the files of a counterexample: itself, its page, its plan and its trace.
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

  /// Returns a unique name for each system of a run, for use in file names.
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

  /// Writes a counterexample, its page, its plan and its trace under a name.
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

  /// Writes a counterexample and the page that shows it under a name.
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
      // Files must not start programs: the user who replays it names the program.
      system: isExternal ? name : nil,
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

  /// Writes the run's page from the documents in its folder, without charts.
  ///
  /// - Throws: a lab error when the page cannot be written.
  func writePage() throws(LabError) {
    let page = LabPage(runs: try RunCollection(path), trend: nil, folder: path).page
    try write(Self.pageFile, page.html(images: .drawn([:])))
  }

  /// Prints the paths of the run's folder and of its page.
  func printPlace(on terminal: Terminal) {
    terminal.print("Run: \(shownPath)")
    terminal.print("Report: \(shownPath)/\(Self.pageFile)")
  }

  /// The name of the page that shows the results of the run.
  static let pageFile = "index.html"

  /// Writes the verdict of the run, and whether a signal ended it before its work was done.
  func finish(
    verdict: String,
    because: String,
    isEndedEarly: Bool = false
  ) throws(LabError) {
    var record = record
    record.verdict = verdict
    record.because = because
    record.endedEarly = isEndedEarly ? true : nil
    do throws(RunFolderError) { try folder.write(record) } catch {
      throw .lab(error.description)
    }
  }
}

/// The place from which a path or a command of a run is read.
enum RunReader {
  /// The run's folder, which may be on another machine by then.
  case folder
  /// The current folder of the user who started the run.
  case here(ShellCommand)

  /// Returns the path of the run's folder as seen from there.
  func folder(_ shown: String) -> String {
    switch self {
    case .folder: "."
    case .here: shown
    }
  }

  /// The name of the command there.
  var command: ShellCommand {
    switch self {
    case .folder: .plain
    case .here(let command): command
    }
  }
}

/// The files of a counterexample, and the options that replay it.
struct KeptCounterexample {
  /// The run's folder, as it is printed.
  let folder: String
  /// The name of the file in that folder.
  let file: String
  /// The options that replay it from the run's folder.
  let options: ReplayOptions

  /// The name of the page that shows it.
  var page: String { "\(file.dropLast(".jsonl".count)).html" }

  /// The page's path, as it is printed.
  var pagePath: String { "\(folder)/\(page)" }

  /// Returns the file's name in the run's folder, or its path elsewhere.
  func path(for reader: RunReader) -> String {
    switch reader {
    case .folder: file
    case .here: "\(folder)/\(file)"
    }
  }

  /// Returns the command that replays it.
  func replay(for reader: RunReader) -> String {
    var options = options
    switch reader {
    case .folder:
      // The folder of the stores is specific to this machine.
      options.onDisk = nil
      return options.line(typing: .plain)
    case .here(let command):
      options.source = .file(path(for: reader))
      return options.line(typing: command)
    }
  }
}

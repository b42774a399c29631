import Basics
import Checkers
import Commands
import Foundation
import Measuring
import Programs
import Reporting
import Traces

extension RunOutput {
  /// Creates the folder of a merged run.
  ///
  /// The merged run's `run.json` has the command line and environment of the parts. The link to the
  /// latest run does not change before ``publish()``.
  ///
  /// - Throws: the errors of the initializer for a new run.
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
    try self.init(recording: record, output: output)
  }

  /// Writes a counterexample's files: the counterexample, its page, its plan and its trace.
  func keep(
    _ shrunk: ShrunkCounterexample,
    as fileName: String,
    replayOfPlan: ReplayOptions,
    onDisk: String?,
    timeout: Double = ExternalProgram.secondsByDefault
  ) throws(LabError) -> CounterexampleReport {
    let counterexample = shrunk.counterexample
    let stem = "\(fileName)-\(counterexample.violation.checker)"
    let kept = try keepWhole(counterexample, as: stem, onDisk: onDisk, timeout: timeout)
    return CounterexampleReport(
      shrunk: shrunk,
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

  /// Writes a counterexample, its page, its plan and its trace under the given name.
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

  /// Writes a counterexample and the page that shows it under the given name.
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
      // The file does not name an external program, because a file must not start programs.
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

  /// Writes the run's page from the documents in the run's folder, without charts.
  ///
  /// - Throws: a lab error when the page cannot be written.
  func writePage() throws(LabError) {
    let page = LabPage(runs: try RunCollection(path), trend: nil, folder: path).page
    try write(Self.pageFile, page.html(images: .drawn([:])))
  }
}

/// The person for whom a report is written; its paths and commands depend on where the person is.
enum RunReader {
  /// A person who reads files in the run's folder, perhaps on another machine.
  ///
  /// Paths in these files are relative to the folder.
  case folder
  /// The user who started the run and reads its output in the current folder.
  ///
  /// Commands in the report begin with the given command, as the user types it.
  case here(ShellCommand)

  /// Returns the path of the run's folder as the person needs it.
  ///
  /// The path is `.` for a person in this folder (``folder``), and `shown` for the user
  /// (``here(_:)``).
  func folder(_ shown: String) -> String {
    switch self {
    case .folder: "."
    case .here: shown
    }
  }

  /// The lab's command as the person types it.
  ///
  /// The command is `history-lab` for ``folder``, and the associated value for ``here(_:)``.
  var command: ShellCommand {
    switch self {
    case .folder: .plain
    case .here(let command): command
    }
  }
}

/// The files of a counterexample, and the options that replay it.
struct KeptCounterexample {
  /// The path of the run's folder, as the output shows it.
  let folder: String
  /// The name of the counterexample's file in ``folder``.
  let file: String
  /// The options that replay the counterexample from the run's folder.
  let options: ReplayOptions

  /// The name of the page that shows the counterexample.
  var page: String { "\(file.dropLast(".jsonl".count)).html" }

  /// The page's path, as the output shows it.
  var pagePath: String { "\(folder)/\(page)" }

  /// Returns the path of the counterexample's file, or its name for the case ``RunReader/folder``.
  func path(for reader: RunReader) -> String {
    switch reader {
    case .folder: file
    case .here: "\(folder)/\(file)"
    }
  }

  /// Returns the command that replays the counterexample.
  func replay(for reader: RunReader) -> String {
    var options = options
    switch reader {
    case .folder:
      // The option `--on-disk` is left out, because it names a folder of this machine.
      options.onDisk = nil
      return options.line(typing: .plain)
    case .here(let command):
      options.source = .file(path(for: reader))
      return options.line(typing: command)
    }
  }
}

import Basics
import Foundation
import HistoryStore
package import Measuring
package import Reporting

/// The folder of one run, and the files that every verb writes into the folder.
package struct RunOutput {
  private let folder: RunFolder
  private let record: RunRecord

  /// The software versions that are stored in traces.
  package let versions: [String: String]

  /// Creates the folder before the work starts, so that no results are lost for want of a folder.
  ///
  /// - Throws: a usage error that names a folder which cannot be written, or a lab error when the disk is
  ///   full or fails.
  package init(
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

  /// Creates the folder of a run that other processes have done, with the record of this run.
  ///
  /// The link `latest` does not point to this run before ``publish()``.
  ///
  /// - Throws: the errors of the initializer for a new run.
  package init(recording record: RunRecord, output: String) throws(LabError) {
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
      throw LabError.folder(error)
    }
  }

  /// Makes the link `latest` point to this run.
  package func publish() throws(LabError) {
    do throws(RunFolderError) { try folder.makeLatest() } catch { throw .lab(error.description) }
  }

  /// Removes the folder with all files, after a run that failed.
  ///
  /// If the folder cannot be removed, its record has no verdict, which marks the run as unfinished.
  package func discard() {
    do { try FileManager.default.removeItem(atPath: folder.path) } catch { return }
  }

  /// Reopens the folder of an unfinished run.
  ///
  /// - Throws: a usage error that states the problem with the folder.
  package init(resuming path: String) throws(LabError) {
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

  /// Whether the run has ended with a verdict, even if it ended early.
  package var hasVerdict: Bool { record.verdict != nil }

  /// The run's command-line arguments, without the command itself.
  package var words: [String] { Array(record.commandLine.dropFirst()) }

  /// Creates the folder for temporary files.
  package func makeScratch() throws(LabError) -> ScratchFolder {
    try ScratchFolder(in: folder.path)
  }

  package var path: String { folder.path }

  /// The part of a split run that this run did; `nil` for a whole run.
  package var shard: Shard? { record.shard }

  /// The folder's path in printable form: relative if it is below the current folder.
  package var shownPath: String { RelativePath.shown(folder.path) }

  /// The folder's name, which is the last component of its path.
  package var name: String { folder.name }

  /// The machine, the versions, the seed and the start time of the run.
  package var environment: RunEnvironment { record.environment }

  /// Writes a text file into the folder.
  package func write(_ file: String, _ text: String) throws(LabError) {
    do throws(RunFolderError) { try folder.writeFile(file, text) } catch {
      throw .lab(error.description)
    }
  }

  /// Prints the paths of the run's folder and of its page.
  package func printPlace(on terminal: Terminal) {
    terminal.print("Run: \(shownPath)")
    terminal.print("Report: \(shownPath)/\(Self.pageFile)")
  }

  /// The name of the page that shows the results of the run.
  package static let pageFile = "index.html"

  /// Records the verdict of the run, and whether a signal ended the run early.
  package func finish(
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

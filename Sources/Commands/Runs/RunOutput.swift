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

  /// Creates the folder before the work starts, so that a missing folder cannot cause a loss of
  /// results.
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

  /// Creates the folder for results that other processes have produced, with the given record of the run.
  ///
  /// The link `latest` points to this run only after ``publish()``.
  ///
  /// - Throws: a usage error that names a folder which cannot be written, or a lab error when the
  ///   disk is full or fails.
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
  /// If the folder cannot be removed, its record still marks the run as unfinished: it has no verdict.
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
      throw .usage(
        "--resume: \(file.quoted) is not the record of a run: \(reason). Pass the folder of a run."
      )
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

  /// The part of the run that this process runs; `nil` if the run is not split over several processes.
  package var shard: Shard? { record.shard }

  /// The folder's path in printable form: relative if it is below the current folder.
  package var shownPath: String { RelativePath.shown(folder.path) }

  /// The folder's name, which is the last component of its path.
  package var name: String { folder.name }

  /// The machine, the versions, the seed and the start time of the run.
  package var environment: RunEnvironment { record.environment }

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

/// A JSON file in a run's folder, with a versioned format.
package protocol RunFile: Decodable {
  /// The document's name with an article, such as "a check".
  static var title: String { get }
  /// The name of the JSON field that contains the format version, which is read first.
  static var versionField: String { get }
  /// The newest version of the format that this build reads.
  static var formatVersion: Int { get }
}

/// Reads the JSON files of a run's folder.
package enum RunDocument {
  /// Reads the document in a file; returns `nil` if the file does not exist.
  ///
  /// - Throws: a usage error that names the file when it has another format or a newer version.
  package static func read<Document: RunFile>(_ path: String) throws(LabError) -> Document? {
    guard FilePath.state(of: path) == .file else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read. Check its permissions.")
    }
    if let reason = refusal(of: Document.self, data) { throw .usage(sentence(path, reason)) }
    do { return try JSONDecoder().decode(Document.self, from: data) } catch {
      throw .usage(sentence(path, DocumentFault.reason(of: error)))
    }
  }

  /// Returns an error message if this build cannot read the version of a run's `run.json`; else `nil`.
  package static func refusal(of folder: String) -> String? {
    let path = folder + "/run.json"
    guard let data = FileManager.default.contents(atPath: path),
      let reason = refusal(of: RunRecord.self, data)
    else { return nil }
    return sentence(path, reason)
  }

  /// Returns why the version in a file is not supported; `nil` if it is supported or the file has none.
  private static func refusal<Document: RunFile>(of: Document.Type, _ data: Data) -> String? {
    guard let fields = try? JSONDecoder().decode([String: Version].self, from: data),
      let found = fields[Document.versionField]?.number
    else { return nil }
    return FormatVersion.refusal(of: Document.title, found, newest: Document.formatVersion)
  }

  /// The value of a JSON field if it is a number, such as a format version; otherwise `nil`.
  private struct Version: Decodable {
    let number: Int?

    init(from decoder: any Decoder) throws {
      number = try? decoder.singleValueContainer().decode(Int.self)
    }
  }

  private static func sentence(_ path: String, _ reason: String) -> String {
    "\(path.quoted) cannot be read as a file of a run: \(reason)."
  }
}

extension RunRecord: RunFile {
  package static var title: String { "a run" }
  package static var versionField: String { "run" }
}

/// Finds the folders of runs.
package enum RunFolders {
  /// Returns the folder itself if it contains a run; otherwise all run folders below it.
  ///
  /// The folders are sorted by path. Symbolic links are not followed, so no run is found twice.
  ///
  /// The link `latest` becomes a folder if a program that packs or copies folders follows the link.
  /// A folder `latest` that is a copy of a run next to it is therefore left out.
  ///
  /// - Throws: A usage error if the folder does not exist or cannot be listed.
  package static func runs(in folder: String) throws(LabError) -> [String] {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    if FilePath.state(of: path + "/run.json") == .file { return [path] }
    guard FilePath.state(of: path) == .folder,
      let walker = FileManager.default.enumerator(atPath: path)
    else { throw .usage("the runs in \(folder.quoted) cannot be listed. Check its permissions.") }
    let files = walker.compactMap { $0 as? String }.filter { $0.hasSuffix("/run.json") }
    return withoutCopies(files.map { path + "/" + $0.dropLast("/run.json".count) }.sorted())
  }

  private static func withoutCopies(_ runs: [String]) -> [String] {
    runs.filter { run in
      guard name(of: run) == "latest" else { return true }
      let place = FilePath.parent(of: run)
      let record = FileManager.default.contents(atPath: run + "/run.json")
      // `latest` is in the folder of the runs, or next to it if that one is named `runs`.
      return !runs.contains { other in
        other != run && [place, place + "/runs"].contains(FilePath.parent(of: other))
          && FileManager.default.contents(atPath: other + "/run.json") == record
      }
    }
  }

  /// Returns the name of a run, which is its folder's name.
  package static func name(of folder: String) -> String {
    String(folder.split(separator: "/").last ?? "")
  }
}

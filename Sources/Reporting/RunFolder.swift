import Foundation
import Measuring

/// The folder of one run, with `run.json` from the start and everything else as it is made.
///
/// Nothing that exists is ever overwritten: a second run in the same second gets a number behind
/// its name. `latest` leads to the newest run.
package struct RunFolder: Sendable, Hashable {
  /// The folder.
  package let path: String
  /// The link to the newest run.
  package let latest: String

  /// Makes the folder of a run that begins now, points `latest` to it and writes `run.json`.
  ///
  /// Without an output the runs lie in `Reports/runs` under the current folder, and `latest` in
  /// `Reports`. An output that is named must exist, or the folder that it lies in must; `latest`
  /// lies within it, or beside it when it is named `runs`.
  ///
  /// - Throws: `RunFolderError`; then nothing was made but empty folders.
  package static func create(
    for record: RunRecord,
    output: String? = nil,
    currentFolder: String
  ) throws(RunFolderError) -> RunFolder {
    let runs = try runsFolder(output: output, currentFolder: currentFolder)
    let latest = isNamedRuns(runs) ? parent(of: runs) + "/latest" : runs + "/latest"
    try FolderAccess.checkLink(latest)
    let name = record.environment.time.compact + "-" + record.verb
    let path = try FolderAccess.makeNew(name, in: runs)
    let folder = RunFolder(path: path, latest: latest)
    try folder.write(record)
    let target = isNamedRuns(runs) ? "runs/" + folder.name : folder.name
    try FolderAccess.point(latest, to: target)
    return folder
  }

  /// The folder's name without the folders it lies in.
  package var name: String { String(path.split(separator: "/").last ?? "") }

  /// The path of a file within the folder.
  package func path(of file: String) -> String { path + "/" + file }

  /// Writes `run.json`, at the beginning and again when the verdict is known.
  ///
  /// - Throws: `RunFolderError`.
  package func write(_ record: RunRecord) throws(RunFolderError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do {
      let text = String(decoding: try encoder.encode(record), as: UTF8.self)
      try writeFile("run.json", text + "\n")
    } catch let error as RunFolderError {
      throw error
    } catch {
      throw RunFolderError(.cannotWrite, path: path(of: "run.json"), code: 0)
    }
  }

  /// Writes a text file of the run, whole or not at all.
  ///
  /// - Throws: `RunFolderError`.
  package func writeFile(_ file: String, _ text: String) throws(RunFolderError) {
    try FolderAccess.write(text, to: path(of: file))
  }

  private static func runsFolder(
    output: String?,
    currentFolder: String
  ) throws(RunFolderError) -> String {
    guard let output else {
      try FolderAccess.makeIfMissing(currentFolder + "/Reports")
      try FolderAccess.makeIfMissing(currentFolder + "/Reports/runs")
      return currentFolder + "/Reports/runs"
    }
    let absolute = output.hasPrefix("/") ? output : currentFolder + "/" + output
    let folder = "/" + absolute.split(separator: "/").joined(separator: "/")
    try FolderAccess.makeIfMissing(folder)
    return folder
  }

  private static func isNamedRuns(_ folder: String) -> Bool { folder.hasSuffix("/runs") }

  private static func parent(of folder: String) -> String {
    String(folder.dropLast("/runs".count))
  }
}

import Foundation
import Measuring

/// The folder of one run, which contains `run.json` from the start.
///
/// A new run never overwrites an earlier one: a second run within the same second gets a number
/// appended to its name. The link `latest` points to the newest run.
package struct RunFolder: Sendable, Hashable {
  /// The path of the folder.
  package let path: String
  /// The path of the link to the newest run.
  package let latest: String

  /// Creates the folder of a new run, writes `run.json` and points `latest` to the folder.
  ///
  /// Without an output, runs are in `Reports/runs` under the current folder, and `latest` is in
  /// `Reports`. A given output folder or its parent must exist; `latest` is within it, or next to
  /// it if it is named `runs`.
  ///
  /// - Throws: `RunFolderError`. Folders may have been created by then, and if only the link
  ///   failed, `run.json` as well.
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

  /// The folder's name without its parents.
  package var name: String { String(path.split(separator: "/").last ?? "") }

  /// Returns the path of a file in the folder.
  package func path(of file: String) -> String { path + "/" + file }

  /// Writes `run.json`, at the start and again when the verdict is known.
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

  /// Writes a text file of the run atomically.
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

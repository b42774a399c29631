import Foundation
import Measuring

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder of one run, which contains `run.json` from the start.
///
/// A new run never overwrites an earlier one: a second run within the same second gets a number
/// appended to its name. The link `latest` points to the newest run.
package struct RunFolder: Sendable, Hashable {
  package let path: String
  /// The path of the link to the newest run.
  package let latest: String

  /// Creates the folder of a new run, writes `run.json` and points `latest` to the folder.
  ///
  /// If `isLatest` is `false`, the link `latest` is not changed until ``makeLatest()`` is called.
  ///
  /// If `output` is `nil`, runs are in `Reports/runs` under the current folder, and `latest` is in
  /// `Reports`. Otherwise the output folder or its parent must exist; `latest` is in the output folder,
  /// or next to the output folder if that folder is named `runs`.
  ///
  /// - Throws: `RunFolderError`. Some folders may exist by then; if only the link failed, `run.json`
  ///   exists as well.
  package static func create(
    for record: RunRecord,
    output: String? = nil,
    currentFolder: String,
    isLatest: Bool = true
  ) throws(RunFolderError) -> RunFolder {
    let runs = try runsFolder(output: output, currentFolder: currentFolder)
    let latest = isNamedRuns(runs) ? parent(of: runs) + "/latest" : runs + "/latest"
    try FolderAccess.checkLink(latest)
    let name = record.environment.time.compact + "-" + record.verb
    let path = try FolderAccess.makeNew(name, in: runs)
    let folder = RunFolder(path: path, latest: latest)
    try folder.write(record)
    if isLatest { try folder.makeLatest() }
    return folder
  }

  /// Points the link `latest` to this folder.
  ///
  /// - Throws: `RunFolderError`.
  package func makeLatest() throws(RunFolderError) {
    let isInRuns = Self.isNamedRuns(FolderAccess.parent(of: path))
    try FolderAccess.point(latest, to: isInRuns ? "runs/" + name : name)
  }

  /// The folder's name without its parents.
  package var name: String { String(path.split(separator: "/").last ?? "") }

  /// Returns the path of a file in the folder.
  package func path(of file: String) -> String { path + "/" + file }

  /// Writes `run.json`; called at the start of the run and again when the verdict is known.
  ///
  /// - Throws: `RunFolderError`.
  package func write(_ record: RunRecord) throws(RunFolderError) {
    do {
      try writeFile("run.json", try JSONText.of(record) + "\n")
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

extension RunFolder {
  /// Opens the folder of an interrupted run; the folder must exist.
  package init(resuming path: String) {
    let whole = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let runs = FolderAccess.parent(of: whole)
    let parent = runs.hasSuffix("/runs") ? FolderAccess.parent(of: runs) : runs
    self.init(path: whole, latest: parent + "/latest")
  }
}

/// An error while creating the folder of a run or a file in it.
package struct RunFolderError: Error, Hashable, CustomStringConvertible {
  /// The operation that failed.
  package enum Attempt: String, Sendable, Hashable {
    case cannotMakeFolder = "cannot make the folder"
    case cannotWrite = "cannot write"
    /// The link to the newest run could not be changed.
    case cannotLink = "cannot update the link"
    /// A file or folder is in the place of the link to the newest run, and is not replaced.
    case notALink = "will not replace"
  }

  /// The operation that failed.
  package var attempt: Attempt
  /// The path of the folder, file or link.
  package var path: String
  /// The error number of the operating system (`errno`); 0 if no system call failed.
  package var code: Int32
  /// The option that chooses another folder, which ``description`` suggests; by default `--output`.
  package var option = "--output"

  package init(_ attempt: Attempt, path: String, code: Int32) {
    self.attempt = attempt
    self.path = path
    self.code = code
  }

  /// The operation, the path, the reason and a suggestion as one line of text.
  package var description: String { "\(attempt.rawValue) \(path): \(reason); \(advice)" }

  /// Whether another folder could avoid the error; `false` for a full or failing disk.
  package var isOfFolder: Bool {
    attempt == .notALink
      || [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EEXIST, ENAMETOOLONG].contains(code)
  }

  private var reason: String {
    if attempt == .notALink { return "it is not a link" }
    switch code {
    case EACCES, EPERM: return "you may not write there"
    case EROFS: return "the disk is mounted read-only"
    case ENOENT: return "its parent folder does not exist"
    case ENOTDIR, EEXIST: return "a file is in the way"
    case ENOSPC, EDQUOT: return "the disk is full"
    case ENAMETOOLONG: return "the name is too long"
    case 0: return "its content cannot be encoded"
    default: return String(cString: strerror(code))
    }
  }

  private var advice: String {
    if attempt == .notALink { return "move it away, or choose another folder with \(option)" }
    switch code {
    case EACCES, EPERM, EROFS: return "choose a folder that you may write to with \(option)"
    case ENOENT: return "make that folder first, or choose another with \(option)"
    case ENOSPC, EDQUOT: return "free some space, or choose a folder on another disk with \(option)"
    default: return "choose another folder with \(option)"
    }
  }
}

/// File-system operations of a run; their errors contain the system's error number (`errno`).
package enum FolderAccess {
  /// Creates a folder unless it exists; its parent folder must exist.
  static func makeIfMissing(_ path: String) throws(RunFolderError) {
    let isMade = mkdir(path, 0o777) == 0
    let code = errno
    if isMade || isFolder(path) { return }
    throw RunFolderError(.cannotMakeFolder, path: path, code: cause(code, of: path))
  }

  /// Returns the path of the parent folder of a path.
  ///
  /// The result is empty if the path is a single relative name.
  ///
  /// Foundation's `deletingLastPathComponent` is not used, because in Swift 6.3 for Linux it crashes
  /// for a name of one letter.
  package static func parent(of path: String) -> String {
    var name = path[...]
    while name.count > 1, name.last == "/" { name.removeLast() }
    guard let slash = name.lastIndex(of: "/") else { return "" }
    var parent = name[..<slash]
    while parent.last == "/" { parent.removeLast() }
    return parent.isEmpty ? "/" : String(parent)
  }

  /// Creates a folder and its parent folders, unless they exist.
  package static func makeWithParents(_ path: String) throws(RunFolderError) {
    let parent = parent(of: path)
    if !parent.isEmpty, !isFolder(parent) { try makeWithParents(parent) }
    try makeIfMissing(path)
  }

  /// Returns a failure's error number, but `EPERM` instead of `ENOENT` if the parent folder exists.
  ///
  /// Parent folders such as /proc exist, but creating a folder in them fails with `ENOENT`.
  private static func cause(_ code: Int32, of path: String) -> Int32 {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return code == ENOENT && isFolder(folder) ? EPERM : code
  }

  /// Creates a new folder; if the name is in use, a number is appended to the name.
  static func makeNew(_ name: String, in folder: String) throws(RunFolderError) -> String {
    var number = 1
    while true {
      let path = folder + "/" + name + (number == 1 ? "" : "-\(number)")
      if mkdir(path, 0o777) == 0 { return path }
      let code = errno
      guard code == EEXIST else {
        throw RunFolderError(.cannotMakeFolder, path: path, code: cause(code, of: path))
      }
      number += 1
    }
  }

  /// Throws if the path exists and is not a symbolic link.
  static func checkLink(_ path: String) throws(RunFolderError) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFLNK else { return }
    throw RunFolderError(.notALink, path: path, code: 0)
  }

  /// Points a symbolic link to a target, or creates the link; the replacement is atomic.
  static func point(_ link: String, to target: String) throws(RunFolderError) {
    let fresh = temporaryName(of: link)
    guard symlink(target, fresh) == 0 else {
      throw RunFolderError(.cannotLink, path: link, code: errno)
    }
    guard rename(fresh, link) == 0 else {
      let code = errno
      unlink(fresh)
      throw RunFolderError(.cannotLink, path: link, code: code)
    }
  }

  /// Returns a name next to a path, for a temporary file that no other process uses.
  ///
  /// The process ID alone is not unique: processes on other nodes or in other containers may have the
  /// same ID.
  static func temporaryName(of path: String) -> String {
    let random = UInt64.random(in: .min ... .max)
    return "\(path).\(getpid())-\(String(random, radix: 36))"
  }

  /// Writes a file under a temporary name, then renames the file to its final path.
  package static func write(_ text: String, to path: String) throws(RunFolderError) {
    let fresh = temporaryName(of: path)
    guard let file = fopen(fresh, "wx") else {
      throw RunFolderError(.cannotWrite, path: path, code: cause(errno, of: path))
    }
    let bytes = Array(text.utf8)
    let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
    let writeCode = errno
    let isClosed = fclose(file) == 0
    let closeCode = errno
    if isWritten && isClosed && rename(fresh, path) == 0 { return }
    let code = !isWritten ? writeCode : !isClosed ? closeCode : errno
    unlink(fresh)
    throw RunFolderError(.cannotWrite, path: path, code: code)
  }

  private static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }
}

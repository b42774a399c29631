#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// File-system operations of a run, with the error number of each failure.
enum FolderAccess {
  /// Creates a folder unless it exists; its parent folder must exist.
  static func makeIfMissing(_ path: String) throws(RunFolderError) {
    let isMade = mkdir(path, 0o777) == 0
    let code = errno
    if isMade || isFolder(path) { return }
    throw RunFolderError(.cannotMakeFolder, path: path, code: cause(code, of: path))
  }

  /// Returns the error number of a failure, corrected to `EPERM` for folders such as /proc.
  ///
  /// Such a folder exists, but creating a folder in it fails with `ENOENT`.
  private static func cause(_ code: Int32, of path: String) -> Int32 {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return code == ENOENT && isFolder(folder) ? EPERM : code
  }

  /// Creates a new folder, with a number appended to its name if the name is in use.
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

  /// Throws unless the path is a symbolic link or does not exist.
  static func checkLink(_ path: String) throws(RunFolderError) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFLNK else { return }
    throw RunFolderError(.notALink, path: path, code: 0)
  }

  /// Points a new or existing symbolic link to a target; the replacement is atomic.
  static func point(_ link: String, to target: String) throws(RunFolderError) {
    let fresh = "\(link).\(getpid())"
    guard symlink(target, fresh) == 0 else {
      throw RunFolderError(.cannotLink, path: link, code: errno)
    }
    guard rename(fresh, link) == 0 else {
      let code = errno
      unlink(fresh)
      throw RunFolderError(.cannotLink, path: link, code: code)
    }
  }

  /// Writes a file under a temporary name and moves it into place.
  static func write(_ text: String, to path: String) throws(RunFolderError) {
    let fresh = "\(path).\(getpid())"
    guard let file = fopen(fresh, "wx") else {
      throw RunFolderError(.cannotWrite, path: path, code: errno)
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

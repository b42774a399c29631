#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The few things that a run does to the file system, each with the error number that it met.
enum FolderAccess {
  /// Makes a folder unless it is there; the folder that it lies in must exist.
  static func makeIfMissing(_ path: String) throws(RunFolderError) {
    let isMade = mkdir(path, 0o777) == 0
    let code = errno
    if isMade || isFolder(path) { return }
    throw RunFolderError(.cannotMakeFolder, path: path, code: cause(code, of: path))
  }

  /// The cause of a failure: a folder such as /proc is there, and answers that it is not.
  private static func cause(_ code: Int32, of path: String) -> Int32 {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return code == ENOENT && isFolder(folder) ? EPERM : code
  }

  /// Makes a folder that was not there before, with a number behind its name if need be.
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

  /// Makes sure that nothing but a link would be replaced.
  static func checkLink(_ path: String) throws(RunFolderError) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFLNK else { return }
    throw RunFolderError(.notALink, path: path, code: 0)
  }

  /// Points a link, new or old, to a target; there is no moment without it.
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

  /// Writes a file under another name and moves it into place.
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

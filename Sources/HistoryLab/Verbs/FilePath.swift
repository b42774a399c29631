#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Looks at a path that a command line names before any work is begun.
enum FilePath {
  /// What lies at a path.
  enum State: Equatable {
    case absent
    case folder
    /// A file, or what can be read like one.
    case file
    /// It cannot be looked at, for the reason that the system gives.
    case unreachable(String)
  }

  /// What lies at a path, links followed.
  static func state(of path: String) -> State {
    var information = stat()
    guard stat(path, &information) == 0 else {
      let code = errno
      return code == ENOENT || code == ENOTDIR
        ? .absent : .unreachable(String(cString: strerror(code)))
    }
    return information.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }

  /// Makes sure that a file is there and can be read.
  ///
  /// - Throws: a usage error that says what lies there instead.
  static func checkReadable(_ path: String, for name: String? = nil) throws(LabError) {
    let prefix = name.map { "\($0): " } ?? ""
    switch state(of: path) {
    case .absent: throw .usage("\(prefix)there is no file \(path.quoted).")
    case .folder: throw .usage("\(prefix)\(path.quoted) is a folder, not a file.")
    case .unreachable(let reason):
      throw .usage("\(prefix)\(path.quoted) cannot be reached: \(reason).")
    case .file: break
    }
    guard access(path, R_OK) == 0 else {
      let reason = String(cString: strerror(errno))
      throw .usage("\(prefix)\(path.quoted) cannot be read: \(reason).")
    }
  }

  /// Makes sure that a folder is there or can be made, and that files can be made in it.
  ///
  /// - Throws: a usage error that names the folder that stands in the way.
  static func checkWritableFolder(_ path: String, for name: String) throws(LabError) {
    var folder = path
    while state(of: folder) == .absent, parent(of: folder) != folder {
      folder = parent(of: folder)
    }
    switch state(of: folder) {
    case .file: throw .usage("\(name): \(folder.quoted) is a file, not a folder.")
    case .unreachable(let reason):
      throw .usage("\(name): \(folder.quoted) cannot be reached: \(reason).")
    case .absent, .folder: break
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      let reason = String(cString: strerror(errno))
      throw .usage("\(name): the folder \(folder.quoted) cannot be written: \(reason).")
    }
  }

  /// Makes sure that a file can be made at a path, or written anew if it is there; the folder that it
  /// lies in must be there, for no verb makes it.
  ///
  /// - Throws: a usage error that says what stands in the way.
  static func checkWritableFile(_ path: String, for name: String) throws(LabError) {
    switch state(of: path) {
    case .folder: throw .usage("\(name): \(path.quoted) is a folder, not a file.")
    case .unreachable(let reason):
      throw .usage("\(name): \(path.quoted) cannot be reached: \(reason).")
    case .absent:
      let folder = parent(of: path)
      guard state(of: folder) != .absent else {
        throw .usage("\(name): there is no folder \(folder.quoted).")
      }
      try checkWritableFolder(folder, for: name)
    case .file:
      guard access(path, W_OK) == 0 else {
        let reason = String(cString: strerror(errno))
        throw .usage("\(name): \(path.quoted) cannot be written: \(reason).")
      }
    }
  }

  /// The path without its last part.
  static func parent(of path: String) -> String {
    let trimmed = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }
}

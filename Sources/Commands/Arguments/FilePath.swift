import Basics

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Checks of the paths in a command line, made before the work starts.
package enum FilePath {
  /// The kind of item at a path.
  package enum State: Equatable {
    case absent
    case folder
    /// A file, or another item that can be read like a file.
    case file
    /// An item that cannot be examined; the text is the operating system's reason.
    case unreachable(String)
  }

  /// Returns whether a system's name is the path of a design file, which ends in `.json`.
  package static func isDesign(_ name: String) -> Bool { name.hasSuffix(".json") }

  /// Returns the kind of item at a path, after following symbolic links.
  package static func state(of path: String) -> State {
    var information = stat()
    guard stat(path, &information) == 0 else {
      let code = errno
      return code == ENOENT || code == ENOTDIR
        ? .absent : .unreachable(String(cString: strerror(code)))
    }
    return information.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }

  /// Checks that a file exists and can be read.
  ///
  /// - Throws: A usage error that names the problem.
  package static func checkReadable(_ path: String, for name: String? = nil) throws(LabError) {
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

  /// Checks that a folder exists or can be created, and that files can be created in it.
  ///
  /// - Throws: A usage error that names the folder with the problem.
  package static func checkWritableFolder(_ path: String, for name: String) throws(LabError) {
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

  /// Checks that a file can be created or overwritten at a path.
  ///
  /// The parent folder must exist, because no verb creates it.
  ///
  /// - Throws: A usage error that names the problem.
  package static func checkWritableFile(_ path: String, for name: String) throws(LabError) {
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

  /// Returns the path without its last component.
  package static func parent(of path: String) -> String {
    let trimmed = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }
}

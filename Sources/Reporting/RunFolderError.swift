#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An error while creating the folder of a run or a file in it.
package struct RunFolderError: Error, Hashable, CustomStringConvertible {
  /// The operation that failed.
  package enum Attempt: String, Sendable, Hashable {
    /// Creating a folder.
    case cannotMakeFolder = "cannot make the folder"
    /// Writing a file.
    case cannotWrite = "cannot write"
    /// Pointing the link to the newest run.
    case cannotLink = "cannot point the link"
    /// Replacing a file or folder that is not a link.
    case notALink = "will not replace"
  }

  /// The operation that failed.
  package var attempt: Attempt
  /// The path of the folder, file or link.
  package var path: String
  /// The error number of the operating system (`errno`), or 0 if no system call failed.
  package var code: Int32

  /// Creates an error.
  package init(_ attempt: Attempt, path: String, code: Int32) {
    self.attempt = attempt
    self.path = path
    self.code = code
  }

  /// The operation, the path, the reason and a suggestion as one line of text.
  package var description: String { "\(attempt.rawValue) \(path): \(reason); \(advice)" }

  /// Whether another folder could help, unlike with a full or failing disk.
  package var isOfFolder: Bool {
    attempt == .notALink
      || [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EEXIST, ENAMETOOLONG].contains(code)
  }

  private var reason: String {
    if attempt == .notALink { return "it is not a link" }
    switch code {
    case EACCES, EPERM: return "you may not write there"
    case EROFS: return "the disk is mounted read-only"
    case ENOENT: return "the folder that it lies in does not exist"
    case ENOTDIR, EEXIST: return "a file is in the way"
    case ENOSPC, EDQUOT: return "the disk is full"
    case ENAMETOOLONG: return "the name is too long"
    case 0: return "its content cannot be encoded"
    default: return String(cString: strerror(code))
    }
  }

  private var advice: String {
    if attempt == .notALink { return "move it away, or name another folder with --output" }
    switch code {
    case EACCES, EPERM, EROFS: return "name a folder that you may write to with --output"
    case ENOENT: return "make that folder first, or name another with --output"
    case ENOSPC, EDQUOT: return "make room, or name a folder on another disk with --output"
    default: return "name another folder with --output"
    }
  }
}

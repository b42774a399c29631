#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why the folder of a run, or a file in it, could not be made.
package struct RunFolderError: Error, Hashable, CustomStringConvertible {
  /// What was tried.
  package enum Attempt: String, Sendable, Hashable {
    /// To make a folder.
    case cannotMakeFolder = "cannot make the folder"
    /// To write a file.
    case cannotWrite = "cannot write"
    /// To point the link to the newest run.
    case cannotLink = "cannot point the link"
    /// To replace something that is not ours.
    case notALink = "will not replace"
  }

  /// What was tried.
  package var attempt: Attempt
  /// The folder, file or link.
  package var path: String
  /// What the operating system answered (`errno`); 0 when it was not asked.
  package var code: Int32

  /// Makes an error.
  package init(_ attempt: Attempt, path: String, code: Int32) {
    self.attempt = attempt
    self.path = path
    self.code = code
  }

  /// Says what happened, where, and what to try.
  package var description: String { "\(attempt.rawValue) \(path): \(reason); \(advice)" }

  /// Whether another folder would do, as opposed to a disk that is full or fails.
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

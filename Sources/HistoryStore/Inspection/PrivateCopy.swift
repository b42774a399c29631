import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A copy of a database file and its logs in a folder that only this user can access.
///
/// The folder is removed when the value goes out of scope.
struct PrivateCopy: ~Copyable {
  private let folder: String

  /// The path of the copied file.
  var path: String { folder + "/copy" }

  /// Copies the file and its logs.
  ///
  /// - Throws: ``InspectionError/cannotCopy(path:folder:reason:)``; the folder is then removed.
  init(
    of path: String,
    in temporaryFolder: String,
    _ stopCheck: Connection.StopCheck? = nil
  ) throws(InspectionError) {
    var template = Array((temporaryFolder + "/history-lab-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .cannotCopy(path: path, folder: temporaryFolder, reason: FileCopy.lastReason)
    }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for suffix in [""] + FileState.logSuffixes {
      if let reason = FileCopy.copy(path + suffix, to: folder + "/copy" + suffix, stopCheck) {
        // A log may have been deleted by now; the file itself must exist.
        if reason.isAbsent && !suffix.isEmpty { continue }
        Self.remove(folder)
        throw .cannotCopy(path: path, folder: temporaryFolder, reason: reason.words)
      }
    }
    self.folder = folder
  }

  deinit { Self.remove(folder) }

  private static func remove(_ folder: String) {
    for suffix in ["", "-shm"] + FileState.logSuffixes { unlink(folder + "/copy" + suffix) }
    rmdir(folder)
  }
}

/// Copies the bytes of one file into a new one.
private enum FileCopy {
  struct Failure {
    let words: String
    let isAbsent: Bool
  }

  static var lastReason: String { String(cString: strerror(errno)) }

  /// Copies a file; returns the failure, or `nil` on success.
  static func copy(
    _ source: String,
    to target: String,
    _ stopCheck: Connection.StopCheck? = nil
  ) -> Failure? {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return failure }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { return failure }
    defer { close(output) }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while true {
        let count = read(input, buffer.baseAddress, buffer.count)
        if count == 0 { return nil }
        guard count > 0 else { return failure }
        guard write(all: buffer[..<count], to: output) else { return failure }
        if let stopCheck, stopCheck(nil) != 0 {
          return Failure(words: "it was stopped", isAbsent: false)
        }
      }
    }
  }

  private static func write(all bytes: Slice<UnsafeMutableRawBufferPointer>, to file: Int32) -> Bool
  {
    var rest = UnsafeRawBufferPointer(rebasing: bytes)
    while !rest.isEmpty {
      #if canImport(Darwin)
      let count = Darwin.write(file, rest.baseAddress, rest.count)
      #elseif canImport(Musl)
      let count = Musl.write(file, rest.baseAddress, rest.count)
      #else
      let count = Glibc.write(file, rest.baseAddress, rest.count)
      #endif
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }

  private static var failure: Failure { Failure(words: lastReason, isAbsent: errno == ENOENT) }
}

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes files atomically, so that readers on a shared folder never see a partial file, not even after
/// the power was lost.
enum Files {
  /// Creates a JSON file; returns `false`, without writing, if the file exists.
  ///
  /// The file is written under a temporary name and then linked, which is atomic even on network
  /// file systems (open(2), O_EXCL).
  static func create(_ path: String, _ value: some Encodable) throws(CampaignError) -> Bool {
    let fresh = try write(value, beside: path)
    defer { unlink(fresh) }
    if link(fresh, path) == 0 { return true }
    let code = errno
    if code == EEXIST { return false }
    throw failure("cannot write \"\(path)\"", code)
  }

  /// Replaces a JSON file, or creates it.
  static func replace(_ path: String, _ value: some Encodable) throws(CampaignError) {
    let fresh = try write(value, beside: path)
    try move(fresh, to: path)
  }

  /// Replaces a text file, or creates it.
  static func replace(_ path: String, text: String) throws(CampaignError) {
    try move(try write(Data(text.utf8), beside: path), to: path)
  }

  private static func move(_ fresh: String, to path: String) throws(CampaignError) {
    guard rename(fresh, path) == 0 else {
      let code = errno
      unlink(fresh)
      throw failure("cannot write \"\(path)\"", code)
    }
  }

  private static func write(
    _ value: some Encodable,
    beside path: String
  ) throws(CampaignError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do { data = try encoder.encode(value) } catch { throw .failed("\"\(path)\": \(error)") }
    return try write(data + Data("\n".utf8), beside: path)
  }

  /// Writes a file under a temporary name, and returns the name.
  private static func write(_ data: Data, beside path: String) throws(CampaignError) -> String {
    let fresh = temporaryName(beside: path)
    do { try data.write(to: URL(fileURLWithPath: fresh)) } catch {
      let reason = (error as? CocoaError)?.underlying as? POSIXError
      unlink(fresh)
      throw failure("cannot write \"\(path)\"", reason?.code.rawValue ?? EIO)
    }
    let code = sync(fresh)
    guard code == 0 else {
      unlink(fresh)
      throw failure("cannot write \"\(path)\"", code)
    }
    return fresh
  }

  /// Writes a file's content to the disk, so that its final name never leads to an empty file.
  ///
  /// - Returns: 0, or the code of the error.
  private static func sync(_ path: String) -> Int32 {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return errno }
    defer { close(file) }
    guard fsync(file) != 0 else { return 0 }
    let code = errno
    // Some network file systems have no such call.
    return [EINVAL, ENOSYS, ENOTSUP].contains(code) ? 0 : code
  }

  /// Reads a JSON file; `nil` if there is none.
  ///
  /// The error for a damaged file ends with `remedy`.
  static func read<Value: Decodable>(
    _ path: String,
    ifDamaged remedy: String = "Remove it."
  ) throws(CampaignError) -> Value? {
    guard let data = FileManager.default.contents(atPath: path) else {
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      throw .failed("\"\(path)\" cannot be read. Check its permissions.")
    }
    do { return try JSONDecoder().decode(Value.self, from: data) } catch {
      throw .usage("\"\(path)\" is damaged: it is not in the format of a campaign. \(remedy)")
    }
  }

  /// Returns the names in a folder, sorted; temporary ones are left out, and a missing folder is empty.
  static func names(in folder: String) throws(CampaignError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      guard FileManager.default.fileExists(atPath: folder) else { return [] }
      throw .failed("\"\(folder)\" cannot be listed: \(error.localizedDescription).")
    }
  }

  /// Creates a folder unless it exists.
  static func makeFolder(_ path: String) throws(CampaignError) {
    guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
    throw failure("cannot make the folder \"\(path)\"", errno)
  }

  /// Moves a folder to a path; returns `false`, without moving it, if the path exists.
  static func moveFolder(_ folder: String, to path: String) throws(CampaignError) -> Bool {
    if rename(folder, path) == 0 { return true }
    let code = errno
    if code == EEXIST || code == ENOTEMPTY { return false }
    throw failure("cannot move a folder to \"\(path)\"", code)
  }

  /// Removes a folder with all its files.
  static func removeFolder(_ path: String) {
    do { try FileManager.default.removeItem(atPath: path) } catch { return }
  }

  private static func failure(_ what: String, _ code: Int32) -> CampaignError {
    let remedy =
      switch code {
      case ENOSPC, EDQUOT: " Free some space; the files already written are kept."
      case EROFS, EACCES, EPERM: " Make it writable for this user, or name another folder."
      default: ""
      }
    return .failed("\(what): \(String(cString: strerror(code))).\(remedy)")
  }

  /// Returns a name that no process on any machine uses, and that ``names(in:)`` leaves out.
  private static func temporaryName(beside path: String) -> String {
    let url = URL(fileURLWithPath: path)
    return url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).\(UUID().uuidString)"
  }
}

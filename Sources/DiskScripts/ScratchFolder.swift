import HistoryStore
import HistoryTypes
import SQLiteStorage
package import Traces

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A temporary folder in the platform's own file system, which is removed with the value.
///
/// The folder contains the stores of requests that need real files: signal files, lock files of
/// members, or copies.
package struct ScratchFolder: ~Copyable {
  let path: String

  /// Creates an empty folder that only its owner can read.
  package init() throws(SystemFailure) {
    let place = Self.place
    var template = Array("\(place)/history-plan-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemFailure(
        .io,
        "No folder could be created in \(place). Check that it exists, is writable and has free space."
      )
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The parent folder: a RAM-backed file system if there is one, because disk syncs are slow.
  private static let place: String = {
    if let chosen = getenv("TMPDIR") { return String(cString: chosen) }
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
  }()

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The names of the files in the folder, sorted.
  var names: [String] {
    guard let entries = opendir(path) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ text: String, to name: String) {
    let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }

  /// Returns the first bytes of a file as text; `nil` if it is missing.
  func text(of name: String) -> String? {
    let descriptor = open(file(name), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  func permissions(of name: String) -> Int? {
    var status = stat()
    return stat(file(name), &status) == 0 ? Int(status.st_mode) & 0o777 : nil
  }

  /// Copies a file, and overwrites four bytes of the copy at `offset` with a big-endian number.
  func copy(_ name: String, to other: String, setting number: UInt32, at offset: Int) {
    let input = open(file(name), O_RDONLY | O_CLOEXEC)
    let output = open(file(other), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer {
      close(input)
      close(output)
    }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var place = 0
    while true {
      let count = pread(input, &bytes, bytes.count, off_t(place))
      guard count > 0 else { break }
      _ = pwrite(output, bytes, count, off_t(place))
      place += count
    }
    var bigEndian = number.bigEndian
    _ = pwrite(output, &bigEndian, 4, off_t(offset))
  }

  func remove(_ name: String) { unlink(file(name)) }

  /// Sets a file's permissions to `0o600`, which they are already: watchers of the file get an event.
  func touch(_ name: String) { chmod(file(name), 0o600) }

  func overwrite(_ name: String, with byte: UInt8, count: Int, at offset: Int) {
    let descriptor = open(file(name), O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    _ = pwrite(descriptor, Array(repeating: byte, count: count), count, off_t(offset))
  }

  /// The number of open file handles of this process in the folder; 0 if the platform cannot count them.
  var openCount: Int {
    guard let entries = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(entries) }
    var (count, target) = (0, [UInt8](repeating: 0, count: 4096))
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let length = target.withUnsafeMutableBytes { bytes in
        bytes.bindMemory(to: CChar.self).baseAddress.map {
          readlink("/proc/self/fd/\(name)", $0, bytes.count)
        } ?? 0
      }
      guard length > 0 else { continue }
      if String(decoding: target[..<length], as: UTF8.self).hasPrefix("\(path)/") { count += 1 }
    }
    return count
  }
}

/// Suspends the thread.
func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

/// A store's file, opened with plain SQLite to change or damage the file as another program would.
struct RawFile: ~Copyable {
  private let connection: Connection

  init(_ path: String) throws(HistoryError) {
    var options = ConnectionOptions()
    options.access = .readWrite
    do { connection = try Connection(path: path, options) } catch { throw HistoryError(error) }
  }

  /// Runs statements that return no rows.
  func run(_ sql: String) throws(HistoryError) {
    do { try connection.execute(sql) } catch { throw HistoryError(error) }
  }

  /// Returns the number in the first row of a query; `nil` if the query returns no row.
  func number(_ sql: String) throws(HistoryError) -> Int64? {
    do { return try connection.integer(sql) } catch { throw HistoryError(error) }
  }
}

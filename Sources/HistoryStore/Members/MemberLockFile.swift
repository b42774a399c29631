import PersistentHistory

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that one process keeps locked while a member runs in it.
///
/// The lock belongs to the open file (`flock`), not to the process: two trackers of one process
/// exclude each other as two processes do, the kernel releases it with the process, and closing
/// another descriptor does not. A separate file is needed because SQLite's locks on the store end
/// when any descriptor of the store's file is closed (https://sqlite.org/howtocorrupt.html, section
/// 2.2).
enum MemberLockFile {
  /// The text between a store's path and a member's name.
  static let infix = "-member-"

  /// Returns the path of a member's file; names that differ in case differ on every file system.
  static func path(of member: ActorID, besides store: String) -> String {
    let name = member.name.utf8.map(escaped).joined()
    let limit = 100
    let end =
      name.utf8.count <= limit ? name : name.prefix(limit) + "-" + String(hash(member), radix: 16)
    return store + infix + end
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch UnicodeScalar(byte) {
    case "a"..."z", "0"..."9", "_": String(UnicodeScalar(byte))
    default: "%" + String(256 + Int(byte), radix: 16).dropFirst()
    }
  }

  /// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
  private static func hash(_ member: ActorID) -> UInt64 {
    member.name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Creates and locks a file; the answer is `unknown` where that is impossible.
  static func take(_ path: String) -> MemberLocks.Answer {
    // The owner deletes the file on release: a file that was opened before that does not count.
    for _ in 0..<100 {
      let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { return .unknown }
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        defer { close(file) }
        return errno == EWOULDBLOCK ? .taken(processID: owner(file)) : .unknown
      }
      if isThere(file, path) {
        write(getpid(), file)
        return .held(MemberHold { letGo(file, path) })
      }
      close(file)
    }
    return .unknown
  }

  /// Deletes the file before releasing the lock, so that no file remains next to the store.
  private static func letGo(_ file: Int32, _ path: String) {
    unlink(path)
    close(file)
  }

  private static func isThere(_ file: Int32, _ path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(file, &opened) == 0 && stat(path, &named) == 0
      && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  private static func write(_ process: Int32, _ file: Int32) {
    let text = Array("\(process)\n".utf8)
    _ = ftruncate(file, 0)
    _ = pwrite(file, text, text.count, 0)
  }

  private static func owner(_ file: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(file, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
  }

  /// Deletes the files that crashed processes left next to a store.
  static func removeAll(besides store: String) {
    let slash = store.lastIndex(of: "/")
    let folder = slash.map { String(store[...$0]) } ?? "./"
    let beginning = (slash.map { store[store.index(after: $0)...] } ?? store[...]) + infix
    guard let entries = opendir(folder) else { return }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(beginning) { unlink(folder + name) }
    }
  }
}

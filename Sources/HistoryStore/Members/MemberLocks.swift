package import HistoryTypes
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A method of detecting whether a member is already running, in this process or another.
///
/// The launch of a running member fails with ``HistoryError/Code/inUse``. If the method cannot
/// detect a running member, a later launch supersedes the earlier one: calls with the earlier
/// launch's ``Registration`` then fail.
public struct MemberLocks: Sendable {
  /// The outcome of an attempt to mark a member as running.
  package enum Answer: Sendable {
    /// The member was not running; it now counts as running while the associated object exists.
    case held(MemberHold)
    /// The member is running, in the process with this ID if it is known.
    case taken(processID: Int32?)
    /// Whether the member is running is unknown, and it is not marked as running.
    case unknown
  }

  /// Tries to mark a member as running.
  package let take: @Sendable (_ member: MemberID, _ store: Store) -> Answer

  package init(_ take: @escaping @Sendable (_ member: MemberID, _ store: Store) -> Answer) {
    self.take = take
  }

  /// Locks a file for each running member, next to the store.
  ///
  /// The file's name is the store's with `-member-` and the member's name appended. The member's
  /// process keeps the file locked until the process ends in any way. A store with a custom SQLite
  /// VFS has no lock files: the method then detects no running member.
  public static let files = MemberLocks { member, store in
    guard store.configuration.vfs == nil, !store.filePath.isEmpty else { return .unknown }
    return MemberLockFile.take(MemberLockFile.path(of: member, nextTo: store.filePath))
  }

  /// The default of a store: ``files``, or ``none`` on iOS, tvOS, watchOS and visionOS.
  ///
  /// Those systems terminate a suspended process that keeps a lock on a file of a shared container
  /// (0xdead10cc, https://developer.apple.com/documentation/xcode/sigkill).
  public static var standard: MemberLocks {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    none
    #else
    files
    #endif
  }

  /// Never detects a running member: the answer is always `unknown`.
  public static let none = MemberLocks { _, _ in .unknown }

  /// Marks running members in an in-memory table, for processes simulated in one real process.
  package static func inMemory(_ table: MemberLockTable = MemberLockTable()) -> MemberLocks {
    MemberLocks { member, store in table.take("\(store.filePath)\u{0}\(member)") }
  }
}

/// An object that owns the lock that marks a member as running.
///
/// The lock is released with the last reference to the object, or earlier by ``letGo()``.
package final class MemberHold: @unchecked Sendable {
  private let lock = ConnectionLock()
  // This property is accessed only while the lock is held; `nil` while the store is suspended.
  private var release: (@Sendable () -> Void)?

  package init(release: @escaping @Sendable () -> Void) { self.release = release }

  /// Creates an object without a lock for a suspended store; the member is not marked as running.
  init() {}

  deinit { letGo() }

  /// Whether the member is marked as running.
  var isHeld: Bool { lock.withLock { release != nil } }

  /// Stops marking the member as running, until ``take(over:)`` is called.
  func letGo() {
    lock.withLock {
      release?()
      release = nil
    }
  }

  /// Moves the lock of another object to this one, which then marks the member as running.
  func take(over other: MemberHold) {
    let taken = other.lock.withLock {
      defer { other.release = nil }
      return other.release
    }
    lock.withLock { release = taken }
  }
}

/// The locks that mark members as running through one ``Store`` object.
final class MemberHolds: @unchecked Sendable {
  private struct Entry {
    let member: MemberID
    weak var hold: MemberHold?
  }

  private let lock = ConnectionLock()
  // These properties are accessed only while the lock is held.
  private var entries: [Entry] = []
  private var isReleased = false

  /// Tries to mark a member as running; in a suspended store, returns an object without a lock.
  func add(
    _ member: MemberID,
    _ take: () -> MemberLocks.Answer
  ) -> MemberLocks.Answer {
    lock.withLock {
      let answer = isReleased ? .held(MemberHold()) : take()
      guard case .held(let hold) = answer else { return answer }
      entries.removeAll { $0.hold == nil }
      entries.append(Entry(member: member, hold: hold))
      return answer
    }
  }

  /// Releases the locks of all members, until ``take(_:)`` is called.
  func release() {
    lock.withLock {
      isReleased = true
      for entry in entries { entry.hold?.letGo() }
    }
  }

  /// Locks each member again after a suspension.
  ///
  /// A member that meanwhile runs elsewhere, and a member that cannot be locked, stay unlocked.
  func take(_ take: (MemberID) -> MemberLocks.Answer) {
    lock.withLock {
      isReleased = false
      for entry in entries {
        guard let hold = entry.hold, !hold.isHeld, case .held(let taken) = take(entry.member) else {
          continue
        }
        hold.take(over: taken)
      }
    }
  }
}

/// An in-memory table of the running members, for processes simulated in one real process.
package final class MemberLockTable: @unchecked Sendable {
  private let lock = ConnectionLock()
  // This property is accessed only while the lock is held.
  private var names: Set<String> = []

  package init() {}

  func take(_ name: String) -> MemberLocks.Answer {
    guard lock.withLock({ names.insert(name).inserted }) else { return .taken(processID: nil) }
    return .held(MemberHold { self.release(name) })
  }

  private func release(_ name: String) {
    lock.withLock { _ = names.remove(name) }
  }
}

/// A file that one process keeps locked while a member runs in it.
///
/// The lock belongs to the open file (`flock`), not to the process. Two trackers of one process
/// therefore exclude each other as two processes do, and closing another descriptor keeps the lock.
/// The kernel releases the lock when the process ends. A separate file is needed because SQLite's
/// locks on the store end when any descriptor of the store's file is closed
/// (https://sqlite.org/howtocorrupt.html, section 2.2).
enum MemberLockFile {
  /// The text between the store's path and the member's name in the path of a lock file.
  static let infix = "-member-"

  /// Returns the path of a member's lock file.
  ///
  /// Names that differ only in case get different paths on every file system.
  static func path(of member: MemberID, nextTo store: String) -> String {
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

  /// Returns a hash of the member's name: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
  private static func hash(_ member: MemberID) -> UInt64 {
    member.name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Tries to create and lock a file.
  ///
  /// - Returns: `held` with the lock, `taken` if another process or tracker has locked the file, or
  ///   `unknown` if it cannot be locked for another reason.
  static func take(_ path: String) -> MemberLocks.Answer {
    // The owner deletes the file on release. If the deleted file was opened before, try again.
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

  /// Deletes a lock file, so that it does not remain next to the store, and then releases the lock.
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

  /// Deletes the lock files that crashed processes left next to a store.
  static func removeAll(nextTo store: String) {
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

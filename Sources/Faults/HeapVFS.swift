internal import CSQLite
internal import Synchronization

/// A SQLite VFS of a heap file system for one user, which tells the locks of that user.
///
/// Every VFS of the file system has the same files and locks. A handle stores the number of the VFS
/// through which it was opened. The name is valid as long as this object, or a file that was opened
/// through it, exists.
package final class HeapVFS: Sendable {
  /// The name to pass to `sqlite3_open_v2`.
  package let name: String
  private let files: HeapFileSystem
  private let number: Int

  fileprivate init(_ files: HeapFileSystem, _ number: Int) {
    self.files = files
    self.number = number
    name = HeapFileSystem.name(files.name, vfs: number)
  }

  deinit { files.vfsNumbers.withLock { _ = $0.taken.remove(number) } }

  /// The locks that handles hold which were opened through this VFS, such as `SHARED on app.store`.
  ///
  /// - Complexity: O(open handles of the file system).
  package var locks: [String] {
    files.disk.locked { disk in
      disk.openHandles.filter { $0.pointee.vfsNumber == number }.flatMap(\.locks).sorted()
    }
  }
}

/// The VFS of single users of a heap file system, numbered from 1.
struct HeapVFSNumbers: Sendable {
  /// The registrations, which stay as long as the file system exists.
  fileprivate(set) var registered: [VFSRegistration] = []
  fileprivate var taken: Set<Int> = []
}

/// A registered VFS: SQLite's description of a file system under one name.
struct VFSRegistration: @unchecked Sendable {
  private let system: UnsafeMutablePointer<sqlite3_vfs>
  private let cName: UnsafeMutablePointer<CChar>

  /// Registers a file system under a name.
  ///
  /// The description does not retain the file system.
  init(_ files: HeapFileSystem, name: String) {
    let characters = name.utf8CString
    cName = .allocate(capacity: characters.count)
    for (index, character) in characters.enumerated() { (cName + index).initialize(to: character) }
    system = .allocate(capacity: 1)
    system.initialize(to: sqlite3_vfs())
    files.fillIn(&system.pointee, name: cName)
    let code = sqlite3_vfs_register(system, 0)
    guard code == SQLITE_OK else { fatalError("SQLite did not register \(name): code \(code)") }
  }

  /// Ends the registration; no file may be open.
  func unregister() {
    sqlite3_vfs_unregister(system)
    system.deallocate()
    cName.deallocate()
  }
}

extension HeapFileSystem {
  /// Returns a VFS that nobody else uses.
  package func makeVFS() -> HeapVFS {
    vfsNumbers.withLock { numbers in
      let open = disk.locked { disk in Set(disk.openHandles.map(\.pointee.vfsNumber)) }
      var number = 1
      while numbers.taken.contains(number) || open.contains(number) { number += 1 }
      while numbers.registered.count < number {
        let next = Self.name(name, vfs: numbers.registered.count + 1)
        numbers.registered.append(VFSRegistration(self, name: next))
      }
      numbers.taken.insert(number)
      return HeapVFS(self, number)
    }
  }

  fileprivate static func name(_ name: String, vfs number: Int) -> String {
    "\(name)-\(number)"
  }

  /// Returns the number of the VFS with a name; 0 for the file system's own name.
  static func number(ofVFS name: UnsafePointer<CChar>?) -> Int {
    guard let name else { return 0 }
    let parts = String(cString: name).split(separator: "-")
    return parts.count == 3 ? Int(parts[2]) ?? 0 : 0
  }
}

extension UnsafeMutablePointer where Pointee == OpenFile {
  /// The locks that the handle holds, each with its file's path.
  fileprivate var locks: [String] {
    var locks: [String] = []
    switch pointee.lockLevel {
    case SQLITE_LOCK_NONE: break
    case SQLITE_LOCK_SHARED: locks.append("SHARED")
    case SQLITE_LOCK_RESERVED: locks.append("RESERVED")
    case SQLITE_LOCK_PENDING: locks.append("PENDING")
    default: locks.append("EXCLUSIVE")
    }
    if !pointee.slots.isEmpty { locks.append("a lock of the write-ahead log") }
    let path = pointee.file.pointee.path ?? "a file without a path"
    return locks.map { "\($0) on \(path)" }
  }
}

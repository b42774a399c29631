internal import Basics
internal import CSQLite
internal import Synchronization

/// An SQLite VFS for one store on a heap file system, which can list the locks of that store.
///
/// The VFS is registered in addition to the file system's own. Every VFS of the file system has the
/// same files and locks. A handle stores the number of the VFS through which it was opened. The
/// name is valid as long as this object, or a file that was opened through it, exists.
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

  /// The locks of handles that were opened through this VFS, such as `SHARED on app.store`.
  ///
  /// - Complexity: O(open handles of the file system).
  package var locks: [String] {
    files.disk.locked { disk in
      disk.openHandles.filter { $0.pointee.vfsNumber == number }.flatMap(\.locks).sorted()
    }
  }
}

/// The additional VFSs of a heap file system, each for one store at a time, numbered from 1.
struct HeapVFSNumbers: Sendable {
  /// The registrations, which stay as long as the file system exists.
  fileprivate(set) var registered: [VFSRegistration] = []
  fileprivate var taken: Set<Int> = []
}

/// The registration of a heap file system as an SQLite VFS under one name.
struct VFSRegistration: @unchecked Sendable {
  private let system: UnsafeMutablePointer<sqlite3_vfs>
  private let cName: UnsafeMutablePointer<CChar>

  /// Registers a file system under a name.
  ///
  /// The registration does not retain the file system.
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
  /// Returns another VFS with the same files and locks, which can list the locks of one store.
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

  /// Returns the number at the end of a VFS's name, such as 2 for `heap-1-2`.
  ///
  /// Returns 0 for the file system's own VFS, such as `heap-1`.
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

/// The methods of the file system itself (https://sqlite.org/c3ref/vfs.html), version 2.
extension HeapFileSystem {
  /// Fills in the VFS that SQLite registers; the VFS refers to this object and to `name`.
  func fillIn(_ system: inout sqlite3_vfs, name: UnsafePointer<CChar>) {
    system.iVersion = 2
    system.szOsFile = Int32(MemoryLayout<OpenFile>.stride)
    system.mxPathname = 1024
    system.zName = name
    system.pAppData = Unmanaged.passUnretained(self).toOpaque()
    Self.addFiles(to: &system)
    Self.addEnvironment(to: &system)
    Self.addLibraries(to: &system)
  }

  private static func addFiles(to system: inout sqlite3_vfs) {
    system.xOpen = { system, path, file, flags, outFlags in
      file?.pointee.pMethods = nil
      guard let file else { return SQLITE_CANTOPEN }
      let vfsNumber = HeapFileSystem.number(ofVFS: system?.pointee.zName)
      let code = HeapFileSystem.at(system).open(path, OpenFile.at(file), flags, through: vfsNumber)
      if code == SQLITE_OK { outFlags?.pointee = flags }
      return code
    }
    system.xDelete = { system, path, _ in
      HeapFileSystem.at(system).delete(String(cString: path.unsafelyUnwrapped))
    }
    system.xAccess = { system, path, _, answer in
      HeapFileSystem.at(system).access(String(cString: path.unsafelyUnwrapped), answer)
    }
    system.xFullPathname = { _, path, capacity, target in
      guard let path, let target else { return SQLITE_CANTOPEN }
      for index in 0..<Int(capacity) {
        target[index] = path[index]
        if path[index] == 0 { return SQLITE_OK }
      }
      target[0] = 0
      return SQLITE_CANTOPEN
    }
  }

  private static func addEnvironment(to system: inout sqlite3_vfs) {
    system.xRandomness = { system, count, bytes in
      let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
      HeapFileSystem.at(system).disk.locked { $0.random.fill(buffer) }
      return count
    }
    system.xSleep = { _, microseconds in microseconds }
    system.xCurrentTimeInt64 = { system, milliseconds in
      milliseconds?.pointee = HeapFileSystem.at(system).julianMilliseconds
      return SQLITE_OK
    }
    system.xCurrentTime = { system, days in
      days?.pointee = Double(HeapFileSystem.at(system).julianMilliseconds) / 86_400_000
      return SQLITE_OK
    }
    system.xGetLastError = { _, _, _ in 0 }
  }

  /// Adds the methods for loading extensions, all of which fail.
  private static func addLibraries(to system: inout sqlite3_vfs) {
    system.xDlOpen = { _, _ in nil }
    system.xDlError = { _, capacity, message in
      if capacity > 0 { message?.pointee = 0 }
    }
    system.xDlClose = { _, _ in }
  }

  private static func at(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> HeapFileSystem {
    let data = system.unsafelyUnwrapped.pointee.pAppData.unsafelyUnwrapped
    return Unmanaged.fromOpaque(data).takeUnretainedValue()
  }
}

extension HeapFileSystem {
  /// The clock's Julian day number times 86,400,000, as `xCurrentTimeInt64` returns it.
  fileprivate var julianMilliseconds: Int64 {
    let referenceDate: Int64 = 211_845_067_200_000
    return referenceDate + Int64((clock() * 1000).rounded(.down))
  }

  /// Opens or creates a file, and initializes the handle for which SQLite has allocated memory.
  fileprivate func open(
    _ path: UnsafePointer<CChar>?,
    _ handle: OpenFile.Pointer,
    _ flags: Int32,
    through vfsNumber: Int
  ) -> Int32 {
    let path = path.map { String(cString: $0) }
    let kind = FileKind(openFlags: flags)
    return disk.locked { disk in
      let code = disk.admit(.open, kind)
      if code != SQLITE_OK { return code }
      if disk.isOff { return SQLITE_CANTOPEN }
      guard let file = disk.findFile(path, flags) else { return SQLITE_CANTOPEN }
      file.pointee.openCount += 1
      disk.openHandles.insert(handle)
      handle.initialize(
        to: OpenFile(
          owner: self,
          file: file,
          kind: kind,
          isDeletedOnClose: flags & SQLITE_OPEN_DELETEONCLOSE != 0,
          vfsNumber: vfsNumber
        )
      )
      return SQLITE_OK
    }
  }

  /// Deletes a file: removes its path.
  fileprivate func delete(_ path: String) -> Int32 {
    disk.locked { disk in
      let code = disk.admit(.delete, FileKind(path: path))
      if code != SQLITE_OK { return code }
      if disk.isOff { return ExtendedCode.failure(of: .delete, on: .main) ?? SQLITE_IOERR }
      guard let file = disk.files[path] else { return ExtendedCode.deleteNoEntry }
      disk.unlink(file)
      return SQLITE_OK
    }
  }

  /// Checks whether a file exists; an empty file does not count, as in `os_unix.c`.
  fileprivate func access(_ path: String, _ answer: UnsafeMutablePointer<Int32>?) -> Int32 {
    disk.locked { disk in
      let code = disk.admit(.access, FileKind(path: path))
      if code != SQLITE_OK { return code }
      if disk.isOff { return ExtendedCode.failure(of: .access, on: .main) ?? SQLITE_IOERR }
      answer?.pointee = (disk.files[path]?.pointee.count ?? 0) > 0 ? 1 : 0
      return SQLITE_OK
    }
  }
}

extension HeapDisk {
  /// Returns or creates the file to open; `nil` if the flags do not allow it.
  fileprivate mutating func findFile(_ path: String?, _ flags: Int32) -> FilePointer? {
    guard let path else { return makeDetachedFile() }
    let isThere = files[path] != nil
    if !isThere && flags & SQLITE_OPEN_CREATE == 0 { return nil }
    if isThere && flags & SQLITE_OPEN_CREATE != 0 && flags & SQLITE_OPEN_EXCLUSIVE != 0 {
      return nil
    }
    return file(at: path)
  }
}

/// SQLite's extended I/O error codes (https://sqlite.org/rescode.html).
///
/// C defines these codes as expressions, which Swift does not import.
enum ExtendedCode {
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let sharedMemorySize = SQLITE_IOERR | 19 << 8
  /// An internal code for a sync that must be delayed; it is never returned to SQLite.
  static let delayed = SQLITE_IOERR | 255 << 8
  static let deleteNoEntry = SQLITE_IOERR | 23 << 8

  /// Returns the code that `os_unix.c` returns for a failed call; `nil` if the call never fails.
  static func failure(of call: FileCall, on file: FileKind) -> Int32? {
    switch call {
    case .open: SQLITE_CANTOPEN
    case .delete: SQLITE_IOERR | 10 << 8
    case .access: SQLITE_IOERR | 13 << 8
    case .read: SQLITE_IOERR | 1 << 8
    case .write: SQLITE_IOERR | 3 << 8
    case .truncate: SQLITE_IOERR | 6 << 8
    case .sync: SQLITE_IOERR | 4 << 8
    case .size: SQLITE_IOERR | 7 << 8
    case .lock: file == .shm ? SQLITE_IOERR | 20 << 8 : SQLITE_IOERR | 15 << 8
    case .unlock: nil
    case .checkLock: SQLITE_IOERR | 14 << 8
    case .map: SQLITE_IOERR | 21 << 8
    }
  }
}

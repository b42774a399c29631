internal import Basics
internal import CSQLite

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

  /// Opens or creates a file, and fills in the handle that SQLite has allocated.
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
  /// The internal result of a sync that is recorded and not performed; SQLite has no such code.
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

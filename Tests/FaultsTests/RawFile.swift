import CSQLite
import Faults
import Testing

/// A file opened as SQLite opens it, for calls that no statement can trigger directly.
final class RawFile {
  let path: UnsafeMutablePointer<CChar>
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  init(_ path: String, on files: HeapFileSystem, flags: Int32 = RawFile.database) throws {
    let characters = path.utf8CString
    self.path = .allocate(capacity: characters.count)
    for (index, character) in characters.enumerated() { self.path[index] = character }
    let system = try #require(sqlite3_vfs_find(files.name)).pointee
    file = UnsafeMutableRawPointer.allocate(byteCount: Int(system.szOsFile), alignment: 16)
      .bindMemory(to: sqlite3_file.self, capacity: 1)
    let code = system.xOpen(sqlite3_vfs_find(files.name), self.path, file, flags, nil)
    guard code == SQLITE_OK else {
      file.deallocate()
      self.path.deallocate()
      throw Connection.Failure(code: code, sql: "open \(path)")
    }
    methods = file.pointee.pMethods.pointee
  }

  deinit {
    _ = methods.xClose(file)
    UnsafeMutableRawPointer(file).deallocate()
    path.deallocate()
  }

  /// The flags that SQLite opens a database with.
  static let database = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE

  func write(_ bytes: [UInt8], at offset: Int64) -> Int32 {
    methods.xWrite(file, bytes, Int32(bytes.count), offset)
  }

  func read(_ count: Int, at offset: Int64) -> (code: Int32, bytes: [UInt8]) {
    var bytes = [UInt8](repeating: 0xee, count: count)
    let code = methods.xRead(file, &bytes, Int32(count), offset)
    return (code, bytes)
  }

  func sync() -> Int32 { methods.xSync(file, SQLITE_SYNC_NORMAL) }

  func truncate(_ size: Int64) -> Int32 { methods.xTruncate(file, size) }

  var size: Int64 {
    var size: Int64 = -1
    _ = methods.xFileSize(file, &size)
    return size
  }

  func lock(_ level: Int32) -> Int32 { methods.xLock(file, level) }
  func unlock(_ level: Int32) -> Int32 { methods.xUnlock(file, level) }

  var isReserved: Bool {
    var answer: Int32 = -1
    _ = methods.xCheckReservedLock(file, &answer)
    return answer == 1
  }

  func map(_ index: Int32, extending: Bool) -> UnsafeMutableRawPointer? {
    var region: UnsafeMutableRawPointer?
    _ = methods.xShmMap(file, index, 32 << 10, extending ? 1 : 0, &region)
    return region
  }

  func lockSlots(_ first: Int32, _ count: Int32, _ mode: Int32) -> Int32 {
    methods.xShmLock(file, first, count, SQLITE_SHM_LOCK | mode)
  }

  func unlockSlots(_ first: Int32, _ count: Int32, _ mode: Int32) -> Int32 {
    methods.xShmLock(file, first, count, SQLITE_SHM_UNLOCK | mode)
  }
}

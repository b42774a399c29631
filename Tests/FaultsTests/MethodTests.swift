import CSQLite
import Faults
import Testing

struct MethodTests {
  let files = HeapFileSystem()

  @Test func `Bytes that were never written read as zeros`() throws {
    let file = try RawFile("a", on: files)
    #expect(file.write([UInt8](repeating: 7, count: 100), at: 0) == SQLITE_OK)
    #expect(file.truncate(2) == SQLITE_OK)
    #expect(file.read(4, at: 0) == (SQLITE_IOERR | 2 << 8, [7, 7, 0, 0]))
    #expect(file.read(2, at: 50) == (SQLITE_IOERR | 2 << 8, [0, 0]))
    #expect(file.write([9], at: 4) == SQLITE_OK)
    #expect(file.read(5, at: 0) == (SQLITE_OK, [7, 7, 0, 0, 9]))
    #expect(file.truncate(7) == SQLITE_OK)
    #expect(file.read(3, at: 4) == (SQLITE_OK, [9, 0, 0]))
    #expect(file.size == 7)
  }

  @Test func `A slot has one exclusive holder or many shared ones`() throws {
    let (one, other) = (try RawFile("a", on: files), try RawFile("a", on: files))
    for file in [one, other] { #expect(file.map(0, extending: true) != nil) }
    let (shared, exclusive) = (SQLITE_SHM_SHARED, SQLITE_SHM_EXCLUSIVE)
    #expect(one.lockSlots(3, 1, exclusive) == SQLITE_OK)
    #expect(other.lockSlots(3, 1, shared) == SQLITE_BUSY)
    #expect(other.lockSlots(2, 3, exclusive) == SQLITE_BUSY)
    #expect(one.unlockSlots(3, 1, exclusive) == SQLITE_OK)
    #expect(one.lockSlots(2, 1, shared) == SQLITE_OK)
    #expect(other.lockSlots(2, 1, shared) == SQLITE_OK)
    #expect(one.unlockSlots(2, 1, shared) == SQLITE_OK)
    #expect(one.lockSlots(2, 1, exclusive) == SQLITE_BUSY)
    #expect(other.unlockSlots(2, 1, shared) == SQLITE_OK)
    #expect(one.lockSlots(2, 6, exclusive) == SQLITE_OK)
  }

  @Test func `Regions are shared, stay in place and begin as zeros`() throws {
    let one = try RawFile("a", on: files)
    #expect(one.map(0, extending: false) == nil)
    let first = try #require(one.map(0, extending: true))
    first.storeBytes(of: 42, as: Int.self)
    for index in 1..<50 { #expect(one.map(Int32(index), extending: true) != nil) }
    let other = try RawFile("a", on: files)
    #expect(other.map(0, extending: false) == first)
    #expect(try #require(other.map(49, extending: false)).load(as: Int.self) == 0)
    do { #expect(try RawFile("a", on: files).map(0, extending: false) == first) }
    #expect(other.map(1, extending: false) == one.map(1, extending: false))
    #expect(other.map(1, extending: false) != nil)
  }

  @Test func `Closing a handle releases its locks`() throws {
    let other = try RawFile("a", on: files)
    #expect(other.map(0, extending: true) != nil)
    do {
      let one = try RawFile("a", on: files)
      #expect(one.map(0, extending: true) != nil)
      #expect(one.lockSlots(0, 8, SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
      #expect(one.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
      #expect(one.lock(SQLITE_LOCK_RESERVED) == SQLITE_OK)
      #expect(other.isReserved)
    }
    #expect(!other.isReserved)
    #expect(other.lockSlots(0, 8, SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
  }

  @Test func `A pending lock blocks new readers until it is lowered`() throws {
    let names = ["writer", "reader", "late"]
    let handles = try names.map { _ in try RawFile("a", on: files) }
    for handle in handles.dropLast() { #expect(handle.lock(SQLITE_LOCK_SHARED) == SQLITE_OK) }
    #expect(handles[0].lock(SQLITE_LOCK_RESERVED) == SQLITE_OK)
    #expect(handles[0].lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY)
    #expect(handles[2].lock(SQLITE_LOCK_SHARED) == SQLITE_BUSY)
    #expect(handles[1].unlock(SQLITE_LOCK_NONE) == SQLITE_OK)
    #expect(handles[0].lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
    #expect(handles[0].unlock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(handles[2].lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
  }

  @Test func `An exclusive creation fails if the file exists`() throws {
    let flags = RawFile.database | SQLITE_OPEN_EXCLUSIVE
    let file = try RawFile("a", on: files, flags: flags)
    #expect(file.write([1], at: 0) == SQLITE_OK)
    #expect(throws: Connection.Failure(code: SQLITE_CANTOPEN, sql: "open a")) {
      try RawFile("a", on: files, flags: flags)
    }
  }

  @Test func `A file opened with delete-on-close is removed when it is closed`() throws {
    do {
      let flags = RawFile.database | SQLITE_OPEN_DELETEONCLOSE
      let file = try RawFile("a", on: files, flags: flags)
      #expect(file.write([1], at: 0) == SQLITE_OK)
      #expect(files.image(of: "a") == FileImage(bytes: [1]))
    }
    #expect(files.image(of: "a") == nil)
  }

  @Test func `A path that is too long is refused, not truncated`() throws {
    let system = try #require(sqlite3_vfs_find(files.name))
    var target = [CChar](repeating: 1, count: 8)
    #expect(system.pointee.xFullPathname(system, "1234567", 8, &target) == SQLITE_OK)
    #expect(system.pointee.xFullPathname(system, "12345678", 8, &target) == SQLITE_CANTOPEN)
    #expect(target[0] == 0)
  }

  @Test func `Calls of several threads are all counted`() async {
    let files = HeapFileSystem()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          do {
            let file = try RawFile("a", on: files)
            for _ in 0..<100_000 { _ = file.size }
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    #expect(files.counters[.main, .size] == 400_000)
  }
}

internal import CSQLite
internal import Synchronization

/// SQLite's handle on a file on the heap, in memory that SQLite allocates.
///
/// `base` must be the first member, because SQLite reads the methods through a pointer to it.
struct OpenFile {
  typealias Pointer = UnsafeMutablePointer<OpenFile>

  private var base: sqlite3_file
  /// The file system, which the handle retains until the handle is closed.
  let owner: Unmanaged<HeapFileSystem>
  let disk: SharedDisk
  let file: UnsafeMutablePointer<HeapFile>
  let kind: FileKind
  let isDeletedOnClose: Bool
  /// The number of the VFS through which the handle was opened.
  let vfsNumber: Int
  /// The level of the database lock that this handle holds.
  var lockLevel = SQLITE_LOCK_NONE
  var slots = SharedMemory.Holding()

  init(
    owner: HeapFileSystem,
    file: UnsafeMutablePointer<HeapFile>,
    kind: FileKind,
    isDeletedOnClose: Bool,
    vfsNumber: Int
  ) {
    base = sqlite3_file(pMethods: UnsafePointer(owner.methods))
    self.owner = .passRetained(owner)
    disk = owner.disk
    self.file = file
    self.kind = kind
    self.isDeletedOnClose = isDeletedOnClose
    self.vfsNumber = vfsNumber
  }

  /// Returns the handle from SQLite's pointer, which is never `nil` in a call of a method.
  @inline(__always)
  static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Pointer {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: OpenFile.self)
  }
}

extension UnsafeMutablePointer where Pointee == OpenFile {
  /// Performs one call while holding the disk's lock, or returns the code with which the call fails.
  @inline(__always)
  func perform(
    _ call: FileCall,
    on kind: FileKind? = nil,
    byteCount: Int = 0,
    _ body: () -> Int32
  ) -> Int32 {
    pointee.disk.locked { disk in
      let code = admit(call, kind ?? pointee.kind, byteCount: byteCount, &disk)
      return code == SQLITE_OK ? body() : code
    }
  }

  /// Counts a call, and returns its result code; a call on a file lost in a power-off always fails.
  @inline(__always)
  private func admit(
    _ call: FileCall,
    _ kind: FileKind,
    byteCount: Int,
    _ disk: inout HeapDisk
  ) -> Int32 {
    let code = disk.admit(call, kind, byteCount: byteCount)
    guard pointee.file.pointee.isDead else { return code }
    return ExtendedCode.failure(of: call, on: kind) ?? SQLITE_OK
  }

  /// Makes earlier writes durable; a sync that is delayed or ignored only reports success.
  func sync() -> Int32 {
    pointee.disk.locked { disk in
      let code = admit(.sync, pointee.kind, byteCount: 0, &disk)
      guard code == SQLITE_OK || code == ExtendedCode.delayed else { return code }
      disk.sync(pointee.file, isDelayed: code == ExtendedCode.delayed)
      return SQLITE_OK
    }
  }

  /// Reads bytes; a short read is the only failure that returns some of the bytes.
  @inline(__always)
  func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int) -> Int32 {
    pointee.disk.locked { disk in
      let code = admit(.read, pointee.kind, byteCount: count, &disk)
      if code != SQLITE_OK && code != ExtendedCode.shortRead { return code }
      let there = pointee.file.pointee.read(into: target, at: offset, count: count)
      if code == SQLITE_OK { return there == count ? SQLITE_OK : ExtendedCode.shortRead }
      let half = count / 2
      (target + half).initializeMemory(as: UInt8.self, repeating: 0, count: count - half)
      return ExtendedCode.shortRead
    }
  }

  /// Releases the handle's locks and its file.
  func close() {
    let owner = pointee.owner
    pointee.disk.locked { disk in
      let file = pointee.file
      file.pointee.memory.unmap(&pointee.slots)
      file.pointee.lock.lower(&pointee.lockLevel, to: SQLITE_LOCK_NONE)
      file.pointee.openCount -= 1
      disk.openHandles.remove(self)
      if pointee.isDeletedOnClose { disk.unlink(file) }
      disk.retireIfUnused(file)
    }
    deinitialize(count: 1)
    owner.release()
  }
}

/// The methods of an open file (https://sqlite.org/c3ref/io_methods.html), in version 2.
///
/// Version 3 would add memory mapping, which bypasses the counted calls.
extension OpenFile {
  /// Creates the table of methods that every open file points to.
  static func makeMethods() -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { file in
      OpenFile.at(file).close()
      return SQLITE_OK
    }
    addBytes(to: &methods)
    addLocks(to: &methods)
    addSharedMemory(to: &methods)
    addProperties(to: &methods)
    return methods
  }

  private static func addBytes(to methods: inout sqlite3_io_methods) {
    methods.xRead = { file, target, count, offset in
      OpenFile.at(file).read(target.unsafelyUnwrapped, Int(count), Int(offset))
    }
    methods.xWrite = { file, source, count, offset in
      let handle = OpenFile.at(file)
      let count = Int(count)
      return handle.perform(.write, byteCount: count) {
        handle.pointee.file.pointee.write(
          source.unsafelyUnwrapped,
          at: Int(offset),
          count: count
        )
        return SQLITE_OK
      }
    }
    methods.xTruncate = { file, size in
      let handle = OpenFile.at(file)
      return handle.perform(.truncate) {
        handle.pointee.file.pointee.truncate(to: Int(size))
        return SQLITE_OK
      }
    }
    methods.xSync = { file, _ in OpenFile.at(file).sync() }
    methods.xFileSize = { file, size in
      let handle = OpenFile.at(file)
      return handle.perform(.size) {
        size?.pointee = Int64(handle.pointee.file.pointee.count)
        return SQLITE_OK
      }
    }
  }

  private static func addLocks(to methods: inout sqlite3_io_methods) {
    methods.xLock = { file, level in
      let handle = OpenFile.at(file)
      return handle.perform(.lock) {
        handle.pointee.file.pointee.lock.raise(&handle.pointee.lockLevel, to: level)
      }
    }
    methods.xUnlock = { file, level in
      let handle = OpenFile.at(file)
      return handle.perform(.unlock) {
        handle.pointee.file.pointee.lock.lower(&handle.pointee.lockLevel, to: level)
        return SQLITE_OK
      }
    }
    methods.xCheckReservedLock = { file, answer in
      let handle = OpenFile.at(file)
      return handle.perform(.checkLock) {
        answer?.pointee = handle.pointee.file.pointee.lock.isReserved ? 1 : 0
        return SQLITE_OK
      }
    }
  }

  private static func addSharedMemory(to methods: inout sqlite3_io_methods) {
    methods.xShmMap = { file, index, size, extending, region in
      guard Int(size) == SharedMemory.regionSize else { return ExtendedCode.sharedMemorySize }
      let handle = OpenFile.at(file)
      return handle.perform(.map, on: .shm) {
        region?.pointee = handle.pointee.file.pointee.memory.map(
          Int(index),
          extending: extending != 0,
          &handle.pointee.slots
        )
        return SQLITE_OK
      }
    }
    methods.xShmLock = { file, first, count, flags in
      let handle = OpenFile.at(file)
      if flags & SQLITE_SHM_UNLOCK != 0 {
        return handle.perform(.unlock, on: .shm) {
          handle.pointee.file.pointee.memory.unlock(
            first: Int(first),
            count: Int(count),
            &handle.pointee.slots
          )
          return SQLITE_OK
        }
      }
      return handle.perform(.lock, on: .shm) {
        handle.pointee.file.pointee.memory.lock(
          first: Int(first),
          count: Int(count),
          exclusively: flags & SQLITE_SHM_EXCLUSIVE != 0,
          &handle.pointee.slots
        )
      }
    }
    methods.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
    methods.xShmUnmap = { file, _ in
      let handle = OpenFile.at(file)
      return handle.pointee.disk.locked { _ in
        handle.pointee.file.pointee.memory.unmap(&handle.pointee.slots)
        return SQLITE_OK
      }
    }
  }

  private static func addProperties(to methods: inout sqlite3_io_methods) {
    methods.xFileControl = { file, operation, argument in
      let handle = OpenFile.at(file)
      switch operation {
      case SQLITE_FCNTL_SIZE_HINT:
        guard let size = argument?.assumingMemoryBound(to: Int64.self) else { return SQLITE_ERROR }
        return handle.pointee.disk.locked { _ in
          handle.pointee.file.pointee.reserve(Int(size.pointee))
          return SQLITE_OK
        }
      case SQLITE_FCNTL_HAS_MOVED:
        let isDetached = handle.pointee.disk.locked { _ in handle.pointee.file.pointee.path == nil }
        argument?.assumingMemoryBound(to: Int32.self).pointee = isDetached ? 1 : 0
        return SQLITE_OK
      default:
        return SQLITE_NOTFOUND
      }
    }
    methods.xSectorSize = { _ in 4096 }
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
  }
}

internal import CSQLite
internal import Synchronization

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

internal import CSQLite

/// One handle of SQLite on a file, in memory that SQLite allocates for it.
///
/// `base` comes first: SQLite reads the methods through a pointer to it.
struct OpenFile {
  typealias Pointer = UnsafeMutablePointer<OpenFile>

  private var base: sqlite3_file
  let disk: UnsafeMutablePointer<HeapDisk>
  let file: UnsafeMutablePointer<HeapFile>
  let kind: FileKind
  let isDeletedOnClose: Bool
  /// The level of the database lock that this handle holds.
  var lockLevel = SQLITE_LOCK_NONE
  var slots = SharedMemory.Holding()

  init(
    disk: UnsafeMutablePointer<HeapDisk>,
    file: UnsafeMutablePointer<HeapFile>,
    kind: FileKind,
    isDeletedOnClose: Bool
  ) {
    base = sqlite3_file(pMethods: UnsafePointer(disk.pointee.methods))
    self.disk = disk
    self.file = file
    self.kind = kind
    self.isDeletedOnClose = isDeletedOnClose
  }

  /// The handle that SQLite means; it never calls a method without one.
  @inline(__always)
  static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Pointer {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: OpenFile.self)
  }
}

extension UnsafeMutablePointer where Pointee == OpenFile {
  /// Runs one call alone on the disk, if the disk admits it; else answers why not.
  @inline(__always)
  func perform(
    _ call: FileCall,
    on kind: FileKind? = nil,
    byteCount: Int = 0,
    _ body: () -> Int32
  ) -> Int32 {
    let disk = pointee.disk
    return disk.locked {
      let code = disk.pointee.admit(call, kind ?? pointee.kind, byteCount: byteCount)
      return code == SQLITE_OK ? body() : code
    }
  }

  /// Reads bytes; a short read is the one failure that still delivers some.
  @inline(__always)
  func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int) -> Int32 {
    let disk = pointee.disk
    return disk.locked {
      let code = disk.pointee.admit(.read, pointee.kind, byteCount: count)
      if code != SQLITE_OK && code != ExtendedCode.shortRead { return code }
      let there = pointee.file.pointee.read(into: target, at: offset, count: count)
      if code == SQLITE_OK { return there == count ? SQLITE_OK : ExtendedCode.shortRead }
      let half = count / 2
      (target + half).initializeMemory(as: UInt8.self, repeating: 0, count: count - half)
      return ExtendedCode.shortRead
    }
  }

  /// Gives back what the handle holds and lets go of the file.
  func close() {
    let disk = pointee.disk
    let owner = disk.pointee.owner
    disk.locked {
      let file = pointee.file
      file.pointee.memory.unmap(&pointee.slots)
      file.pointee.lock.lower(&pointee.lockLevel, to: SQLITE_LOCK_NONE)
      file.pointee.openCount -= 1
      disk.pointee.openHandleCount -= 1
      if pointee.isDeletedOnClose { disk.pointee.unlink(file) }
      disk.pointee.retireIfUnused(file)
    }
    deinitialize(count: 1)
    owner.release()
  }
}

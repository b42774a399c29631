internal import CSQLite

/// A handle of SQLite on a file on the heap, in memory that SQLite allocates for it.
///
/// `base` comes first: SQLite reads the methods through a pointer to it.
struct OpenFile {
  typealias Pointer = UnsafeMutablePointer<OpenFile>

  private var base: sqlite3_file
  /// Retained by this handle, and released when it is closed.
  let owner: Unmanaged<HeapFileSystem>
  let disk: SharedDisk
  let file: UnsafeMutablePointer<HeapFile>
  let kind: FileKind
  let isDeletedOnClose: Bool
  /// The level of the database lock that this handle holds.
  var lockLevel = SQLITE_LOCK_NONE
  var slots = SharedMemory.Holding()

  init(
    owner: HeapFileSystem,
    file: UnsafeMutablePointer<HeapFile>,
    kind: FileKind,
    isDeletedOnClose: Bool
  ) {
    base = sqlite3_file(pMethods: UnsafePointer(owner.methods))
    self.owner = .passRetained(owner)
    disk = owner.disk
    self.file = file
    self.kind = kind
    self.isDeletedOnClose = isDeletedOnClose
  }

  /// Returns the handle that SQLite passes; it never calls a method without one.
  @inline(__always)
  static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Pointer {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: OpenFile.self)
  }
}

extension UnsafeMutablePointer where Pointee == OpenFile {
  /// Performs one call while holding the disk's lock, or returns the code that it fails with.
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

  /// Counts a call and returns its code; a call on a file lost in a power-off always fails.
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

  /// Makes earlier writes durable, or only reports success if the sync is delayed or ignored.
  func sync() -> Int32 {
    pointee.disk.locked { disk in
      let code = admit(.sync, pointee.kind, byteCount: 0, &disk)
      guard code == SQLITE_OK || code == ExtendedCode.delayed else { return code }
      disk.sync(pointee.file, isDelayed: code == ExtendedCode.delayed)
      return SQLITE_OK
    }
  }

  /// Reads bytes; a short read is the one failure that still delivers some.
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
      disk.openHandleCount -= 1
      if pointee.isDeletedOnClose { disk.unlink(file) }
      disk.retireIfUnused(file)
    }
    deinitialize(count: 1)
    owner.release()
  }
}

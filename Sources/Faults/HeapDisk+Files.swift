internal import CSQLite

extension HeapDisk {
  /// Finds a file, or makes an empty one.
  mutating func file(at path: String) -> FilePointer {
    if let file = files[path] { return file }
    let file = takeEmptyFile(path: path)
    files[path] = file
    if watch != nil { file.pointee.unsynced = UnsyncedWrites(synced: []) }
    return file
  }

  /// Makes a file that has no path and lives as long as its handle.
  mutating func makeDetachedFile() -> FilePointer {
    let file = takeEmptyFile(path: nil)
    detached.insert(file)
    return file
  }

  /// Takes a file's path away; its bytes stay for the handles that are open.
  mutating func unlink(_ file: FilePointer) {
    guard let path = file.pointee.path else { return }
    renewDurable()
    files[path] = nil
    file.pointee.path = nil
    detached.insert(file)
    retireIfUnused(file)
  }

  /// Takes the path of every file away.
  mutating func unlinkAll() {
    watch = nil
    isOff = false
    for file in Array(files.values) { unlink(file) }
  }

  /// Gives up a file that has neither path nor handle: its buffers wait for the next one.
  mutating func retireIfUnused(_ file: FilePointer) {
    guard file.pointee.openCount == 0, detached.remove(file) != nil else { return }
    if spare.count < Self.spareCountMax && file.pointee.allocatedBytes <= Self.spareBytesMax {
      spare.append(file)
    } else {
      Self.free(file)
    }
  }

  /// What is held now.
  var usage: HeapUsage {
    let all = Array(files.values) + Array(detached) + spare
    return HeapUsage(
      openHandles: openHandleCount,
      files: files.count,
      detachedFiles: detached.count,
      spareFiles: spare.count,
      allocatedBytes: all.reduce(0) { $0 + $1.pointee.allocatedBytes }
    )
  }

  /// Enough for the stores of one plan with their logs and journals.
  private static var spareCountMax: Int { 32 }
  /// One plan that grew a huge file does not keep its memory for ever.
  private static var spareBytesMax: Int { 8 << 20 }

  private mutating func takeEmptyFile(path: String?) -> FilePointer {
    if let file = spare.popLast() {
      file.pointee.path = path
      file.pointee.restore(nil)
      return file
    }
    let file = FilePointer.allocate(capacity: 1)
    file.initialize(to: HeapFile(path: path))
    return file
  }

  static func free(_ file: FilePointer) {
    file.pointee.deallocate()
    file.deinitialize(count: 1)
    file.deallocate()
  }
}

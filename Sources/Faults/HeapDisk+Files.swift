internal import CSQLite

extension HeapDisk {
  /// Returns the file at a path, and creates an empty one if there is none.
  mutating func file(at path: String) -> FilePointer {
    if let file = files[path] { return file }
    let file = takeEmptyFile(path: path)
    files[path] = file
    if watch != nil { file.pointee.unsynced = UnsyncedWrites(synced: []) }
    return file
  }

  /// Creates a file without a path, which lives as long as its handle.
  mutating func makeDetachedFile() -> FilePointer {
    let file = takeEmptyFile(path: nil)
    detached.insert(file)
    return file
  }

  /// Removes a file's path; open handles keep its bytes.
  mutating func unlink(_ file: FilePointer) {
    guard let path = file.pointee.path else { return }
    renewDurable()
    files[path] = nil
    file.pointee.path = nil
    detached.insert(file)
    retireIfUnused(file)
  }

  /// Removes the path of every file.
  mutating func unlinkAll() {
    watch = nil
    isOff = false
    for file in Array(files.values) { unlink(file) }
  }

  /// Releases a file that has neither path nor handle, and keeps its buffers for a later file.
  mutating func retireIfUnused(_ file: FilePointer) {
    guard file.pointee.openCount == 0, detached.remove(file) != nil else { return }
    if spare.count < Self.spareCountMax && file.pointee.allocatedBytes <= Self.spareBytesMax {
      spare.append(file)
    } else {
      Self.free(file)
    }
  }

  /// The handles, files and memory in use.
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
  /// The largest file that is kept, so that one huge file does not keep its memory.
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

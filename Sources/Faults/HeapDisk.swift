internal import Basics
internal import CSQLite

/// The state of a heap file system: files, open handles, call counters and armed faults.
struct HeapDisk {
  typealias FilePointer = UnsafeMutablePointer<HeapFile>

  /// The files that have a path.
  var files: [String: FilePointer] = [:]
  /// Empty files without a path or a handle, kept so that later files can use their buffers.
  var spare: [FilePointer] = []
  /// Files without a path that still have an open handle.
  var detached: Set<FilePointer> = []
  /// The handles that SQLite has open.
  var openHandles: Set<OpenFile.Pointer> = []
  var random: SplitMix64
  /// Whether syncs make writes durable or are ignored; `nil` if unsynced writes are not tracked.
  ///
  /// A power-off may lose unsynced writes.
  var watch: PowerWatch?
  /// Whether a simulated power-off is in effect.
  var isOff = false
  /// The version number of the data that survive a power-off; it changes whenever they change.
  var durable = 0
  private var durableCount = 0
  var faults = ArmedFaults()

  private let calls: UnsafeMutablePointer<Int>
  private let bytes: UnsafeMutablePointer<Int>

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    calls = .allocate(capacity: CallCounters.tableCount)
    bytes = .allocate(capacity: CallCounters.tableCount)
    calls.initialize(repeating: 0, count: CallCounters.tableCount)
    bytes.initialize(repeating: 0, count: CallCounters.tableCount)
  }

  /// Frees all files; no handle may be open.
  func deallocate() {
    for file in Array(files.values) + spare { Self.free(file) }
    calls.deallocate()
    bytes.deallocate()
  }
}

extension HeapDisk {
  /// Counts a call, and returns `SQLITE_OK` or the code with which the call fails.
  ///
  /// Every call is counted here before it takes effect.
  @inline(__always)
  mutating func admit(_ call: FileCall, _ kind: FileKind, byteCount: Int = 0) -> Int32 {
    let index = CallCounters.index(kind, call)
    calls[index] += 1
    bytes[index] += byteCount
    return faults.isArmed ? fire(call, kind) : SQLITE_OK
  }

  @inline(never)
  private mutating func fire(_ call: FileCall, _ kind: FileKind) -> Int32 {
    let (code, power) = faults.fire(call, kind)
    if let power { turnOff(power) }
    return code
  }

  /// The number of write, truncate and delete calls to databases, logs and journals.
  ///
  /// Failed calls are included. Temporary files and shared memory are not counted.
  var writeCount: Int {
    var count = 0
    for kind in [FileKind.main, .wal, .journal] {
      for call in [FileCall.write, .truncate, .delete] {
        count += calls[CallCounters.index(kind, call)]
      }
    }
    return count
  }

  /// Assigns a new version number to the data that a power-off would leave.
  mutating func renewDurable() {
    durableCount += 1
    durable = durableCount
  }

  /// A copy of the call counters.
  var counters: CallCounters {
    let count = CallCounters.tableCount
    return CallCounters(
      calls: UnsafeBufferPointer(start: calls, count: count),
      bytes: UnsafeBufferPointer(start: bytes, count: count)
    )
  }
}

extension HeapDisk {
  /// Returns the file at a path, and creates an empty file if there is none.
  mutating func file(at path: String) -> FilePointer {
    if let file = files[path] { return file }
    let file = takeEmptyFile(path: path)
    files[path] = file
    if watch != nil { file.pointee.unsynced = UnsyncedWrites(synced: []) }
    return file
  }

  /// Creates a file without a path, which exists as long as its handle.
  mutating func makeDetachedFile() -> FilePointer {
    let file = takeEmptyFile(path: nil)
    detached.insert(file)
    return file
  }

  /// Removes a file's path; open handles can still use the file's bytes.
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

  /// Releases a file if it has neither a path nor a handle, and keeps its buffers for a later file.
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
      openHandles: openHandles.count,
      files: files.count,
      detachedFiles: detached.count,
      spareFiles: spare.count,
      allocatedBytes: all.reduce(0) { $0 + $1.pointee.allocatedBytes }
    )
  }

  /// The maximum number of spare files: enough for a plan's stores with their logs and journals.
  private static var spareCountMax: Int { 32 }
  /// The maximum size in bytes of a deleted file whose memory is kept for reuse.
  ///
  /// The memory of a larger one is freed at once.
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

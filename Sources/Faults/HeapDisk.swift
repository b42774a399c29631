internal import CSQLite

/// What a heap file system holds: its files, their handles' count, what was called and what fails.
struct HeapDisk {
  typealias FilePointer = UnsafeMutablePointer<HeapFile>

  /// Files that have a path.
  var files: [String: FilePointer] = [:]
  /// Empty files without path and handle, kept for their buffers.
  var spare: [FilePointer] = []
  /// Files without a path that a handle keeps alive.
  var detached: Set<FilePointer> = []
  var openHandleCount = 0
  var random: SplitMix
  /// How syncs are taken while somebody wants to know what a power-off would lose; nothing otherwise.
  var watch: PowerWatch?
  /// Whether the power is off.
  var isOff = false
  /// What a power-off would leave, by a number that no other moment has which would leave something else.
  var durable = 0
  private var durableCount = 0
  /// The faults that are armed.
  var faults = ArmedFaults()

  private let calls: UnsafeMutablePointer<Int>
  private let bytes: UnsafeMutablePointer<Int>

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
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
  /// Counts a call and decides whether it may act: every call passes here before it does.
  ///
  /// Answers `SQLITE_OK`, or the code that the call fails with.
  @inline(__always)
  mutating func admit(_ call: FileCall, _ kind: FileKind, byteCount: Int = 0) -> Int32 {
    let index = CallCounters.index(kind, call)
    calls[index] += 1
    bytes[index] += byteCount
    return faults.isArmed ? strike(call, kind) : SQLITE_OK
  }

  @inline(never)
  private mutating func strike(_ call: FileCall, _ kind: FileKind) -> Int32 {
    let (code, power) = faults.strike(call, kind)
    if let power { turnOff(power) }
    return code
  }

  /// How often something was written, cut or deleted that others may read, or was to be.
  var writeCount: Int {
    var count = 0
    for kind in [FileKind.main, .wal, .journal] {
      for call in [FileCall.write, .truncate, .delete] {
        count += calls[CallCounters.index(kind, call)]
      }
    }
    return count
  }

  /// Takes note that a power-off would leave something else than before.
  mutating func renewDurable() {
    durableCount += 1
    durable = durableCount
  }

  /// Copies the counts.
  var counters: CallCounters {
    let count = CallCounters.tableCount
    return CallCounters(
      calls: UnsafeBufferPointer(start: calls, count: count),
      bytes: UnsafeBufferPointer(start: bytes, count: count)
    )
  }
}

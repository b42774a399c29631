internal import CSQLite
internal import Synchronization

/// What a heap file system holds, at an address that SQLite's callbacks are given.
///
/// Everything in it is guarded by `mutex`; callbacks reach it through pointers alone, so that a
/// read or a write costs no reference count, no hash and no check of exclusive access.
struct HeapDisk {
  typealias FilePointer = UnsafeMutablePointer<HeapFile>

  /// The object that owns this disk; each open handle keeps it alive.
  let owner: Unmanaged<HeapFileSystem>
  /// The methods that each open handle points to.
  let methods: UnsafeMutablePointer<sqlite3_io_methods>
  /// Tells the time in seconds since 2001-01-01 UTC.
  let clock: @Sendable () -> Double

  /// Files that have a path.
  var files: [String: FilePointer] = [:]
  /// Empty files without path and handle, kept for their buffers.
  var spare: [FilePointer] = []
  /// Files without a path that a handle keeps alive.
  var detached: Set<FilePointer> = []
  var openHandleCount = 0
  var random: SplitMix
  /// The faults that are armed, and whether there are any.
  private(set) var tallies: [FaultTally] = []
  private var isArmed = false

  fileprivate let mutex: UnsafeMutablePointer<Mutex<Void>>
  private let calls: UnsafeMutablePointer<Int>
  private let bytes: UnsafeMutablePointer<Int>

  init(
    owner: HeapFileSystem,
    methods: UnsafeMutablePointer<sqlite3_io_methods>,
    seed: UInt64,
    clock: @escaping @Sendable () -> Double
  ) {
    self.owner = .passUnretained(owner)
    self.methods = methods
    self.clock = clock
    random = SplitMix(seed: seed)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: Mutex(()))
    calls = .allocate(capacity: CallCounters.tableCount)
    bytes = .allocate(capacity: CallCounters.tableCount)
    calls.initialize(repeating: 0, count: CallCounters.tableCount)
    bytes.initialize(repeating: 0, count: CallCounters.tableCount)
  }

  /// Frees all files; no handle may be open.
  func deallocate() {
    for file in Array(files.values) + spare { Self.free(file) }
    mutex.deinitialize(count: 1)
    mutex.deallocate()
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
    return isArmed ? strike(call, kind) : SQLITE_OK
  }

  /// Replaces the faults.
  mutating func arm(_ faults: [FileFault]) {
    tallies = faults.map(FaultTally.init)
    isArmed = !faults.isEmpty
  }

  @inline(never)
  private mutating func strike(_ call: FileCall, _ kind: FileKind) -> Int32 {
    var first: Int32?
    for index in tallies.indices {
      let code = tallies[index].strike(call, on: kind)
      first = first ?? code
    }
    return first ?? SQLITE_OK
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

extension UnsafeMutablePointer where Pointee == HeapDisk {
  /// Runs a closure while no other thread is inside this disk.
  @inline(__always)
  func locked<Answer: Sendable>(_ body: () -> Answer) -> Answer {
    pointee.mutex.pointee.withLock { _ in body() }
  }
}

internal import CSQLite

/// A failure of one or more file system calls.
///
/// The fault counts the calls that match `file` and `call` and to which `kind` applies, such as
/// writes for ``Kind/full``. The `k`-th counted call fails. A test that repeats a run with `k` = 1,
/// 2, 3 and so on therefore makes each of these calls fail once.
package struct FileFault: Sendable, Hashable {
  package var kind: Kind
  /// The kind of file whose calls are counted; `nil` means all kinds.
  package var file: FileKind?
  /// The call that is counted; `nil` means all calls.
  package var call: FileCall?
  /// The number of the first counted call that fails, counted from 1.
  package var k: Int
  /// Whether every counted call after call number ``k`` fails too.
  ///
  /// The default is `false`.
  package var from: Bool
  /// The effect on unsynced writes of a fault of the kind `powerOff`; other kinds ignore it.
  package var loss: PowerLoss

  /// Creates a fault, which takes effect once a file system is armed with it.
  package init(
    _ kind: Kind,
    file: FileKind? = nil,
    call: FileCall? = nil,
    k: Int,
    from: Bool = false,
    loss: PowerLoss = PowerLoss()
  ) {
    self.kind = kind
    self.file = file
    self.call = call
    self.k = k
    self.from = from
    self.loss = loss
  }

  /// The effect on unsynced writes if the fault is a power-off; otherwise `nil`.
  var power: PowerLoss? { kind == .powerOff ? loss : nil }

  /// The kinds of failure; the raw value is the name of the kind in a plan.
  package enum Kind: String, CaseIterable, Sendable, Hashable {
    /// The call fails with its `SQLITE_IOERR_*` (`SQLITE_CANTOPEN` for an open) and has no effect.
    case ioError
    /// A write fails with `SQLITE_FULL` and has no effect.
    case full
    /// A lock fails with `SQLITE_BUSY`, as if another process held the lock.
    case busy
    /// A read returns the first half of its bytes and then zeros, as if the file ended there.
    ///
    /// If the file is the write-ahead log, the statement fails. If the file is the database, SQLite
    /// treats the page as never written: SQLite reports no error, and the missing half is lost once
    /// SQLite writes the page back.
    case shortRead
    /// A sync reports success, but takes effect only with the file's next sync.
    case delay
    /// The power goes off: the call and all later calls fail until the power is on again.
    case powerOff
  }

  /// Returns the result code with which the fault makes a call fail; `nil` if the fault ignores the call.
  func code(for call: FileCall, on file: FileKind) -> Int32? {
    guard self.file ?? file == file, self.call ?? call == call else { return nil }
    switch (kind, call) {
    case (.ioError, _): return ExtendedCode.failure(of: call, on: file)
    case (.full, .write): return SQLITE_FULL
    case (.busy, .lock): return SQLITE_BUSY
    case (.shortRead, .read): return ExtendedCode.shortRead
    case (.delay, .sync): return ExtendedCode.delayed
    case (.powerOff, _): return ExtendedCode.failure(of: call, on: file)
    default: return nil
    }
  }
}

/// A call that SQLite makes to a file system.
///
/// The raw value is an index into the tables of counters; plans and reports write `name`.
package enum FileCall: Int, CaseIterable, Sendable, Hashable {
  /// Opens or creates a file.
  case open
  /// Deletes a file.
  case delete
  /// Checks whether a file exists.
  case access
  /// Reads bytes at an offset.
  case read
  /// Writes bytes at an offset.
  case write
  /// Sets a file's size.
  case truncate
  /// Makes earlier writes durable.
  case sync
  /// Returns a file's size.
  case size
  /// Raises the lock of a database file, or locks slots of its shared memory.
  case lock
  /// Lowers the lock of a database file, or unlocks slots of its shared memory; never fails.
  case unlock
  /// Checks whether any connection has reserved a database file.
  case checkLock
  /// Maps a region of shared memory.
  case map

  /// The name of the call in plans, traces and reports.
  package var name: String { "\(self)" }

  /// Creates the call with the name that a plan uses; `nil` if no call has the name.
  package init?(name: String) {
    guard let call = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = call
  }
}

/// The armed faults of a file system, and for each fault the numbers of matching and of failed calls.
struct ArmedFaults {
  private(set) var tallies: [FaultTally] = []
  /// Whether any faults are armed.
  private(set) var isArmed = false

  /// Replaces the armed faults, and resets their counts to 0.
  mutating func arm(_ faults: [FileFault]) {
    tallies = faults.map(FaultTally.init)
    isArmed = !faults.isEmpty
  }

  /// Counts a call, and returns its result code.
  ///
  /// If the call turns the power off, `power` is the effect on unsynced writes; otherwise it is `nil`.
  @inline(never)
  mutating func fire(_ call: FileCall, _ kind: FileKind) -> (code: Int32, power: PowerLoss?) {
    var first: Int32?
    var power: PowerLoss?
    for index in tallies.indices {
      guard let code = tallies[index].fire(call, on: kind) else { continue }
      power = power ?? tallies[index].fault.power
      first = first ?? code
    }
    return (first ?? SQLITE_OK, power)
  }
}

/// An armed fault, and the number of calls that it has counted and failed.
package struct FaultTally: Sendable, Hashable {
  package let fault: FileFault
  /// The number of calls so far that matched the fault, whether or not they failed.
  package private(set) var countedCalls = 0
  /// The number of counted calls that failed because of the fault.
  package private(set) var failedCalls = 0

  init(_ fault: FileFault) {
    self.fault = fault
  }

  /// Counts a call, and returns the code with which this fault makes the call fail; `nil` for success.
  mutating func fire(_ call: FileCall, on file: FileKind) -> Int32? {
    guard let code = fault.code(for: call, on: file) else { return nil }
    countedCalls += 1
    guard countedCalls == fault.k || (fault.from && countedCalls > fault.k) else { return nil }
    failedCalls += 1
    return code
  }
}

/// A file system for SQLite that can inject failures into calls and simulate a power-off.
package protocol FaultySystem: AnyObject, Sendable {
  /// The name to pass to `sqlite3_open_v2`, or as `vfs=` in a URI; unique to this instance.
  var name: String { get }
  /// Replaces the armed faults, and resets their counts to 0.
  func arm(_ faults: [FileFault])
  /// Disarms all faults, and returns their tallies in the order in which they were armed.
  @discardableResult
  func disarm() -> [FaultTally]
  /// Treats all data written so far as durable, and starts tracking unsynced writes.
  func watchPower(_ watch: PowerWatch)
  /// Simulates a power-off between two calls of SQLite.
  func turnOff(_ loss: PowerLoss)
  /// Ends the simulated power-off, so that files can be opened again.
  func turnOn()
  /// Whether a simulated power-off is in effect.
  var isOff: Bool { get }
}

extension HeapFileSystem: FaultySystem {}

/// The numbers of SQLite's file system calls and of their bytes, by kind of file and call.
///
/// The difference of two values counts the calls between them.
package struct CallCounters: Sendable, Hashable {
  /// The number of calls for each pair of a file kind and a call, failed calls included.
  private var calls: [Int]
  /// The number of bytes that SQLite asked to read or write, for each pair of file kind and call.
  ///
  /// A pair has the same index as in `calls`.
  private var bytes: [Int]

  /// Copies the current counters of a file system.
  init(calls: some Sequence<Int>, bytes: some Sequence<Int>) {
    self.calls = Array(calls)
    self.bytes = Array(bytes)
  }

  /// The number of calls of one type to files of one kind.
  package subscript(file: FileKind, call: FileCall) -> Int {
    calls[Self.index(file, call)]
  }

  /// Returns the number of calls of one type to all files.
  package func count(_ call: FileCall) -> Int {
    FileKind.allCases.reduce(0) { $0 + self[$1, call] }
  }

  /// The number of read calls to all files.
  package var reads: Int { count(.read) }
  /// The number of write calls to all files.
  package var writes: Int { count(.write) }
  /// The number of sync calls to all files.
  package var syncs: Int { count(.sync) }
  /// The number of bytes that SQLite asked to read from all files.
  package var bytesRead: Int { FileKind.allCases.reduce(0) { $0 + bytesRead($1) } }
  /// The number of bytes that SQLite asked to write to all files.
  package var bytesWritten: Int { FileKind.allCases.reduce(0) { $0 + bytesWritten($1) } }

  /// Returns the number of bytes that SQLite asked to read from files of one kind.
  package func bytesRead(_ file: FileKind) -> Int { bytes[Self.index(file, .read)] }

  /// Returns the number of bytes that SQLite asked to write to files of one kind.
  package func bytesWritten(_ file: FileKind) -> Int { bytes[Self.index(file, .write)] }

  /// Returns the calls that were made between two values of the counters.
  package static func - (later: CallCounters, earlier: CallCounters) -> CallCounters {
    CallCounters(
      calls: zip(later.calls, earlier.calls).map { $0 - $1 },
      bytes: zip(later.bytes, earlier.bytes).map { $0 - $1 }
    )
  }
}

extension CallCounters {
  /// The number of entries in each of the tables `calls` and `bytes`.
  static let tableCount = FileKind.allCases.count * rowCount

  /// Returns the index of a file kind and a call in the tables `calls` and `bytes`.
  static func index(_ file: FileKind, _ call: FileCall) -> Int {
    file.rawValue * rowCount + call.rawValue
  }

  /// The number of entries in `calls` and in `bytes` for each file kind.
  ///
  /// It is a power of two, so that an index is computed by a shift.
  private static var rowCount: Int { 16 }
}

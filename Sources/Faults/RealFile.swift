internal import Basics
internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The state of a file system over real files: armed faults and unsynced writes.
struct RealDisk {
  var faults = ArmedFaults()
  /// Whether syncs make writes durable or are ignored; `nil` if unsynced writes are not tracked.
  ///
  /// A power-off may lose unsynced writes.
  var watch: PowerWatch?
  var isOff = false
  /// The number of power-offs so far; handles opened before the last power-off are invalid.
  private(set) var life = 0
  /// The number of open handles, all of which were opened since the last power-off.
  private var openCount = 0
  private var openedIn = 0
  /// The bytes of each changed file at its last sync, and the changes since that sync.
  private var unsynced: [String: UnsyncedWrites] = [:]
  /// The paths of the databases that have been opened since the last power-off.
  private var databases: Set<String> = []

  /// Applies the armed faults to a call, and returns `SQLITE_OK` or the code of the fault.
  ///
  /// `handle` is the value of ``life`` when the call's handle was opened. While the power is off,
  /// and on a handle from before a power-off, every call except an unlock fails.
  mutating func admit(_ call: FileCall, _ kind: FileKind, life handle: Int) -> Int32 {
    var code = SQLITE_OK
    if faults.isArmed {
      let fired = faults.fire(call, kind)
      if let power = fired.power { turnOff(power) }
      code = fired.code
    }
    guard isOff || handle != life else { return code }
    return ExtendedCode.failure(of: call, on: kind) ?? SQLITE_OK
  }

  /// Adds an open handle.
  ///
  /// If a handle from before a power-off is still open, the process ends: SQLite shares the index
  /// of a WAL between the handles of a process, so the index would survive the power-off.
  mutating func noteOpen(_ path: String?, _ kind: FileKind) {
    if openCount == 0 { openedIn = life }
    guard openedIn == life else {
      fatalError(
        "\(path ?? "a temporary file") is opened while connections from before a power-off are open; close them first"
      )
    }
    openCount += 1
    if kind == .main, let path { databases.insert(path) }
  }

  mutating func noteClose() { openCount -= 1 }

  mutating func noteDelete(_ path: String) { unsynced[path] = nil }

  /// Adds a change to a file's unsynced writes; copies the file's bytes before its first change.
  mutating func note(_ path: String?, _ change: (inout UnsyncedWrites) -> Void) {
    guard watch != nil, let path else { return }
    change(&unsynced[path, default: UnsyncedWrites(synced: RealBytes.read(path))])
  }

  /// Makes a file's writes durable, unless the disk ignores syncs; a delayed sync is only recorded.
  mutating func sync(_ path: String?, isDelayed: Bool) {
    guard watch == .honest, let path else { return }
    if isDelayed { unsynced[path]?.delaySync() } else { unsynced[path] = nil }
  }

  mutating func startWatch(_ watch: PowerWatch) {
    self.watch = watch
    unsynced.removeAll()
  }

  /// Turns the power off: every changed file is replaced by a new file with the bytes that are kept.
  ///
  /// The old file is unlinked, so that processes that have it open cannot change the new file.
  mutating func turnOff(_ power: PowerLoss) {
    guard !isOff else { return }
    isOff = true
    life += 1
    var random = power.seed.map { SplitMix64(seed: $0) }
    for (path, writes) in unsynced.sorted(by: { $0.key < $1.key }) {
      RealBytes.replace(path, by: writes.survivors(tornBy: &random))
    }
    for path in databases { unlink(path + "-shm") }
    databases.removeAll()
    unsynced.removeAll()
  }
}

/// Functions that read and replace the bytes of real files.
private enum RealBytes {
  /// Returns all bytes of a file that a connection has open.
  ///
  /// If the file cannot be read, the process ends, because a power-off could not restore its bytes.
  static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      fatalError("\(path) is open and cannot be read: error \(errno)")
    }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: max(0, ftell(file)))
    rewind(file)
    let count = fread(&bytes, 1, bytes.count, file)
    guard count == bytes.count else {
      fatalError("\(path) has \(bytes.count) bytes, of which \(count) can be read: error \(errno)")
    }
    return bytes
  }

  /// Replaces a file with a new file of the given bytes; deletes the file if there are no bytes.
  static func replace(_ path: String, by bytes: [UInt8]) {
    unlink(path)
    guard !bytes.isEmpty else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0, let file = fdopen(descriptor, "wb") else {
      fatalError("\(path) cannot be written after a power-off: error \(errno)")
    }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else {
      fatalError("\(path) cannot be written after a power-off: error \(errno)")
    }
  }
}

/// SQLite's handle on a real file, followed in memory by the handle of the platform's VFS.
///
/// SQLite allocates the memory for both handles. `base` must be the first member, because SQLite reads
/// the methods through a pointer to it.
struct RealFile {
  typealias Pointer = UnsafeMutablePointer<RealFile>

  private var base: sqlite3_file
  /// The file system, which the handle retains until the handle is closed.
  private let owner: Unmanaged<RealFileSystem>
  let path: String?
  let kind: FileKind
  /// The number of power-offs before this handle was opened; the next power-off invalidates the handle.
  let life: Int

  init(owner: RealFileSystem, path: String?, kind: FileKind, life: Int) {
    base = sqlite3_file(pMethods: UnsafePointer(owner.methods))
    self.owner = .passRetained(owner)
    self.path = path
    self.kind = kind
    self.life = life
  }

  /// The size of this handle in bytes, rounded up to a multiple of 16.
  ///
  /// The handle of the platform's VFS starts at this offset.
  static let size = (MemoryLayout<RealFile>.stride + 15) / 16 * 16

  /// Returns the handle from SQLite's pointer, which is never `nil` in a call of a method.
  static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Pointer {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: RealFile.self)
  }

  /// Returns the platform VFS's handle, which lies in memory right after this file system's handle.
  static func real(
    of file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<sqlite3_file> {
    let start = UnsafeMutableRawPointer(file.unsafelyUnwrapped) + size
    return start.assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Ends the handle's reference to the file system.
  fileprivate func release() { owner.release() }

  /// Passes a call to the file system's observer closure, if there is one.
  fileprivate func report(_ call: FileCall) {
    owner._withUnsafeGuaranteedRef { $0.callObserver?(call, kind) }
  }

  fileprivate func locked<Answer>(_ body: (inout RealDisk) -> Answer) -> Answer {
    owner._withUnsafeGuaranteedRef { $0.locked(body) }
  }
}

extension RealFile {
  /// Creates the table of methods that every open file points to.
  ///
  /// The methods are those of https://sqlite.org/c3ref/io_methods.html, version 2.
  static func makeMethods() -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { file in
      let handle = RealFile.at(file)
      let real = RealFile.real(of: file)
      let code = real.pointee.pMethods.pointee.xClose(real)
      handle.pointee.locked { $0.noteClose() }
      handle.pointee.release()
      handle.deinitialize(count: 1)
      return code
    }
    addBytes(to: &methods)
    addLocks(to: &methods)
    addSharedMemory(to: &methods)
    addProperties(to: &methods)
    return methods
  }

  /// Performs a call on the handle of the platform's VFS, unless a fault makes the call fail.
  private static func perform(
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ call: FileCall,
    on kind: FileKind? = nil,
    _ note: (inout RealDisk, RealFile) -> Void = { _, _ in },
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    let handle = at(file).pointee
    handle.report(call)
    let code = handle.locked { disk in
      let code = disk.admit(call, kind ?? handle.kind, life: handle.life)
      if code == SQLITE_OK { note(&disk, handle) }
      return code
    }
    guard code == SQLITE_OK else { return code }
    let real = real(of: file)
    return body(real, real.pointee.pMethods.pointee)
  }

  private static func addBytes(to methods: inout sqlite3_io_methods) {
    methods.xRead = { file, target, count, offset in
      let handle = RealFile.at(file).pointee
      let code = handle.locked { $0.admit(.read, handle.kind, life: handle.life) }
      guard code == SQLITE_OK || code == ExtendedCode.shortRead, let target else { return code }
      let real = RealFile.real(of: file)
      let answer = real.pointee.pMethods.pointee.xRead(real, target, count, offset)
      guard code == ExtendedCode.shortRead else { return answer }
      let half = Int(count) / 2
      (target + half).initializeMemory(as: UInt8.self, repeating: 0, count: Int(count) - half)
      return code
    }
    methods.xWrite = { file, source, count, offset in
      RealFile.perform(file, .write) { disk, handle in
        disk.note(handle.path) { writes in
          if let source { writes.write(source, at: Int(offset), count: Int(count)) }
        }
      } _: {
        $1.xWrite($0, source, count, offset)
      }
    }
    methods.xTruncate = { file, size in
      RealFile.perform(file, .truncate) { disk, handle in
        disk.note(handle.path) { $0.truncate(to: Int(size)) }
      } _: {
        $1.xTruncate($0, size)
      }
    }
    methods.xSync = { file, flags in
      let handle = RealFile.at(file).pointee
      let code = RealFile.perform(file, .sync) { $1.xSync($0, flags) }
      guard code == SQLITE_OK || code == ExtendedCode.delayed else { return code }
      handle.locked { $0.sync(handle.path, isDelayed: code == ExtendedCode.delayed) }
      return SQLITE_OK
    }
    methods.xFileSize = { file, size in
      RealFile.perform(file, .size) { $1.xFileSize($0, size) }
    }
  }

  private static func addLocks(to methods: inout sqlite3_io_methods) {
    methods.xLock = { file, level in RealFile.perform(file, .lock) { $1.xLock($0, level) } }
    methods.xUnlock = { file, level in RealFile.perform(file, .unlock) { $1.xUnlock($0, level) } }
    methods.xCheckReservedLock = { file, answer in
      RealFile.perform(file, .checkLock) { $1.xCheckReservedLock($0, answer) }
    }
  }

  private static func addSharedMemory(to methods: inout sqlite3_io_methods) {
    methods.xShmMap = { file, index, size, extending, region in
      RealFile.perform(file, .map, on: .shm) { $1.xShmMap($0, index, size, extending, region) }
    }
    methods.xShmLock = { file, first, count, flags in
      let call: FileCall = flags & SQLITE_SHM_UNLOCK != 0 ? .unlock : .lock
      return RealFile.perform(file, call, on: .shm) { $1.xShmLock($0, first, count, flags) }
    }
    methods.xShmBarrier = { file in
      let real = RealFile.real(of: file)
      real.pointee.pMethods.pointee.xShmBarrier(real)
    }
    methods.xShmUnmap = { file, isDeleted in
      let real = RealFile.real(of: file)
      return real.pointee.pMethods.pointee.xShmUnmap(real, isDeleted)
    }
  }

  private static func addProperties(to methods: inout sqlite3_io_methods) {
    methods.xFileControl = { file, operation, argument in
      let real = RealFile.real(of: file)
      return real.pointee.pMethods.pointee.xFileControl(real, operation, argument)
    }
    methods.xSectorSize = { file in
      let real = RealFile.real(of: file)
      return real.pointee.pMethods.pointee.xSectorSize(real)
    }
    methods.xDeviceCharacteristics = { file in
      let real = RealFile.real(of: file)
      return real.pointee.pMethods.pointee.xDeviceCharacteristics(real)
    }
  }
}

internal import CSQLite
internal import Synchronization

/// The platform's own file system with faults: real files, real locks, real shared memory.
///
///     let files = RealFileSystem()
///     sqlite3_open_v2("/tmp/app.store", &db, flags, files.name)
///
/// Every call is passed on to SQLite's default VFS unless a fault makes the call fail. At a
/// power-off the files are replaced by their durable bytes, as in ``HeapFileSystem``. The file
/// system stays registered as long as this object is referenced or any of its files is open.
///
/// With `isDefault: true`, the file system also serves every connection that names no VFS, so that the
/// code that opens connections need not change. It then stays registered until the process ends.
package final class RealFileSystem: FaultySystem, @unchecked Sendable {
  package let name: String

  /// SQLite's default VFS, which performs the calls.
  let base: UnsafeMutablePointer<sqlite3_vfs>
  /// The table of methods to which each open file points.
  let methods: UnsafeMutablePointer<sqlite3_io_methods>
  /// A closure that receives each call on an open file before the call is made, except reads and closes.
  let callObserver: (@Sendable (FileCall, FileKind) -> Void)?
  private let lock = Lock()
  /// The state of the file system, accessed only while the lock is held.
  private let disk: UnsafeMutablePointer<RealDisk>
  private let system: UnsafeMutablePointer<sqlite3_vfs>
  private let cName: UnsafeMutablePointer<CChar>

  private static let instanceCount = Atomic<Int>(0)

  /// Creates a file system and registers it with SQLite.
  ///
  /// If `waits` is `false`, SQLite's pauses between attempts to lock take no time: a busy timeout
  /// elapses at once.
  package init(
    isDefault: Bool = false,
    waits: Bool = true,
    observingCalls observer: (@Sendable (FileCall, FileKind) -> Void)? = nil
  ) {
    self.callObserver = observer
    guard let base = sqlite3_vfs_find(nil) else {
      fatalError("SQLite has no default VFS, so real files cannot be opened")
    }
    let number = Self.instanceCount.add(1, ordering: .relaxed).newValue
    let name = "real-\(number)"
    self.name = name
    cName = name.withCString { text in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
      copy.initialize(from: text, count: name.utf8.count + 1)
      return copy
    }
    self.base = base
    disk = .allocate(capacity: 1)
    disk.initialize(to: RealDisk())
    methods = .allocate(capacity: 1)
    methods.initialize(to: RealFile.makeMethods())
    system = .allocate(capacity: 1)
    // The methods that do not concern files are copied from the platform's VFS.
    system.initialize(to: base.pointee)
    if !waits { system.pointee.xSleep = { _, microseconds in microseconds } }
    fillIn()
    let code = sqlite3_vfs_register(system, isDefault ? 1 : 0)
    guard code == SQLITE_OK else { fatalError("SQLite did not register \(name): code \(code)") }
    // Copies of the default VFS refer to it, for example the one that seeds the random generator.
    if isDefault { _ = Unmanaged.passRetained(self) }
  }

  deinit {
    sqlite3_vfs_unregister(system)
    disk.deinitialize(count: 1)
    disk.deallocate()
    lock.deallocate()
    system.deallocate()
    methods.deallocate()
    cName.deallocate()
  }

  /// Runs a closure on the disk's state while holding the lock.
  func locked<Answer>(_ body: (inout RealDisk) -> Answer) -> Answer {
    lock.held { body(&disk.pointee) }
  }

  package func arm(_ faults: [FileFault]) { locked { $0.faults.arm(faults) } }

  @discardableResult
  package func disarm() -> [FaultTally] {
    locked { disk in
      let tallies = disk.faults.tallies
      disk.faults.arm([])
      return tallies
    }
  }

  package func watchPower(_ watch: PowerWatch = .honest) { locked { $0.startWatch(watch) } }

  package func turnOff(_ loss: PowerLoss) { locked { $0.turnOff(loss) } }

  package func turnOn() { locked { $0.isOff = false } }

  package var isOff: Bool { locked { $0.isOff } }

  // MARK: Methods

  private static func at(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> RealFileSystem {
    let data = system.unsafelyUnwrapped.pointee.pAppData.unsafelyUnwrapped
    return Unmanaged.fromOpaque(data).takeUnretainedValue()
  }

  /// Replaces the methods that concern files in the copy of the platform's VFS.
  private func fillIn() {
    system.pointee.iVersion = 2
    system.pointee.szOsFile = Int32(RealFile.size) + base.pointee.szOsFile
    system.pointee.pNext = nil
    system.pointee.zName = UnsafePointer(cName)
    system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    system.pointee.xOpen = { system, path, file, flags, outFlags in
      guard let file else { return SQLITE_CANTOPEN }
      return RealFileSystem.at(system).open(path, file, flags, outFlags)
    }
    system.pointee.xDelete = { system, path, syncs in
      let files = RealFileSystem.at(system)
      let name = path.map { String(cString: $0) } ?? ""
      let code = files.admit(.delete, FileKind(path: name))
      guard code == SQLITE_OK else { return code }
      files.locked { $0.noteDelete(name) }
      return files.base.pointee.xDelete(files.base, path, syncs)
    }
    system.pointee.xAccess = { system, path, flags, answer in
      let files = RealFileSystem.at(system)
      let code = files.admit(.access, FileKind(path: path.map { String(cString: $0) } ?? ""))
      return code == SQLITE_OK ? files.base.pointee.xAccess(files.base, path, flags, answer) : code
    }
  }

  /// Applies the armed faults to a call without a handle, and returns `SQLITE_OK` or an error code.
  ///
  /// While the power is off, every such call fails.
  private func admit(_ call: FileCall, _ kind: FileKind) -> Int32 {
    locked { $0.admit(call, kind, life: $0.life) }
  }

  private func open(
    _ path: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    file.pointee.pMethods = nil
    let kind = FileKind(openFlags: flags)
    let code = admit(.open, kind)
    guard code == SQLITE_OK else { return code }
    let real = RealFile.real(of: file)
    let opened = base.pointee.xOpen(base, path, real, flags, outFlags)
    guard opened == SQLITE_OK else { return opened }
    let name = path.map { String(cString: $0) }
    let life = locked { disk in
      disk.noteOpen(name, kind)
      return disk.life
    }
    RealFile.at(file).initialize(
      to: RealFile(owner: self, path: name, kind: kind, life: life)
    )
    return SQLITE_OK
  }
}

/// The address of a disk, and the lock that guards the disk.
///
/// Every handle has a copy of this value, so that a call reaches the disk through pointers alone,
/// without a reference count, a hash or a check of exclusive access.
struct SharedDisk {
  private let lock: Lock
  private let disk: UnsafeMutablePointer<HeapDisk>

  /// Creates an empty disk.
  init(seed: UInt64) {
    lock = Lock()
    disk = .allocate(capacity: 1)
    disk.initialize(to: HeapDisk(seed: seed))
  }

  /// Frees the disk with all its files; no handle may be open.
  func deallocate() {
    disk.pointee.deallocate()
    disk.deinitialize(count: 1)
    disk.deallocate()
    lock.deallocate()
  }

  /// Runs a closure on the disk while holding the lock.
  @inline(__always)
  func locked<Answer>(_ body: (inout HeapDisk) -> Answer) -> Answer {
    lock.held { body(&disk.pointee) }
  }
}

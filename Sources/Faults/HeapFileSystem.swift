internal import Basics
internal import CSQLite
internal import Synchronization

/// A file system on the heap for SQLite, with real WAL and several connections, that uses no disk.
///
///     let files = HeapFileSystem()
///     sqlite3_open_v2("app.store", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, files.name)
///
/// Connections of this process share its files, shared memory and locks as connections of several
/// processes share those of a real file system. No call waits for a lock: a busy one fails at once,
/// and `sqlite3_busy_timeout` takes no time. Paths are names, compared byte by byte.
///
/// Any thread may use it; a mutex serializes the calls. It stays registered as long as it is
/// referenced or any of its files is open.
package final class HeapFileSystem: @unchecked Sendable {
  /// The name to pass to `sqlite3_open_v2`, or as `vfs=` in a URI; unique to this instance.
  package let name: String

  /// The only mutable state; its mutex makes the class `Sendable`.
  let disk: SharedDisk
  /// The methods that each open file points to.
  let methods: UnsafeMutablePointer<sqlite3_io_methods>
  /// Returns the time in seconds since 2001-01-01 UTC.
  let clock: @Sendable () -> Double
  private let system: UnsafeMutablePointer<sqlite3_vfs>
  private let cName: UnsafeMutablePointer<CChar>

  private static let instanceCount = Atomic<Int>(0)

  /// Creates an empty file system and registers it with SQLite.
  ///
  /// - Parameters:
  ///   - seed: The seed of its random generator; see `reseed`. The default is 0.
  ///   - clock: Returns SQLite's time, in seconds since 2001-01-01 UTC. By default it always
  ///     returns 0.
  package init(seed: UInt64 = 0, clock: @escaping @Sendable () -> Double = { 0 }) {
    let number = Self.instanceCount.add(1, ordering: .relaxed).newValue
    name = "heap-\(number)"
    cName = Self.copy(name)
    disk = SharedDisk(seed: seed)
    self.clock = clock
    methods = .allocate(capacity: 1)
    methods.initialize(to: OpenFile.makeMethods())
    system = .allocate(capacity: 1)
    system.initialize(to: sqlite3_vfs())
    fillIn(&system.pointee, name: cName)
    let code = sqlite3_vfs_register(system, 0)
    guard code == SQLITE_OK else { fatalError("SQLite did not register \(name): code \(code)") }
  }

  deinit {
    sqlite3_vfs_unregister(system)
    disk.deallocate()
    system.deallocate()
    methods.deallocate()
    cName.deallocate()
  }

  /// Restarts the file system's random generator from a seed.
  ///
  /// SQLite draws the salts of a WAL from one generator for the whole process. Restarting that
  /// generator too, with `withSalts`, makes files equal byte by byte. Use it only if no other
  /// thread uses SQLite: a plan running on another thread would get salts that it has had before,
  /// and would accept frames that a power-off left from an earlier log as valid. The stored data
  /// and the number of calls do not depend on the salts.
  package func reseed(_ seed: UInt64, withSalts: Bool = false) {
    disk.locked { $0.random = SplitMix64(seed: seed) }
    if withSalts { ProcessRandomness.restart(seed: seed) }
  }

  /// The number of SQLite's calls, and the bytes moved, since the file system was created.
  package var counters: CallCounters {
    disk.locked { $0.counters }
  }

  /// The handles, files and memory in use.
  package var usage: HeapUsage {
    disk.locked { $0.usage }
  }

  private static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
    let characters = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
    for (index, character) in characters.enumerated() { (copy + index).initialize(to: character) }
    return copy
  }
}

extension HeapFileSystem {
  /// Replaces the armed faults; their counts start at 0.
  ///
  /// Where several faults apply to one call, the first decides how it fails.
  package func arm(_ faults: [FileFault]) {
    disk.locked { $0.faults.arm(faults) }
  }

  /// Disarms all faults, and returns their tallies in the order in which they were armed.
  @discardableResult
  package func disarm() -> [FaultTally] {
    disk.locked { disk in
      let tallies = disk.faults.tallies
      disk.faults.arm([])
      return tallies
    }
  }
}

extension HeapFileSystem {
  /// Copies the bytes of one file, or returns `nil` if there is no file at the path.
  package func image(of path: String) -> FileImage? {
    disk.locked { $0.files[path]?.pointee.image() }
  }

  /// Copies all files and the mapped shared memory.
  ///
  /// Taken while a connection is inside a transaction, the image is what a process crash at this
  /// moment leaves.
  ///
  /// - Complexity: O(bytes of all files).
  package func snapshot() -> FileSystemImage {
    disk.locked { $0.snapshot() }
  }

  /// Copies the bytes of all files and of mapped shared memory that differ from an image.
  ///
  /// If unsynced writes are tracked, the image includes the synced bytes. After it is restored,
  /// everything that was not synced counts as one write.
  ///
  /// - Complexity: O(bytes of all files), but takes memory only for the difference.
  package func snapshot(sharing base: FileSystemImage) -> SparseImage {
    disk.locked { $0.snapshot(sharing: base) }
  }

  /// The number of write, truncate and delete calls to shared files; restoring files keeps it.
  package var writeCount: Int { disk.locked { $0.writeCount } }

  /// Replaces the contents of all files by those of a sparse image, like ``restore(_:)``.
  package func restore(_ image: SparseImage) {
    disk.locked { $0.restore(image) }
  }

  /// Replaces the contents of all files by those of an image.
  ///
  /// Connections may stay open if each is in WAL mode and outside a transaction (a statement that
  /// was not reset is a transaction): their next statement sees the restored content. A connection
  /// inside a transaction ends the program. A file that the image lacks is deleted; if a connection
  /// is open on it, it becomes empty instead. In rollback mode, close all connections first: SQLite
  /// could use a stale page in its cache.
  ///
  /// - Complexity: O(bytes of the image); no allocation if the files were as large before.
  package func restore(_ image: FileSystemImage) {
    disk.locked { $0.restore(image) }
  }

  /// Writes an image to a path: a fresh store without running its schema.
  ///
  /// The image must be of a store that was checkpointed. The program ends if a connection has the
  /// file open. A log that exists next to the path is not deleted.
  package func install(_ image: FileImage, at path: String) {
    disk.locked { $0.install(image, at: path) }
  }

  /// Deletes all files; open connections keep theirs until they close.
  ///
  /// The buffers are kept for later files.
  package func removeAll() {
    disk.locked { $0.unlinkAll() }
  }
}

extension HeapFileSystem {
  /// Treats everything written so far as durable, and starts tracking unsynced writes.
  ///
  /// A power-off loses the unsynced writes. Tracking stops when all files are removed or restored
  /// from a whole image; a sparse image restores the tracking too.
  ///
  /// - Complexity: O(bytes of all files), and each write is copied once more.
  package func watchPower(_ watch: PowerWatch = .honest) {
    disk.locked { $0.startWatch(watch) }
  }

  /// Turns the power off between two calls.
  ///
  /// Every file keeps its surviving bytes. Calls of handles that were open fail from now on, and no
  /// file can be opened until the power is on again.
  package func turnOff(_ loss: PowerLoss) {
    disk.locked { $0.turnOff(loss) }
  }

  /// Turns the power on, so that files can be opened again.
  ///
  /// Handles from before the power-off stay invalid.
  package func turnOn() {
    disk.locked { $0.isOff = false }
  }

  /// The state that would survive a power-off now, or `nil` if unsynced writes are not tracked.
  package var powerState: PowerState? { disk.locked { $0.powerState } }

  /// Whether the power is off.
  package var isOff: Bool { disk.locked { $0.isOff } }
}

/// The resources that a heap file system uses; a leak would make these counts grow.
package struct HeapUsage: Sendable, Hashable {
  /// The number of handles that SQLite has open.
  package var openHandles: Int
  /// The number of files that have a path.
  package var files: Int
  /// The number of files without a path that have an open handle: deleted or temporary ones.
  package var detachedFiles: Int
  /// The number of empty files kept for their buffers.
  package var spareFiles: Int
  /// The size of all buffers and shared memory regions in bytes, unused capacity included.
  package var allocatedBytes: Int
}

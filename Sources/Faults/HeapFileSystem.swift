internal import Basics
internal import CSQLite
internal import Synchronization

/// A file system in memory for SQLite, which supports the WAL mode and several connections.
///
///     let files = HeapFileSystem()
///     sqlite3_open_v2("app.store", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, files.name)
///
/// Connections of this process share the files, shared memory and locks, as connections of several
/// processes share those of a real file system. No call waits for a lock: a busy lock fails at once,
/// and `sqlite3_busy_timeout` takes no time. Paths are names, compared byte by byte.
///
/// Any thread may use the file system; a mutex serializes the calls. The file system stays registered
/// as long as it is referenced or any of its files is open.
package final class HeapFileSystem: @unchecked Sendable {
  /// The name to pass to `sqlite3_open_v2`, or as `vfs=` in a URI; unique to this instance.
  package let name: String

  /// The files, the counters and the armed faults, guarded by a mutex.
  let disk: SharedDisk
  /// The table of methods to which each open file points.
  let methods: UnsafeMutablePointer<sqlite3_io_methods>
  /// The clock, which returns the time in seconds since 2001-01-01 UTC.
  let clock: @Sendable () -> Double
  /// The VFSs that `makeVFS` has registered, each for one store; the VFS `name` is for all stores.
  let vfsNumbers = Mutex(HeapVFSNumbers())
  private var system: VFSRegistration?

  private static let instanceCount = Atomic<Int>(0)

  /// Creates an empty file system and registers it with SQLite.
  ///
  /// - Parameters:
  ///   - seed: The seed of the file system's random generator; see `reseed`. The default is 0.
  ///   - clock: A closure that returns SQLite's time, in seconds since 2001-01-01 UTC. The default
  ///     always returns 0.
  package init(seed: UInt64 = 0, clock: @escaping @Sendable () -> Double = { 0 }) {
    let number = Self.instanceCount.add(1, ordering: .relaxed).newValue
    name = "heap-\(number)"
    disk = SharedDisk(seed: seed)
    self.clock = clock
    methods = .allocate(capacity: 1)
    methods.initialize(to: OpenFile.makeMethods())
    system = VFSRegistration(self, name: name)
  }

  deinit {
    system?.unregister()
    for vfs in vfsNumbers.withLock({ $0.registered }) { vfs.unregister() }
    disk.deallocate()
    methods.deallocate()
  }

  /// Restarts the file system's random generator from a seed.
  ///
  /// SQLite draws the salts of a WAL from one generator for the whole process. If `withSalts` is
  /// `true`, that generator is restarted too, which makes files equal byte by byte. Use `withSalts`
  /// only if no other thread uses SQLite. Otherwise a plan on another thread could get the same
  /// salts a second time, and would accept frames of an earlier log, left by a power-off, as valid.
  /// The stored data and the number of calls do not depend on the salts.
  package func reseed(_ seed: UInt64, withSalts: Bool = false) {
    disk.locked { $0.random = SplitMix64(seed: seed) }
    if withSalts { ProcessRandomness.restart(seed: seed) }
  }

  /// The number of SQLite's calls, and of the bytes moved, since the file system was created.
  package var counters: CallCounters {
    disk.locked { $0.counters }
  }

  /// The handles, files and memory in use.
  package var usage: HeapUsage {
    disk.locked { $0.usage }
  }
}

extension HeapFileSystem {
  /// Replaces the armed faults, and resets their counts to 0.
  ///
  /// If several faults make the same call fail, the first of them decides how it fails.
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
  /// Copies the bytes of one file; `nil` if there is no file at the path.
  package func image(of path: String) -> FileImage? {
    disk.locked { $0.files[path]?.pointee.image() }
  }

  /// Copies all files and the mapped shared memory.
  ///
  /// An image that is taken while a connection is inside a transaction has the bytes that a crash of
  /// the process at this moment would leave.
  ///
  /// - Complexity: O(bytes of all files).
  package func snapshot() -> FileSystemImage {
    disk.locked { $0.snapshot() }
  }

  /// Copies the bytes of all files and of mapped shared memory that differ from the image `base`.
  ///
  /// If unsynced writes are tracked, the copy also has the synced bytes of each file that has such
  /// writes. After the copy is restored, all unsynced changes of a file count as one write.
  ///
  /// - Complexity: O(bytes of all files), but takes memory only for the difference.
  package func snapshot(sharing base: FileSystemImage) -> SparseImage {
    disk.locked { $0.snapshot(sharing: base) }
  }

  /// The number of write, truncate and delete calls to databases, logs and journals.
  ///
  /// Failed calls are included. Restoring files does not reset the number.
  package var writeCount: Int { disk.locked { $0.writeCount } }

  /// Replaces the contents of all files with those of a sparse image, like ``restore(_:)``.
  package func restore(_ image: SparseImage) {
    disk.locked { $0.restore(image) }
  }

  /// Replaces the contents of all files with those of an image.
  ///
  /// Connections may stay open if each is in WAL mode and outside a transaction (a statement that
  /// was not reset is a transaction): their next statement reads the restored content. The program
  /// ends if a connection is inside a transaction. A file that the image lacks is deleted; if a
  /// connection has the file open, the file becomes empty instead. In rollback mode, close all
  /// connections first: SQLite could use a stale page in its cache.
  ///
  /// - Complexity: O(bytes of the image); no allocation if the files were as large before.
  package func restore(_ image: FileSystemImage) {
    disk.locked { $0.restore(image) }
  }

  /// Writes an image to a path, as a new store with the schema of the image.
  ///
  /// The image must be of a store that was checkpointed. The program ends if a connection has the
  /// file open. An existing write-ahead log of that path is not deleted.
  package func install(_ image: FileImage, at path: String) {
    disk.locked { $0.install(image, at: path) }
  }

  /// Deletes all files; open connections can still use their files until they are closed.
  ///
  /// The buffers are kept for later files.
  package func removeAll() {
    disk.locked { $0.unlinkAll() }
  }
}

extension HeapFileSystem {
  /// Treats all data written so far as durable, and starts tracking unsynced writes.
  ///
  /// A power-off loses the unsynced writes. `watch` decides whether a sync makes writes durable
  /// (the default) or is ignored. Tracking stops when all files are removed or restored from an
  /// image, unless the image is a ``SparseImage`` that was taken while writes were tracked.
  ///
  /// - Complexity: O(bytes of all files); while writes are tracked, each write is copied once more.
  package func watchPower(_ watch: PowerWatch = .honest) {
    disk.locked { $0.startWatch(watch) }
  }

  /// Simulates a power-off between two calls of SQLite.
  ///
  /// Every file keeps its durable bytes. Calls of handles that were open fail from now on, and no
  /// file can be opened until the power is on again.
  package func turnOff(_ loss: PowerLoss) {
    disk.locked { $0.turnOff(loss) }
  }

  /// Ends the simulated power-off, so that files can be opened again.
  ///
  /// Handles from before the power-off stay invalid.
  package func turnOn() {
    disk.locked { $0.isOff = false }
  }

  /// The state that a power-off would leave now; `nil` if unsynced writes are not tracked.
  package var powerState: PowerState? { disk.locked { $0.powerState } }

  /// Whether a simulated power-off is in effect.
  package var isOff: Bool { disk.locked { $0.isOff } }
}

/// The resources that a heap file system uses; a leak makes these counts grow.
package struct HeapUsage: Sendable, Hashable {
  /// The number of handles that SQLite has open.
  package var openHandles: Int
  /// The number of files that have a path.
  package var files: Int
  /// The number of temporary or deleted files, which have an open handle and no path.
  package var detachedFiles: Int
  /// The number of empty files that are kept so that later files can use their buffers.
  package var spareFiles: Int
  /// The size of all buffers and shared memory regions in bytes, unused capacity included.
  package var allocatedBytes: Int
}

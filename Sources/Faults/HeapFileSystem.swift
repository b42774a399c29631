internal import CSQLite
internal import Synchronization

/// A file system on the heap for SQLite: real WAL, several connections, nothing on disk.
///
///     let files = HeapFileSystem()
///     sqlite3_open_v2("app.store", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, files.name)
///
/// Connections of this process share its files, shared memory and locks as connections of several
/// processes share those of a real file system. No lock is waited for: a busy one answers at once,
/// and `sqlite3_busy_timeout` takes no time. Paths are names, compared byte by byte.
///
/// Any thread may use it, one call at a time holds its mutex. It stays registered while it is
/// referenced or any of its files is open, whichever is longer.
package final class HeapFileSystem: @unchecked Sendable {
  /// The name to give to `sqlite3_open_v2` or to `vfs=` in a URI; no other instance has it.
  package let name: String

  /// Guarded by its mutex, which makes the class sendable: nothing else changes.
  let disk: SharedDisk
  /// The methods that each open file points to.
  let methods: UnsafeMutablePointer<sqlite3_io_methods>
  /// Tells the time in seconds since 2001-01-01 UTC.
  let clock: @Sendable () -> Double
  private let system: UnsafeMutablePointer<sqlite3_vfs>
  private let cName: UnsafeMutablePointer<CChar>

  private static let instanceCount = Atomic<Int>(0)

  /// Makes an empty file system and registers it with SQLite.
  ///
  /// - Parameters:
  ///   - seed: What its randomness starts from; see `reseed`.
  ///   - clock: Tells SQLite the time, in seconds since 2001-01-01 UTC; it stands still by default.
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

  /// Starts the file system's randomness again from a seed.
  ///
  /// SQLite takes the salts of a WAL from one generator for the whole process. That it starts again,
  /// too, makes files equal byte by byte, and is for a thread that uses SQLite alone: to another whose
  /// plan is under way it gives salts that this plan has had, and frames that a power-off left from an
  /// earlier log count as valid then. What files hold and the number of calls do not depend on it.
  package func reseed(_ seed: UInt64, withSalts: Bool = false) {
    disk.locked { $0.random = SplitMix(seed: seed) }
    if withSalts { ProcessRandomness.restart(seed: seed) }
  }

  /// How often SQLite called, and the bytes that it moved, since the file system was made.
  package var counters: CallCounters {
    disk.locked { $0.counters }
  }

  /// What is held now.
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

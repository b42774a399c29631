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
    disk.locked { $0.random = SplitMix(seed: seed) }
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

internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// SQLite's own allocator, with allocations that can be made to fail for the calling thread.
///
/// SQLite accepts an allocator only before it is first used in a process
/// (https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmalloc), so this
/// allocator is installed early, once per process. On a thread without an armed fault, each
/// allocation costs one additional thread-local lookup. Small allocations from a connection's
/// lookaside memory are not counted.
package enum FailingAllocator {
  /// The armed fault of a thread, and the allocations counted and failed since it was armed.
  private struct Count {
    let k: Int
    let from: Bool
    var counted = 0
    var failed = 0

    /// Counts an allocation, and returns whether this allocation must fail.
    mutating func fire() -> Bool {
      counted += 1
      guard counted == k || (from && counted > k) else { return false }
      failed += 1
      return true
    }
  }

  /// SQLite's own allocator methods, to which this allocator passes the calls; written only once.
  @exclusivity(unchecked)
  nonisolated(unsafe) private static var standard = sqlite3_mem_methods()
  @exclusivity(unchecked)
  nonisolated(unsafe) private static var key = pthread_key_t()

  /// Whether allocations can be made to fail.
  ///
  /// The first access installs the allocator. The value is `false` if the process had used SQLite
  /// before.
  package static let isInPlace: Bool = {
    guard csqlite_get_allocator(&standard) == SQLITE_OK, pthread_key_create(&key, nil) == 0 else {
      return false
    }
    var methods = standard
    methods.xMalloc = { count in
      FailingAllocator.fires ? nil : FailingAllocator.standard.xMalloc(count)
    }
    methods.xRealloc = { memory, count in
      FailingAllocator.fires ? nil : FailingAllocator.standard.xRealloc(memory, count)
    }
    // SQLite's memory statistics would make all threads contend for a mutex at every allocation.
    _ = csqlite_turn_off_memory_status()
    return csqlite_set_allocator(&methods) == SQLITE_OK
  }()

  /// Disables lookaside memory for connections opened later, so that all allocations are counted.
  ///
  /// Call this after the allocator was installed, and before SQLite is first used.
  package static func turnOffLookaside() { _ = csqlite_turn_off_lookaside() }

  /// Makes the `k`-th allocation of this thread fail; if `from` is `true`, also all later ones.
  ///
  /// The next allocation has the number 1.
  package static func arm(k: Int, from: Bool = false) {
    disarm()
    let count = UnsafeMutablePointer<Count>.allocate(capacity: 1)
    count.initialize(to: Count(k: k, from: from))
    pthread_setspecific(key, count)
  }

  /// Disarms the fault of this thread, and returns the number of injected failures.
  @discardableResult
  package static func disarm() -> Int {
    guard let count = pthread_getspecific(key)?.assumingMemoryBound(to: Count.self) else {
      return 0
    }
    pthread_setspecific(key, nil)
    defer { count.deallocate() }
    return count.pointee.failed
  }

  /// Whether the current allocation of this thread fails; reading the property counts the allocation.
  private static var fires: Bool {
    guard let count = pthread_getspecific(key) else { return false }
    return count.assumingMemoryBound(to: Count.self).pointee.fire()
  }
}

internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// SQLite's own allocator, with requests that fail for the thread that asks for it.
///
/// SQLite takes an allocator only before it is first used in a process
/// (https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmalloc), so it is put in
/// place early, once and for all; threads that are not armed pay for one look at a key. Small requests
/// that SQLite serves from memory which a connection set aside before do not come here.
package enum FailingAllocator {
  /// What an armed thread counts.
  private struct Count {
    let k: Int
    let from: Bool
    var counted = 0
    var failed = 0

    /// Counts a request, and answers whether it fails.
    mutating func strike() -> Bool {
      counted += 1
      guard counted == k || (from && counted > k) else { return false }
      failed += 1
      return true
    }
  }

  /// Written once, before SQLite knows of the methods that read it.
  @exclusivity(unchecked)
  nonisolated(unsafe) private static var standard = sqlite3_mem_methods()
  @exclusivity(unchecked)
  nonisolated(unsafe) private static var key = pthread_key_t()

  /// Whether requests can be made to fail: asking for it puts the allocator in place, which is too late
  /// once anything in the process has used SQLite.
  package static let isInPlace: Bool = {
    guard csqlite_get_allocator(&standard) == SQLITE_OK, pthread_key_create(&key, nil) == 0 else {
      return false
    }
    var methods = standard
    methods.xMalloc = { count in
      FailingAllocator.strikes ? nil : FailingAllocator.standard.xMalloc(count)
    }
    methods.xRealloc = { memory, count in
      FailingAllocator.strikes ? nil : FailingAllocator.standard.xRealloc(memory, count)
    }
    // Two lanes would wait for each other at every request only to have it counted.
    _ = csqlite_turn_off_memory_status()
    return csqlite_set_allocator(&methods) == SQLITE_OK
  }()

  /// Sets no memory aside for the connections that are opened from now on, so that every request comes
  /// here; the allocator must be in place and SQLite not yet used.
  package static func turnOffLookaside() { _ = csqlite_turn_off_lookaside() }

  /// Makes the `k`-th request of this thread fail, counted from now, or every one from there on.
  package static func arm(k: Int, from: Bool = false) {
    disarm()
    let count = UnsafeMutablePointer<Count>.allocate(capacity: 1)
    count.initialize(to: Count(k: k, from: from))
    pthread_setspecific(key, count)
  }

  /// Ends it, and answers how many requests failed.
  @discardableResult
  package static func disarm() -> Int {
    guard let count = pthread_getspecific(key)?.assumingMemoryBound(to: Count.self) else {
      return 0
    }
    pthread_setspecific(key, nil)
    defer { count.deallocate() }
    return count.pointee.failed
  }

  /// Whether the request that this thread makes now fails.
  private static var strikes: Bool {
    guard let count = pthread_getspecific(key) else { return false }
    return count.assumingMemoryBound(to: Count.self).pointee.strike()
  }
}

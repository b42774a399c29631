internal import Basics
internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// SQLite's own random generator, which all connections of the process share.
///
/// The salts of a WAL and the checksum seed of a journal come from this generator. SQLite seeds the
/// generator from the default VFS at its first use, or at the next use after
/// `sqlite3_randomness(0, NULL)`.
enum ProcessRandomness {
  /// The lock that is held while the generator is restarted.
  private static let turn = Lock()
  /// The lock that guards `source`; SQLite may draw a seed from `source` on any thread.
  private static let sourceLock = Lock()
  nonisolated(unsafe) private static var source = SplitMix64(seed: 0)

  /// A copy of the default VFS, which differs only in its source of randomness.
  ///
  /// Files that another thread opens while the copy is the default are still real files. The copy is
  /// never freed, because such files refer to it.
  nonisolated(unsafe) private static let seedingSystem:
    (copy: UnsafeMutablePointer<sqlite3_vfs>, original: UnsafeMutablePointer<sqlite3_vfs>) = {
      guard let original = sqlite3_vfs_find(nil) else {
        fatalError("SQLite has no default VFS to seed its random generator from")
      }
      let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
      copy.initialize(to: original.pointee)
      copy.pointee.pNext = nil
      copy.pointee.xRandomness = { _, count, bytes in
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        sourceLock.held { source.fill(buffer) }
        return count
      }
      return (copy, original)
    }()

  /// Restarts the generator from a seed, which then determines all later bytes.
  static func restart(seed: UInt64) {
    turn.held {
      let (copy, original) = seedingSystem
      sourceLock.held { source = SplitMix64(seed: seed) }
      sqlite3_vfs_register(copy, 1)
      sqlite3_randomness(0, nil)
      var drawn: UInt8 = 0
      sqlite3_randomness(1, &drawn)
      sqlite3_vfs_register(original, 1)
      sqlite3_vfs_unregister(copy)
    }
  }
}

/// A mutex at a stable address, which is locked only while ``held(_:)`` runs a closure.
///
/// The mutex is a pthread mutex and not `Synchronization.Mutex`, because the thread sanitizer on Linux
/// does not see the fast path of `Synchronization.Mutex` and reports false races.
struct Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  /// Frees the mutex; no thread may hold it.
  func deallocate() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs a closure while holding the mutex.
  @inline(__always)
  func held<Answer>(_ body: () -> Answer) -> Answer {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A mutex at an address of its own, to be held for the length of one call.
///
/// A pthread mutex and not `Synchronization.Mutex`, whose fast path on Linux the thread sanitizer
/// does not see: it reports races that are none.
struct Lock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  /// Frees the mutex; nobody may hold it.
  func deallocate() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs a closure while no other thread runs one under this lock.
  @inline(__always)
  func held<Answer>(_ body: () -> Answer) -> Answer {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}

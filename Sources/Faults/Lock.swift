#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A mutex at a stable address, to be held for the length of one call.
///
/// It is a pthread mutex and not `Synchronization.Mutex`, because the thread sanitizer does not see
/// the fast path of the latter on Linux and reports false races.
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

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A dedicated thread, because it waits in the kernel for as long as a store is watched.
final class WatchThread: @unchecked Sendable {
  private let thread: pthread_t

  /// Starts a thread.
  ///
  /// - Throws: ``HistoryError/unwatchable(path:why:)`` when the system has no more threads
  ///   available.
  init(path: String, _ body: @escaping @Sendable () -> Void) throws(HistoryError) {
    let work = Unmanaged.passRetained(ThreadWork(body: body))
    #if canImport(Darwin)
    var made: pthread_t?
    let code = pthread_create(&made, nil, { runThread($0) }, work.toOpaque())
    guard code == 0, let made else {
      work.release()
      throw .unwatchable(path: path, why: String(cString: strerror(code)))
    }
    #else
    var made = pthread_t()
    let code = pthread_create(&made, nil, { runThread($0) }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw .unwatchable(path: path, why: String(cString: strerror(code)))
    }
    #endif
    thread = made
  }

  /// Joins or detaches the thread; must be called exactly once.
  func end(waiting: Bool) {
    if waiting, pthread_equal(pthread_self(), thread) == 0 {
      pthread_join(thread, nil)
    } else {
      pthread_detach(thread)
    }
  }
}

private final class ThreadWork {
  let body: @Sendable () -> Void

  init(body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().body()
  return nil
}

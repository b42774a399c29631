#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A clock with values in nanoseconds, passed in wherever time is measured.
package struct NanosecondClock: Sendable {
  private let read: @Sendable () -> UInt64

  /// Creates a clock from a closure that returns nanoseconds since a fixed moment.
  package init(read: @escaping @Sendable () -> UInt64) { self.read = read }

  /// Returns the clock's value, in nanoseconds.
  package func now() -> UInt64 { read() }

  /// The monotonic wall clock; it does not run while the machine sleeps.
  package static let wall = NanosecondClock { nanoseconds(of: CLOCK_MONOTONIC) }

  /// The time that the calling thread has spent on a processor.
  ///
  /// It does not advance while another process is running, so it varies less than wall time on a
  /// busy machine. Work that moves to another thread is not included.
  package static let threadCPU = NanosecondClock { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  private static func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else {
      fatalError("clock_gettime(\(clock)) failed with errno \(errno)")
    }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

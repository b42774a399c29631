#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A clock that is read in nanoseconds, handed in wherever time is measured.
package struct NanosecondClock: Sendable {
  private let read: @Sendable () -> UInt64

  /// Makes a clock from a closure that answers nanoseconds since a fixed moment.
  package init(read: @escaping @Sendable () -> UInt64) { self.read = read }

  /// Reads the clock, in nanoseconds.
  package func now() -> UInt64 { read() }

  /// The clock on the wall that never steps back; it does not run while the machine sleeps.
  package static let wall = NanosecondClock { nanoseconds(of: CLOCK_MONOTONIC) }

  /// The time that the calling thread has spent on a processor.
  ///
  /// It is not charged while another process is running, so it is the calmer of the two on a busy
  /// machine. Work that moves to another thread is not seen.
  package static let threadCPU = NanosecondClock { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  private static func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else {
      fatalError("clock_gettime(\(clock)) failed with errno \(errno)")
    }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

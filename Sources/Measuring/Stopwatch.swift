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

  /// Creates a clock from a closure that returns nanoseconds since a fixed point in time.
  package init(read: @escaping @Sendable () -> UInt64) { self.read = read }

  /// Returns the clock's value, in nanoseconds.
  package func now() -> UInt64 { read() }

  /// The monotonic wall clock; on Linux, it stops while the machine sleeps.
  package static let wall = NanosecondClock { nanoseconds(of: CLOCK_MONOTONIC) }

  /// The time that the calling thread has spent on a processor.
  ///
  /// The clock does not advance while the thread waits or other processes use the processor, so it
  /// varies less than wall time on a busy machine. Work that moves to another thread is not
  /// included.
  package static let threadCPU = NanosecondClock { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  private static func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else {
      fatalError("clock_gettime(\(clock)) failed with errno \(errno)")
    }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The duration of a measurement in nanoseconds, as wall time and as processor time.
package struct Elapsed: Sendable, Hashable, Codable {
  /// The wall time in nanoseconds.
  package var wall: Double
  /// The processor time of the measuring thread in nanoseconds.
  package var cpu: Double

  /// Creates a duration from nanoseconds.
  package init(wall: Double, cpu: Double) {
    self.wall = wall
    self.cpu = cpu
  }

  /// Returns the wall time or the processor time, in nanoseconds.
  package func time(_ kind: TimeKind) -> Double {
    switch kind {
    case .wall: wall
    case .cpu: cpu
    }
  }

  /// Divides the times by a number of operations.
  package func shared(over operations: Int) -> Elapsed {
    Elapsed(wall: wall / Double(operations), cpu: cpu / Double(operations))
  }
}

/// The kind of a measured time; the two kinds are never mixed.
package enum TimeKind: String, Sendable, Codable, CaseIterable {
  case wall
  /// Processor time of the measuring thread.
  case cpu
}

/// A timer that a measured closure starts and stops around the measured work.
///
/// Set-up before `start` and tear-down after `stop` are not included. A second start adds to the
/// elapsed time. Reading both clocks takes well under a microsecond: repeat work that takes less
/// than ten microseconds.
package struct Stopwatch {
  private let wallClock: NanosecondClock
  private let cpuClock: NanosecondClock
  private let meter: WorkMeter?
  private var startedAt: (wall: UInt64, cpu: UInt64)?
  private var wallSum: UInt64 = 0
  private var cpuSum: UInt64 = 0

  /// Creates a stopwatch at zero; tests can replace the clocks for wall time and processor time.
  ///
  /// If `meter` is given, it counts work during the timed parts. The times then mean little,
  /// because counting takes time.
  package init(
    wall: NanosecondClock = .wall,
    cpu: NanosecondClock = .threadCPU,
    counting meter: WorkMeter? = nil
  ) {
    wallClock = wall
    cpuClock = cpu
    self.meter = meter
  }

  /// Whether a timed part is in progress.
  package var isRunning: Bool { startedAt != nil }

  /// The sum of all finished timed parts.
  package var elapsed: Elapsed { Elapsed(wall: Double(wallSum), cpu: Double(cpuSum)) }

  /// Starts a timed part; the stopwatch must not be running.
  package mutating func start() {
    precondition(!isRunning, "the stopwatch is already running")
    meter?.begin()
    // Reading the processor clock costs a system call, so the wall clock is read after it, and
    // before it in `stop()`: that call is not part of the wall time.
    let cpu = cpuClock.now()
    startedAt = (wallClock.now(), cpu)
  }

  /// Ends the current timed part.
  package mutating func stop() {
    let wall = wallClock.now()
    let cpu = cpuClock.now()
    meter?.end()
    guard let startedAt else { preconditionFailure("the stopwatch was not started") }
    wallSum += wall - startedAt.wall
    cpuSum += cpu - startedAt.cpu
    self.startedAt = nil
  }

  /// Times a closure and returns its result.
  ///
  /// - Throws: The error of the closure; the stopwatch is stopped in that case too.
  package mutating func time<Answer, Failure: Error>(
    _ work: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    start()
    defer { stop() }
    return try work()
  }
}

/// A timer that a measured closure starts and stops around the measured work.
///
/// Set-up before `start` and tear-down after `stop` are not included. Starting it again adds to the
/// elapsed time. Reading both clocks takes well under a microsecond: repeat work that takes less
/// than ten microseconds.
package struct Stopwatch {
  private let wallClock: NanosecondClock
  private let cpuClock: NanosecondClock
  private let meter: WorkMeter?
  private var startedAt: (wall: UInt64, cpu: UInt64)?
  private var wallSum: UInt64 = 0
  private var cpuSum: UInt64 = 0

  /// Creates a stopwatch at zero; both clocks can be replaced.
  ///
  /// A meter counts during the timed parts. Then the times mean little, because counting takes
  /// time.
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

  /// The sum of all timed parts so far.
  package var elapsed: Elapsed { Elapsed(wall: Double(wallSum), cpu: Double(cpuSum)) }

  /// Starts a timed part; the stopwatch must not be running.
  package mutating func start() {
    precondition(!isRunning, "the stopwatch is already running")
    meter?.begin()
    // The processor clock costs a system call, so the wall clock is read inside of it.
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
  /// - Throws: what the closure throws; the watch is stopped in that case too.
  package mutating func time<Answer, Failure: Error>(
    _ work: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    start()
    defer { stop() }
    return try work()
  }
}

/// A timer that a measured closure starts and stops around the part that counts.
///
/// Set-up before `start` and tear-down after `stop` cost nothing. Starting and stopping again
/// adds up. Reading both clocks costs well under a microsecond: repeat what is shorter than ten.
package struct Stopwatch {
  private let wallClock: NanosecondClock
  private let cpuClock: NanosecondClock
  private let meter: WorkMeter?
  private var startedAt: (wall: UInt64, cpu: UInt64)?
  private var wallSum: UInt64 = 0
  private var cpuSum: UInt64 = 0

  /// Makes a stopwatch at zero; tests hand in clocks of their own.
  ///
  /// A meter counts during the timed parts; then the times mean little, for counting takes time.
  package init(
    wall: NanosecondClock = .wall,
    cpu: NanosecondClock = .threadCPU,
    counting meter: WorkMeter? = nil
  ) {
    wallClock = wall
    cpuClock = cpu
    self.meter = meter
  }

  /// Says whether the timed part is going on.
  package var isRunning: Bool { startedAt != nil }

  /// The sum of all timed parts so far.
  package var elapsed: Elapsed { Elapsed(wall: Double(wallSum), cpu: Double(cpuSum)) }

  /// Begins a timed part; starting twice is a mistake of the caller.
  package mutating func start() {
    precondition(!isRunning, "the stopwatch is already running")
    meter?.begin()
    // The processor clock costs a system call, so the wall is read inside of it.
    let cpu = cpuClock.now()
    startedAt = (wallClock.now(), cpu)
  }

  /// Ends the timed part that is going on.
  package mutating func stop() {
    let wall = wallClock.now()
    let cpu = cpuClock.now()
    meter?.end()
    guard let startedAt else { preconditionFailure("the stopwatch was not started") }
    wallSum += wall - startedAt.wall
    cpuSum += cpu - startedAt.cpu
    self.startedAt = nil
  }

  /// Times one closure and passes its answer on.
  ///
  /// - Throws: what the closure throws; the watch is stopped even then.
  package mutating func time<Answer, Failure: Error>(
    _ work: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    start()
    defer { stop() }
    return try work()
  }
}

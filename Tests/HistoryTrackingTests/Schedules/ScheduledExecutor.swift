import TestSupport

/// Runs its jobs one at a time on the test's thread, in an order drawn from a seed.
///
/// The same seed replays the schedule.
///
/// Custom executors:
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0392-custom-actor-executors.md
/// and 0417 for tasks.
final class ScheduledExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private enum Ready {
    case job(UnownedJob)
    case pause(CheckedContinuation<Void, Never>)
  }

  // Only the thread that runs the jobs accesses them: every task prefers this executor.
  private var ready: [Ready] = []
  private var random: SeededRandom
  /// How many jobs have run.
  private(set) var stepCount = 0
  /// The number of choices between several ready jobs.
  private(set) var choiceCount = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    ready.append(.job(UnownedJob(job)))
  }

  /// Yields to other jobs, as the schedule decides.
  func pause() async {
    await withCheckedContinuation { ready.append(.pause($0)) }
  }

  /// Draws a number from a range.
  func choose(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Starts a task on this executor.
  func start(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
  }

  /// Runs jobs until none is ready.
  func runUntilIdle() {
    while !ready.isEmpty {
      if ready.count > 1 { choiceCount += 1 }
      stepCount += 1
      switch ready.remove(at: choose(0..<ready.count)) {
      case .pause(let continuation): continuation.resume()
      case .job(let job):
        job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(),
          taskExecutor: asUnownedTaskExecutor()
        )
      }
    }
  }
}

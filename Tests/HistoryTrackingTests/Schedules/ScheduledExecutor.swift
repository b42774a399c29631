import TestSupport

/// Runs the jobs of everything that is put on it one at a time, on the thread of the test; which of
/// those that are ready comes next is drawn from a seed, so that a schedule is replayed by its seed.
///
/// Custom executors: https://github.com/swiftlang/swift-evolution/blob/main/proposals/0392-custom-actor-executors.md
/// and 0417 for tasks.
final class ScheduledExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private enum Ready {
    case job(UnownedJob)
    case pause(CheckedContinuation<Void, Never>)
  }

  // Only the thread that runs the jobs touches them: every task prefers this executor.
  private var ready: [Ready] = []
  private var random: SeededRandom
  /// How many jobs have run.
  private(set) var stepCount = 0
  /// How often there was more than one to choose from.
  private(set) var choiceCount = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    ready.append(.job(UnownedJob(job)))
  }

  /// Lets others go first, as a schedule decides.
  func pause() async {
    await withCheckedContinuation { ready.append(.pause($0)) }
  }

  /// A number of a range, from the seed.
  func choose(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Starts a task here.
  func start(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
  }

  /// Runs what is ready until nothing is.
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

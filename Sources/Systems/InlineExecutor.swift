/// Runs the jobs of a tracker on the thread that asks for them, one after the other, so that a system
/// of tasks does what it does between two commands of a plan.
///
/// It belongs to one thread at a time, as everything of a simulated run does.
final class InlineExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var next = 0

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs jobs until all of them wait for something.
  func runAll() {
    while next < jobs.count {
      let job = jobs[next]
      next += 1
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(),
        taskExecutor: asUnownedTaskExecutor()
      )
    }
    jobs.removeAll(keepingCapacity: true)
    next = 0
  }

  /// Runs a task, and everything that it sets off, to where all of it waits.
  ///
  /// - Returns: what the task answered, or nothing when it waits too.
  func run<Answer: Sendable>(_ body: @escaping @Sendable () async -> Answer) -> Answer? {
    let answer = Box<Answer>()
    Task(executorPreference: self) { answer.value = await body() }
    runAll()
    return answer.value
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }
}

/// An executor that runs a tracker's jobs in order on the thread that calls `runAll()`.
///
/// It makes an asynchronous system complete its work between two commands of a plan. Like
/// everything in a simulated run, it is used by one thread at a time.
final class InlineExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var next = 0

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs jobs until all tasks are suspended.
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

  /// Runs a task, and all jobs that it causes, until all tasks are suspended.
  ///
  /// - Returns: the task's result, or `nil` if the task is suspended too.
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

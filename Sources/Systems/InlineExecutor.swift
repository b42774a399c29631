/// An executor that runs a tracker's jobs in order on the thread that calls `runAll()`.
///
/// The executor lets an asynchronous system complete its work between two commands of a plan. Only
/// one thread may use an executor at a time.
final class InlineExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var next = 0

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs queued jobs until all tasks are suspended or have finished.
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

  /// Runs a task, and all jobs that it enqueues, until all tasks are suspended.
  ///
  /// - Returns: the task's result, or `nil` if the task is suspended at the end.
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

package import HistoryStore

/// An executor that runs a tracker's jobs in order, on the thread that calls `runAll()`.
///
/// So an asynchronous system can complete its work between two commands of a plan. Only one thread
/// may use an executor at a time.
package final class InlineExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var next = 0

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs queued jobs until all tasks are suspended or have finished.
  package func runAll() {
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

  /// Starts a task, and runs jobs until every task is suspended or has finished.
  ///
  /// - Returns: the task's result, or `nil` if the task is suspended at the end.
  package func run<Answer: Sendable>(_ body: @escaping @Sendable () async -> Answer) -> Answer? {
    let answer = Box<Answer>()
    Task(executorPreference: self) { answer.value = await body() }
    runAll()
    return answer.value
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }
}

extension InlineExecutor {
  /// Runs an asynchronous request until it completes.
  ///
  /// - Throws: the request's error; ``HistoryError/Code/stopped`` if the request can never complete.
  package func wait<Answer: Sendable>(
    _ body: @escaping @Sendable () async -> Result<Answer, HistoryError>
  ) throws(HistoryError) -> Answer {
    guard let outcome = run(body) else {
      throw .stopped("the tracker waits forever: none of its tasks can continue")
    }
    return try outcome.get()
  }
}

/// Calls a closure, and returns its value or its error as a `Result`.
package func result<Answer>(
  _ body: () async throws(HistoryError) -> Answer
) async -> Result<Answer, HistoryError> {
  do throws(HistoryError) { return .success(try await body()) } catch { return .failure(error) }
}

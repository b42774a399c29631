import Dispatch
package import Testing

/// Runs each job of its tasks on a dedicated thread.
///
/// Swift's cooperative pool has one thread per processor: tests that block (in a read of a pipe, or
/// a wait for a process or a thread) may use all of them, so that the awaited work never runs.
package final class OwnThreads: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Each queue gets its own thread.
    DispatchQueue(label: "own thread").async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// Runs a closure and its child tasks on dedicated threads, which it may block.
package func onOwnThread<Answer>(
  _ work: () async throws -> Answer
) async rethrows -> Answer {
  try await withTaskExecutorPreference(OwnThreads()) {
    // The preference applies from the next suspension on.
    await Task.yield()
    return try await work()
  }
}

/// Runs a test, or every test of a suite, on a dedicated thread.
package struct OwnThreadTrait: TestTrait, SuiteTrait, TestScoping {
  /// The trait of a suite applies to its tests.
  package var isRecursive: Bool { true }

  @concurrent
  package func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await onOwnThread(function)
  }
}

extension Trait where Self == OwnThreadTrait {
  /// The test may block its thread, which is not in Swift's cooperative pool.
  package static var blocksItsThread: OwnThreadTrait { OwnThreadTrait() }
}

import Dispatch
package import Testing

/// Runs each job of its tasks on a thread of its own.
///
/// Swift's cooperative pool has one thread per processor: tests that block in them (a read of a pipe, a
/// wait for a process or a thread) may hold all of them, and what they wait for never runs.
package final class OwnThreads: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A queue of its own always gets a thread.
    DispatchQueue(label: "own thread").async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// Runs a closure, and the child tasks that it starts, on threads of their own: it may block.
package func onOwnThread<Answer>(
  _ work: () async throws -> Answer
) async rethrows -> Answer {
  try await withTaskExecutorPreference(OwnThreads()) {
    // The preference holds from the next suspension on.
    await Task.yield()
    return try await work()
  }
}

/// Runs a test, or every test of a suite, on a thread of its own.
package struct OwnThreadTrait: TestTrait, SuiteTrait, TestScoping {
  /// Whether the trait of a suite holds for its tests: it does.
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
  /// The test may block its thread, which is none of Swift's cooperative pool.
  package static var blocksItsThread: OwnThreadTrait { OwnThreadTrait() }
}

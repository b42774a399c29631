import Dispatch

/// A task executor that runs each job on its own thread, for work that blocks on programs.
///
/// Swift's cooperative pool has one thread per processor, which such work would keep from all other
/// tasks.
package final class ThreadPerJob: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A dedicated queue always gets a thread.
    DispatchQueue(label: "history-lab.job").async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

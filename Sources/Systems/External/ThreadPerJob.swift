import Dispatch

/// Runs each job of its tasks on a thread of its own, for work that blocks: it waits for programs.
///
/// Swift's cooperative pool has one thread per processor, which such work would keep from all other tasks.
package final class ThreadPerJob: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A queue of its own always gets a thread.
    DispatchQueue(label: "history-lab.job").async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

internal import Foundation

/// The jobs that Swift's runtime would run on its global pool.
///
/// A job that the thread of a plan enqueues there is given to the plan's executor instead. So tasks
/// stay on the thread of the plan that have no executor of their own, as a task that awaits the value
/// of another one has for a moment. Jobs of all other threads are not affected.
///
/// The runtime has a variable for this, `swift_task_enqueueGlobal_hook`; where it is not found, as in
/// a program that contains the runtime itself, only actors with the plan's executor are controlled.
enum GlobalJobs {
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// The key of the executor of each thread.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  nonisolated(unsafe) private static let variable: UnsafeMutablePointer<Hook?>? = dlsym(
    dlopen(nil, RTLD_LAZY),
    "swift_task_enqueueGlobal_hook"
  )?.assumingMemoryBound(to: Hook?.self)

  /// Written once, before the hook can be called.
  nonisolated(unsafe) private static var earlier: Hook?

  /// Whether the runtime has the variable; the first access sets it.
  static let areCaught: Bool = {
    guard let variable else { return false }
    _ = key
    earlier = variable.pointee
    variable.pointee = { job, original in
      if let executor = GlobalJobs.current {
        executor.add(job)
      } else if let earlier = GlobalJobs.earlier {
        earlier(job, original)
      } else {
        original(job)
      }
    }
    return true
  }()

  /// The executor of the plan that runs on this thread, or `nil`.
  private static var current: SeededExecutor? {
    pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs a closure on this thread with an executor that is given the thread's jobs.
  static func giving<Answer>(to executor: SeededExecutor, _ body: () -> Answer) -> Answer {
    guard areCaught else { return body() }
    let before = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(executor).toOpaque())
    defer { pthread_setspecific(key, before) }
    return withExtendedLifetime(executor, body)
  }

  /// Whether this thread runs a plan of an executor.
  static func isThread(of executor: SeededExecutor) -> Bool { current === executor }
}

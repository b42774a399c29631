internal import Foundation

/// An executor that runs the jobs of actors and tasks on one thread, in an order that a seed decides.
///
/// If the actors of a system use this executor, a ``CommandMachine`` can drive them:
///
///     struct Counter: CommandMachine {
///       private let executor = SeededExecutor(seed: 1)
///       private let counter: CounterActor
///       init() { counter = CounterActor(on: executor) }
///       mutating func perform(_ command: Command) throws {
///         try executor.run { [counter] in try await counter.add(command.number) }
///       }
///     }
///
///     actor CounterActor {
///       private let executor: any SerialExecutor
///       nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///       init(on executor: any SerialExecutor) { self.executor = executor }
///     }
///
/// A task that such an actor starts also runs on this executor: during the command that started the
/// task, or up to a dozen commands later. Tasks and actors without an executor run on it as well,
/// if code on this executor started them.
///
/// Work on other threads is not controlled: callbacks of dispatch queues and timers, `Task.sleep`,
/// the main actor and other executors. A command that needs such work waits for it, for at most 10
/// seconds, but a seed does not reproduce the order of such work.
public final class SeededExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// The maximum time in seconds that a command waits for work on other threads.
  package static let waitMax = 10.0
  /// The number of jobs in one run after which ``Order/newestFirst`` no longer applies.
  ///
  /// The number is also the limit of ``runAll()``.
  private static let newestFirstMax = 1_000
  /// The maximum number of commands for which a job is held back.
  private static let delayMax = 12

  /// A job that is held back until a number of commands were run, or until a command needs it.
  private struct Waiting {
    let job: UnownedJob
    let heldUntil: Int
  }

  private let condition = NSCondition()
  private let waitMax: Double
  private var jobs: [Waiting] = []
  private var random: SeededGenerator
  /// The number of commands that have ended since the executor was created.
  private var commandCount = 0
  /// Whether newly enqueued jobs may be held back.
  private var holdsJobs = false
  /// The number of jobs that other threads enqueued.
  package private(set) var foreignJobCount = 0

  /// Whether jobs run in the order in which they were enqueued, as soon as possible.
  private let isPlain: Bool

  /// Creates an executor; with seed 0, jobs run in the order in which they were enqueued.
  public convenience init(seed: UInt64) { self.init(seed: seed, waitMax: Self.waitMax) }

  /// Creates an executor whose commands wait at most `waitMax` seconds for other threads.
  package init(seed: UInt64, waitMax: Double) {
    random = SeededGenerator(seed: seed)
    isPlain = seed == 0
    self.waitMax = waitMax
  }

  /// Adds a job; called by Swift's runtime from any thread.
  public func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  func add(_ job: UnownedJob) {
    let isForeign = !GlobalJobs.isThread(of: self)
    condition.withLock {
      if isForeign { foreignJobCount += 1 }
      jobs.append(Waiting(job: job, heldUntil: commandCount + (isForeign ? 0 : delay())))
      condition.signal()
    }
  }

  /// Draws the number of commands for which a job is held back.
  ///
  /// Half of the jobs are held back for a few commands, because most races need more than one
  /// command.
  private func delay() -> Int {
    guard holdsJobs, !isPlain, Bool.random(using: &random) else { return 0 }
    return Int.random(in: 1...Self.delayMax, using: &random)
  }
}

extension SeededExecutor {
  /// Runs a closure to its end as one command, then some of the jobs that are still queued.
  ///
  /// - Throws: the closure's error, or ``ExecutorStuck`` if the closure waited for another thread too
  ///   long.
  public func run<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws -> Answer
  ) throws -> Answer {
    defer { endCommand() }
    let answer = run(.seeded) { () async -> Result<Answer, any Error> in
      do { return .success(try await body()) } catch { return .failure(error) }
    }
    guard let answer else { throw ExecutorStuck() }
    return try answer.get()
  }

  /// The order in which jobs are run.
  package enum Order {
    /// A random order from the seed; some jobs may be held back.
    case seeded
    /// The newest job first, so that tasks other than the one being run make little progress.
    case newestFirst
  }

  /// Runs a task to its end, and returns its result; `nil` if the task waited too long for other threads.
  package func run<Answer: Sendable>(
    _ order: Order,
    _ body: @escaping @Sendable () async -> Answer
  ) -> Answer? {
    let answer = Box<Answer>()
    return GlobalJobs.giving(to: self) {
      Task(executorPreference: self) { answer.value = await body() }
      condition.withLock { holdsJobs = order == .seeded }
      defer { condition.withLock { holdsJobs = false } }
      var count = 0
      while answer.value == nil {
        // A task that yields again and again must not keep the others from running.
        guard let job = next(count < Self.newestFirstMax ? order : .seeded) else { return nil }
        runJob(job)
        count += 1
      }
      return answer.value
    }
  }

  /// Ends a command, and runs the jobs that are no longer held back, in an order from the seed.
  package func endCommand() {
    let count = condition.withLock {
      commandCount += 1
      return jobs.count { $0.heldUntil <= commandCount }
    }
    GlobalJobs.giving(to: self) {
      for _ in 0..<count {
        if let job = taken(.seeded, evenIfHeld: false) { runJob(job) }
      }
    }
  }

  /// Runs all jobs until no task can continue; stops after 1,000 jobs, as some tasks may never end.
  public func runAll() {
    GlobalJobs.giving(to: self) {
      for _ in 0..<Self.newestFirstMax {
        guard let job = taken(.newestFirst) else { return }
        runJob(job)
      }
    }
  }

  private func runJob(_ job: UnownedJob) {
    job.runSynchronously(
      isolatedTo: asUnownedSerialExecutor(),
      taskExecutor: asUnownedTaskExecutor()
    )
  }

  /// Returns the next job; if there is none, waits for other threads to enqueue one.
  private func next(_ order: Order) -> UnownedJob? {
    if let job = taken(order) { return job }
    let deadline = Date(timeIntervalSinceNow: waitMax)
    condition.withLock {
      while jobs.isEmpty, condition.wait(until: deadline) {}
    }
    return taken(order)
  }

  private func taken(_ order: Order, evenIfHeld: Bool = true) -> UnownedJob? {
    condition.withLock {
      guard !jobs.isEmpty else { return nil }
      switch order {
      case .newestFirst: return jobs.removeLast().job
      case .seeded:
        let free = jobs.indices.filter { jobs[$0].heldUntil <= commandCount }
        let place = isPlain ? free.first : free.randomElement(using: &random)
        // The command waits for a job that is held back, probably for the newest one.
        return (place ?? (evenIfHeld ? jobs.indices.last : nil)).map { jobs.remove(at: $0).job }
      }
    }
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }
}

/// The error of a command that waited longer than the time limit for work on other threads.
public struct ExecutorStuck: Error, Hashable, Sendable {}

/// A hook into Swift's runtime for jobs that would otherwise run on the global thread pool.
///
/// If the thread of a ``SeededExecutor`` enqueues such a job, the hook passes the job to that executor.
/// Tasks without an executor therefore stay on that thread. A task that awaits the value of another
/// task also needs the hook: Swift briefly treats it as a task without an executor. Jobs of all other
/// threads are not affected.
///
/// The hook is the runtime's variable `swift_task_enqueueGlobal_hook`. Where it is not found, as in
/// a program that is linked statically with the runtime, only actors with the executor are
/// controlled.
enum GlobalJobs {
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// The key under which each thread stores its executor.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  nonisolated(unsafe) private static let variable: UnsafeMutablePointer<Hook?>? = dlsym(
    dlopen(nil, RTLD_LAZY),
    "swift_task_enqueueGlobal_hook"
  )?.assumingMemoryBound(to: Hook?.self)

  /// The value that the runtime's hook had before ``areCaught`` set it; `nil` if there was no hook.
  ///
  /// It is written once, before the new hook can be called.
  nonisolated(unsafe) private static var earlier: Hook?

  /// Whether jobs for the global thread pool are caught; the first access sets the runtime's hook.
  ///
  /// The value is `false` if the runtime's variable `swift_task_enqueueGlobal_hook` is not found.
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

  /// The executor whose jobs run on this thread, or `nil`.
  private static var current: SeededExecutor? {
    pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs a closure; meanwhile, `executor` gets this thread's jobs for the global pool.
  static func giving<Answer>(to executor: SeededExecutor, _ body: () -> Answer) -> Answer {
    guard areCaught else { return body() }
    let before = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(executor).toOpaque())
    defer { pthread_setspecific(key, before) }
    return withExtendedLifetime(executor, body)
  }

  /// Returns whether this thread runs the jobs of an executor.
  static func isThread(of executor: SeededExecutor) -> Bool { current === executor }
}

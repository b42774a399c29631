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
///
///     actor CounterActor {
///       private let executor: any SerialExecutor
///       nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///       init(on executor: any SerialExecutor) { self.executor = executor }
///
/// A task that such an actor starts runs here, too: while the command runs that started it, or up
/// to a dozen commands later. Tasks and actors without an executor run here as well, if they were
/// started from here.
///
/// Work on other threads is not controlled: callbacks of dispatch queues and timers, `Task.sleep`,
/// the main actor and other executors. A command that needs such work waits for it, for 10 seconds
/// at most, but no seed repeats its order.
public final class SeededExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// The time in seconds that a command waits for work on other threads.
  package static let waitMax = 10.0
  /// The number of jobs after which newer jobs no longer come first.
  private static let newestFirstMax = 1_000
  /// The maximum number of commands that a job is held back.
  private static let delayMax = 12

  /// A job that is delayed until a command count, or until a command needs it.
  private struct Waiting {
    let job: UnownedJob
    let heldUntil: Int
  }

  private let condition = NSCondition()
  private let waitMax: Double
  private var jobs: [Waiting] = []
  private var random: SeededGenerator
  /// The number of commands so far.
  private var commandCount = 0
  /// Whether new jobs may be held back.
  private var holdsJobs = false
  /// The number of jobs that other threads enqueued.
  package private(set) var foreignJobCount = 0

  /// Whether jobs run in the order in which they were enqueued, as soon as possible.
  private let isPlain: Bool

  /// Creates an executor; with seed 0, jobs run in the order in which they were enqueued.
  public convenience init(seed: UInt64) { self.init(seed: seed, waitMax: Self.waitMax) }

  /// Creates an executor whose commands wait for other threads for `waitMax` seconds at most.
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

  /// Draws the number of commands that a job is held back.
  ///
  /// Half of the jobs outlive a few commands: most races need more than one.
  private func delay() -> Int {
    guard holdsJobs, !isPlain, Bool.random(using: &random) else { return 0 }
    return Int.random(in: 1...Self.delayMax, using: &random)
  }
}

extension SeededExecutor {
  /// Runs a closure to its end as one command, then some of the tasks that are left.
  ///
  /// - Throws: the closure's error, or ``ExecutorStuck`` if it waited for another thread too long.
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
    /// Any order, decided by the seed; some jobs may be left for later.
    case seeded
    /// The newest first, so that other tasks make as little progress as possible.
    case newestFirst
  }

  /// Runs a task to its end, and returns its result; `nil` if it waited too long for other threads.
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

  /// Ends a command, and runs jobs that are no longer held back, in any order.
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

  /// Runs all jobs until no task can continue, or some continue for ever.
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

  /// Returns the next job, after a wait for other threads if there is none.
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
        // The command waits: probably for the job that came last.
        return (place ?? (evenIfHeld ? jobs.indices.last : nil)).map { jobs.remove(at: $0).job }
      }
    }
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }
}

/// The error of a command that waited too long for work that no thread did.
public struct ExecutorStuck: Error, Hashable, Sendable {}

/// The jobs that Swift's runtime would run on its global pool.
///
/// A job that a plan's thread enqueues there is passed to the plan's executor instead. Tasks
/// without an executor therefore stay on the plan's thread; a task that awaits the value of another
/// task briefly counts as such a task. Jobs of all other threads are not affected.
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

  /// The hook that was set before this one; written once, before this hook can be called.
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

import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import Programs
import Systems
import Traces

/// The main program of a stress run's process: `history-lab` with a verb that its help omits.
package final class StressParticipant: Sendable {
  static let verb = "_stress"

  private let role: StressRole
  private let hooks: StressHooks
  private let view: ObjectContext
  private let tracker: HistoryTracker

  /// Runs a process of a stress run if the arguments start with the verb of such a process.
  ///
  /// - Returns: The exit code; `nil` if the arguments do not start with the verb of such a process.
  package static func run(_ arguments: [String]) async -> Int32? {
    guard arguments.first == verb else { return nil }
    let words = arguments.dropFirst()
    let role: StressRole
    do { role = try StressRole(argument: words.joined(separator: " ")) } catch {
      return end(64, "only a stress run starts \(verb), with a role as JSON: \(error)")
    }
    // The process is in its own group: ctrl-C does not reach it, and the keeper kills the group.
    setpgid(0, 0)
    signal(SIGPIPE, SIG_IGN)
    do {
      try await StressParticipant(role).work()
      return 0
    } catch {
      return end(70, "\(role.name).\(role.life): \(error)")
    }
  }

  /// Writes the reason for the exit to standard error, and returns the exit code.
  private static func end(_ code: Int32, _ sentence: String) -> Int32 {
    FileHandle.standardError.write(Data("\(sentence)\n".utf8))
    return code
  }

  private init(_ role: StressRole) throws {
    self.role = role
    hooks = try StressHooks(role)
    let store = try Self.open(role, try hooks.configuration())
    view = ObjectContext(store: store, author: role.name, name: "view", mergePolicy: .objectWins)
    let planned = role.header.actor(role.id)
    var configuration = TrackerConfiguration()
    // Failures are written to the trace; standard error is reserved for messages to the run.
    configuration.logLevel = nil
    configuration.ignoring = Set(planned?.ignores ?? [])
    configuration.pageTransactionCountMax =
      planned?.page ?? configuration.pageTransactionCountMax
    configuration.deduplicator = StressMergeNotes(hooks: hooks)
    tracker = HistoryTracker(
      role.id,
      store: store,
      contexts: [view],
      configuration: configuration
    )
  }

  private func work() async throws {
    let orders = Self.orders()
    let passes = await tracker.passes
    let noting = Task { [hooks] in
      for await pass in passes {
        if let failure = pass.failure { hooks.noteFailure(of: "pass", failure) }
      }
    }
    defer { noting.cancel() }
    try await tracker.registerMergeHook { [hooks] _ in
      hooks.noteFetched()
      return .proceed
    }
    try await launchInTheEnd()
    let made = role.injectsFault ? role.disk : nil
    let failure = made.map { disk in Task { [hooks] in await hooks.injectFaults(disk) } }
    defer { failure?.cancel() }
    Self.say(.ready)
    let control = WriterControl()
    // The writer has its own thread, because it blocks while the disk is full.
    let writing = Task(executorPreference: ThreadPerJob()) { [role, view, hooks] in
      await control.run(StressWriter(role, view: view, hooks: hooks))
    }
    for await order in orders {
      // Disable disk faults, so that the final orders can succeed.
      if order.word == .reconcile { await failure?.end() }
      guard try await obey(order, control) else { break }
    }
    control.end()
    await writing.value
  }

  /// The maximum number of attempts to open the store, launch or resume while the disk fails.
  private static let attemptCountMax = 400
  /// The pause between two attempts to open, launch or resume, in milliseconds.
  private static let attemptPauseMs = 25

  /// Opens the store, and retries while the disk fails.
  private static func open(
    _ role: StressRole,
    _ configuration: StoreConfiguration
  ) throws -> Store {
    func open() throws(HistoryError) -> Store {
      try Store(
        path: role.store,
        model: role.header.model(of: role.id),
        configuration: configuration
      )
    }
    for _ in 1..<attemptCountMax {
      do throws(HistoryError) { return try open() } catch {
        guard role.disk != nil, error.isOfDisk else { throw error }
      }
      usleep(UInt32(attemptPauseMs) * 1000)
    }
    return try open()
  }

  /// Launches the tracker, and retries while the disk fails.
  private func launchInTheEnd() async throws {
    for _ in 1..<Self.attemptCountMax {
      do throws(HistoryError) { return try await launch() } catch {
        guard role.disk != nil, error.isOfDisk else { throw error }
      }
      try await Task.sleep(for: .milliseconds(Self.attemptPauseMs))
    }
    try await launch()
  }

  /// Registers the member or resumes at its cursor, and starts to follow the store.
  private func launch() async throws(HistoryError) {
    let start = MonotonicClock.now
    let registration: Registration
    do throws(HistoryError) { registration = try await tracker.launch() } catch {
      hooks.noteFailure(of: "launch", error)
      throw error
    }
    let cursor = registration.cursor.transactionName
    let kind: EventKind =
      registration.isNew ? .registered(cursor: cursor) : .launched(cursor: cursor)
    hooks.tracker.add([.init(kind, start...MonotonicClock.now)])
    do throws(HistoryError) { _ = try await tracker.start() } catch {
      // After an error of the disk, the tracker still follows the store and repeats the pass
      // itself.
      guard error.isOfDisk else { throw error }
    }
  }

  /// Executes an order, and returns whether to continue.
  private func obey(_ order: StressOrder, _ control: WriterControl) async throws -> Bool {
    switch order.word {
    case .write: control.resume()
    case .pause:
      await control.pause()
      Self.say(.done)
    case .once:
      await control.once()
      Self.say(.done)
    case .reconcile:
      await reconcile()
      Self.say(.done)
    case .view:
      tellView()
      Self.say(.done)
    case .retire:
      await control.pause()
      let start = MonotonicClock.now
      try await tracker.retire()
      hooks.tracker.add([.init(.retired, start...MonotonicClock.now)])
      return false
    case .die:
      if let place = order.place { hooks.scheduledKill.arm(place, visit: order.visit) }
    case .suspend:
      try tracker.suspend(within: .milliseconds(100))
      Self.say(.suspended)
    case .resume:
      try await resume()
      Self.say(.resumed)
    case .end: return false
    case .ready, .done, .suspended, .resumed: break
    }
    return true
  }

  /// Resumes the store, and retries while the disk fails.
  private func resume() async throws {
    for _ in 1..<Self.attemptCountMax {
      do throws(HistoryError) { return try tracker.resume() } catch {
        guard role.disk != nil, error.isOfDisk else { throw error }
      }
      try await Task.sleep(for: .milliseconds(Self.attemptPauseMs))
    }
    try tracker.resume()
  }

  /// Fetches and merges repeatedly until there are no new transactions.
  private func reconcile() async {
    do {
      while try await tracker.pass().transactionCount > 0 {}
    } catch {
      // The pass has already written its error to the trace.
    }
  }

  private func tellView() {
    var objects: Objects = [:]
    let model = view.store.model
    view.forEachRegistered { id, row in
      guard let entity = model.entity(id.entity) else { return }
      objects[ObjectName(entity.name, id.key)] = Dictionary(
        uniqueKeysWithValues: zip(entity.attributes.map(\.name), row)
      )
    }
    let now = MonotonicClock.now
    hooks.tracker.add([
      .init(.called(command: nil, word: "view"), at: now),
      .init(.viewed(context: "view", objects), at: now),
      .init(.ended(command: nil, .ok), at: MonotonicClock.now),
    ])
  }

  // MARK: The other side

  private static func say(_ word: StressWord) {
    FileHandle.standardOutput.write(Data("\(word.rawValue)\n".utf8))
  }

  /// Returns the orders of the parent process; when the parent ends, this process exits at once.
  private static func orders() -> AsyncStream<StressOrder> {
    let (orders, continuation) = AsyncStream.makeStream(of: StressOrder.self)
    Thread.detachNewThread {
      while let line = readLine() {
        guard let order = StressOrder(line) else { continue }
        continuation.yield(order)
      }
      _exit(70)
    }
    return orders
  }
}

extension HistoryError {
  /// Whether a faulty disk can cause this error.
  ///
  /// A busy lock counts, because another process may hold the lock while the disk fails.
  fileprivate var isOfDisk: Bool { isBusy || isFull || isInputOutput }
}

extension Task where Success == Void, Failure == Never {
  /// Cancels the task, and waits until it has ended.
  fileprivate func end() async {
    cancel()
    await value
  }
}

import DiskScripts
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import Traces

/// The whole tracker as an app uses it: with hooks, strategies, and a task that follows signals.
///
/// The tracker's tasks run when the plan performs a command, on the thread that performs it.
final class TrackerEngine: PassEngine {
  private let tracker: HistoryTracker
  private let executor = InlineExecutor()
  private let notes = HookNotes()
  private let reports = PassBox()
  private let signals: AsyncStream<HistoryToken>.Continuation
  /// The task that collects the report of each pass.
  private var listening: Task<Void, Never>?
  private(set) var registration: Registration

  /// Launches the member, and registers its hooks.
  init(
    _ setup: TrackerSetup,
    _ process: PlanProcess,
    resyncingIfLost: Bool
  ) throws(HistoryError) {
    let (tracker, signals) = Self.make(setup, process, executor, notes)
    self.tracker = tracker
    self.signals = signals
    registration = try executor.wait {
      await result { () throws(HistoryError) in
        try await tracker.launch(resyncingIfLost: resyncingIfLost)
      }
    }
    try listen()
    for (index, hook) in setup.hooks.enumerated() { try register(hook, index, process.store.model) }
  }

  /// A snapshot of the engine's memory; taken only while no task waits to repeat a pass.
  struct Snapshot {
    let tracker: HistoryTracker.Snapshot
    let registration: Registration
    let callCounts: [Int: Int]
  }

  /// Creates a tracker with its hooks from a snapshot, for a process whose store is already restored.
  init(
    _ snapshot: Snapshot,
    _ setup: TrackerSetup,
    _ process: PlanProcess
  ) throws(HistoryError) {
    let (tracker, signals) = Self.make(setup, process, executor, notes)
    self.tracker = tracker
    self.signals = signals
    registration = snapshot.registration
    notes.callCounts = snapshot.callCounts
    try listen()
    for (index, hook) in setup.hooks.enumerated() { try register(hook, index, process.store.model) }
    try ask { tracker, _ throws(HistoryError) in try await tracker.resume(snapshot.tracker) }
  }

  /// Creates a tracker without launching it, and the continuation that sends signals to it.
  private static func make(
    _ setup: TrackerSetup,
    _ process: PlanProcess,
    _ executor: InlineExecutor,
    _ notes: HookNotes
  ) -> (HistoryTracker, AsyncStream<HistoryToken>.Continuation) {
    let (stream, signals) = AsyncStream.makeStream(
      of: HistoryToken.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    var configuration = setup.configuration
    configuration.executor = executor
    configuration.clock = TrackerClock(now: { .zero }, sleep: { _ in try await notes.sleep() })
    configuration.signals = { _ in stream }
    let tracker = HistoryTracker(
      process.actor.id,
      store: process.store,
      contexts: process.contexts,
      configuration: configuration
    )
    return (tracker, signals)
  }

  /// Starts a task that collects the reports of passes.
  private func listen() throws(HistoryError) {
    let passes = try ask { tracker, _ in await tracker.passes }
    listening = Task(executorPreference: executor) { [reports] in
      for await report in passes { reports.passes.append(report) }
    }
    executor.runAll()
  }

  private func register(_ hook: PlannedHook, _ index: Int, _ model: Model) throws(HistoryError) {
    switch hook.registration(index, notes) {
    case .observer(let call):
      let kinds = model.entities.filter(\.isDeclared).flatMap { entity in
        ChangeType.allCases.map { (entity.name, $0) }
      }
      try ask { tracker, _ throws(HistoryError) in
        for (entity, operation) in kinds {
          try await tracker.registerObserver(entity: entity, operation: operation) { group in
            try call(group)
          }
        }
      }
    case .mergeHook(let policy, let call):
      try ask { tracker, _ throws(HistoryError) in
        try await tracker.registerMergeHook(onFailure: policy) { input in try call(input) }
      }
    }
  }

  /// Sends an asynchronous request to the tracker, and runs the tracker's tasks until it is answered.
  @discardableResult
  private func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (HistoryTracker, HookNotes) async throws(HistoryError) -> Answer
  ) throws(HistoryError) -> Answer {
    let (tracker, notes) = (tracker, notes)
    return try executor.wait {
      await result { () throws(HistoryError) in try await body(tracker, notes) }
    }
  }

  // MARK: Steps

  func step(
    _ step: PassStep,
    _ report: inout StepReport
  ) throws(HistoryError) -> TrackerStep {
    defer { report.take(notes) }
    return try ask { tracker, _ throws(HistoryError) in try await tracker.perform(step) }
  }

  func pass(_ report: inout StepReport) throws(HistoryError) {
    defer { take(&report) }
    try ask { tracker, _ throws(HistoryError) in _ = try await tracker.pass() }
  }

  func purge(_ report: inout StepReport) throws(HistoryError) {
    report.lost += try ask { tracker, _ throws(HistoryError) in
      try await tracker.purge().lostMembers
    }
  }

  func resync() throws(HistoryError) -> HistoryToken {
    try ask { tracker, _ throws(HistoryError) in try await tracker.resync() }
  }

  func retire() throws(HistoryError) {
    try ask { tracker, _ throws(HistoryError) in try await tracker.retire() }
  }

  /// Delivers a signal: the first signal starts the tracker; a later one runs a pass.
  ///
  /// A later signal runs no pass if it announces no new history and the last pass succeeded. A
  /// signal during the pause after a failed pass ends the pause, and the pass is repeated
  /// immediately.
  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError) {
    defer { take(&report) }
    let isStarted = try ask { tracker, _ in await tracker.isStarted }
    guard isStarted else {
      try ask { tracker, _ throws(HistoryError) in _ = try await tracker.start() }
      return
    }
    if notes.isAsleep {
      notes.wake()
      executor.runAll()
    }
    // If the repeated pass needs another retry, the tracker sleeps again until the next signal.
    // Otherwise the tracker receives this signal, because it may not have fetched since the commit.
    if !notes.isAsleep {
      signals.yield(newest)
      executor.runAll()
    }
    if let failure = reports.passes.last?.failure { throw failure }
  }

  /// Moves into `report` the results of all passes (fetch, merge, record) since the last call.
  private func take(_ report: inout StepReport) {
    report.take(notes)
    for pass in reports.passes { report.add(pass) }
    reports.passes.removeAll()
  }

  func recover() { notes.hasRecovered = true }

  func end() {
    let tracker = tracker
    _ = executor.run { await tracker.stop() }
    notes.wake(.failure(CancellationError()))
    signals.finish()
    listening?.cancel()
    executor.runAll()
  }

  /// A snapshot of the tracker; `nil` while a task waits to repeat a pass, as tasks cannot be restored.
  var snapshot: PassEngineSnapshot? {
    let tracker = tracker
    guard !notes.isAsleep, let kept = executor.run({ await tracker.snapshot }) else { return nil }
    return .tracker(
      Snapshot(
        tracker: kept,
        registration: registration.released,
        callCounts: notes.callCounts
      )
    )
  }

  func describe(_ state: inout StateSketch) {
    let tracker = tracker
    let (place, newsCount, isStarted, failure) =
      executor.run {
        await (tracker.place, tracker.newsCount, tracker.isStarted, tracker.failure)
      } ?? (nil, -1, false, nil)
    place?.describe(&state)
    state.add(newsCount)
    state.add(isStarted)
    state.add(failure != nil)
    state.add(notes.isAsleep)
    notes.describe(&state)
  }

  /// The tracker's reports of its passes, until `take(_:)` adds their results to a ``StepReport``.
  private final class PassBox: @unchecked Sendable {
    var passes: [PassReport] = []
  }
}

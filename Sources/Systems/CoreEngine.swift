import HistoryStore
import HistoryTracking
import PersistentHistory
import Traces

/// The core of a tracker without the actor around it: every call is answered at once, on the thread that
/// performs the plan.
final class CoreEngine: PassEngine {
  private let core: TrackerCore
  private let notes = HookNotes()
  private var observers: [HookID: PlannedHook.ObserverCall] = [:]
  private var mergeHooks: [HookID: PlannedHook.MergeCall] = [:]
  private(set) var registration: Registration
  /// Whether it follows the store, from its first signal on.
  private var isStarted = false
  /// Set while a pass that failed is to be made again.
  private var repetition: Repetition?

  /// Launches the member, and registers its hooks.
  init(
    _ setup: TrackerSetup,
    _ process: PlanProcess,
    resyncingIfLost: Bool
  ) throws(HistoryError) {
    core = Self.core(setup, process)
    registration = try core.launched(resyncingIfLost: resyncingIfLost).registration
    try register(setup.hooks)
  }

  /// What it has in memory.
  struct Memory {
    let core: TrackerCore.Memory
    let registration: Registration
    let callCounts: [Int: Int]
    let isStarted: Bool
    let repetition: Repetition?
  }

  /// Puts the core back as it was, on a store that was put back, with its hooks.
  init(
    _ memory: Memory,
    _ setup: TrackerSetup,
    _ process: PlanProcess
  ) throws(HistoryError) {
    core = Self.core(setup, process)
    registration = memory.registration
    isStarted = memory.isStarted
    repetition = memory.repetition
    notes.callCounts = memory.callCounts
    try register(setup.hooks)
    try core.resume(memory.core)
  }

  private static func core(_ setup: TrackerSetup, _ process: PlanProcess) -> TrackerCore {
    TrackerCore(
      process.actor.id,
      store: process.store,
      contexts: process.contexts,
      configuration: setup.configuration(of: process.actor)
    )
  }

  private func register(_ hooks: [PlannedHook]) throws(HistoryError) {
    for (index, hook) in hooks.enumerated() {
      switch hook.registration(index, notes) {
      case .observer(let call):
        for entity in core.store.model.entities {
          for operation in ChangeType.allCases {
            let id = try core.addObserver(
              entity: entity.name,
              operation: operation,
              onFailure: .retry
            )
            observers[id] = call
          }
        }
      case .mergeHook(let policy, let call):
        mergeHooks[try core.addMergeHook(onFailure: policy)] = call
      }
    }
  }

  private func answer(_ call: PassRun.Call) -> PassRun.Answer {
    do {
      switch call {
      case .observer(let id, let group): try observers[id]?(group)
      case .mergeHook(let id, let input):
        if try mergeHooks[id]?(input) == .finish { return .finish }
      case .merger, .deduplicator: break
      }
      return .done
    } catch {
      return .failed(error)
    }
  }

  // MARK: Steps

  func step(
    _ step: PassStep,
    _ report: inout StepReport
  ) throws(HistoryError) -> TrackerStep {
    defer { report.take(notes) }
    var run = try core.begin(step)
    try run.finish(answering: answer)
    return run.step
  }

  func pass(_ report: inout StepReport) throws(HistoryError) {
    if let failure = makePass(launching: true, &report) { throw failure }
  }

  private func makePass(launching: Bool, _ report: inout StepReport) -> HistoryError? {
    let done = core.pass(launching: launching, answering: answer)
    report.take(notes)
    report.add(done)
    return done.failure
  }

  func purge(_ report: inout StepReport) throws(HistoryError) {
    report.lost += try core.purge().lostMembers
  }

  func resync() throws(HistoryError) -> HistoryToken { try core.resync() }

  func retire() throws(HistoryError) {
    try core.retire()
    end()
  }

  /// Follows from its first signal on; a later one leads to a pass, and ends the pause before the
  /// repetition of one that failed.
  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError) {
    guard isStarted else {
      let failure = makePass(launching: true, &report)
      isStarted = failure.map { $0.mayGoAway && core.session != nil } ?? true
      repeatLater(failure)
      if let failure { throw failure }
      return
    }
    var failure: HistoryError?
    if repetition != nil {
      failure = makePass(launching: false, &report)
      repeatLater(failure)
    }
    // A repetition that fails once more is made again with the next signal.
    if repetition == nil, core.isNews(newest) {
      failure = makePass(launching: false, &report)
      repeatLater(failure)
    }
    if let failure { throw failure }
  }

  private func repeatLater(_ failure: HistoryError?) {
    var next = repetition ?? Repetition()
    repetition = next.pause(after: failure) == nil ? nil : next
  }

  func heal() { notes.isHealed = true }

  func end() {
    core.stop()
    isStarted = false
    repetition = nil
  }

  var memory: PassEngineMemory? {
    .core(
      Memory(
        core: core.memory,
        registration: registration.released,
        callCounts: notes.callCounts,
        isStarted: isStarted,
        repetition: repetition
      )
    )
  }

  func describe(_ state: inout StateSketch) {
    core.session?.place.describe(&state)
    state.add(core.newsCount)
    state.add(isStarted)
    state.add(core.failure != nil)
    state.add(repetition != nil)
    notes.describe(&state)
  }
}

extension SessionPlace {
  /// Adds where the launch is.
  func describe(_ state: inout StateSketch) {
    state.add(number: mergedThrough)
    state.add(number: recordedThrough)
    state.add(awaitingMerge.count)
    for number in awaitingMerge { state.add(number: number) }
    state.add(isUnloaded)
    if let scannedThrough { state.add(number: scannedThrough) } else { state.add(-1) }
  }
}

extension StepReport {
  /// Adds what a pass did.
  mutating func add(_ pass: PassReport) {
    lost += pass.lostMembers
    guard pass.cursor != nil || !pass.numbers.isEmpty else { return }
    merged = (merged ?? []) + pass.numbers
    cursor = pass.cursor ?? cursor
  }

  /// Adds what hooks have noted.
  mutating func take(_ notes: HookNotes) {
    observed += notes.takeObserved()
    finished += notes.takeFinished()
  }
}

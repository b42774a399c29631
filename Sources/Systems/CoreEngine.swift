import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// A tracker's core without its Swift actor: each call runs synchronously on the caller's thread.
final class CoreEngine: PassEngine {
  private let core: TrackerCore
  private let notes = HookNotes()
  private var observers: [HookID: PlannedHook.ObserverCall] = [:]
  private var mergeHooks: [HookID: PlannedHook.MergeCall] = [:]
  private(set) var registration: Registration
  /// Whether the engine next waits for a signal, pauses, or makes a pass.
  ///
  /// `nil` until a signal has started the engine, and after the engine has ended.
  private var following: Following?

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

  /// A snapshot of the engine's memory.
  struct Snapshot {
    let core: TrackerCore.Snapshot
    let registration: Registration
    let callCounts: [Int: Int]
    let following: Following?
  }

  /// Creates an engine from a snapshot of its memory, and registers the member's hooks again.
  ///
  /// The store of `process` must already be restored.
  init(
    _ snapshot: Snapshot,
    _ setup: TrackerSetup,
    _ process: PlanProcess
  ) throws(HistoryError) {
    core = Self.core(setup, process)
    registration = snapshot.registration
    following = snapshot.following
    notes.callCounts = snapshot.callCounts
    try register(setup.hooks)
    try core.resume(snapshot.core)
  }

  private static func core(_ setup: TrackerSetup, _ process: PlanProcess) -> TrackerCore {
    TrackerCore(
      process.actor.id,
      store: process.store,
      contexts: process.contexts,
      configuration: setup.configuration
    )
  }

  private func register(_ hooks: [PlannedHook]) throws(HistoryError) {
    for (index, hook) in hooks.enumerated() {
      switch hook.registration(index, notes) {
      case .observer(let call):
        for entity in core.store.model.entities where entity.isDeclared {
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

  /// Handles a signal: the first signal starts the engine; a later one runs a pass.
  ///
  /// A later signal runs no pass if it announces no new history and the last pass succeeded. A
  /// signal during the pause after a failed pass ends the pause, and the pass is repeated
  /// immediately.
  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError) {
    guard var next = following else {
      let failure = makePass(launching: true, &report)
      following = Following(afterLaunch: failure, isLaunched: core.session != nil)
      if let failure { throw failure }
      return
    }
    var failure: HistoryError?
    if case .pause = next.next {
      next.paused()
      failure = makePass(launching: false, &report)
      next.passed(failure)
    }
    // If the repeated pass needs another retry, the next signal starts it.
    if next.next == .wait {
      next.signalled(isNews: core.isNews(newest))
      if next.next == .pass {
        failure = makePass(launching: false, &report)
        next.passed(failure)
      }
    }
    following = next
    if let failure { throw failure }
  }

  func recover() { notes.hasRecovered = true }

  func end() {
    core.stop()
    following = nil
  }

  var snapshot: PassEngineSnapshot? {
    .core(
      Snapshot(
        core: core.snapshot,
        registration: registration.released,
        callCounts: notes.callCounts,
        following: following
      )
    )
  }

  func describe(_ state: inout StateSketch) {
    core.session?.place.describe(&state)
    state.add(core.newsCount)
    state.add(following != nil)
    state.add(core.failure != nil)
    if case .pause? = following?.next { state.add(true) } else { state.add(false) }
    notes.describe(&state)
  }
}

extension SessionPlace {
  /// Adds the positions to which the member has scanned, merged and recorded history to `state`.
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
  /// Adds the results of a pass to the report.
  mutating func add(_ pass: PassReport) {
    lost += pass.lostMembers
    guard pass.cursor != nil || !pass.numbers.isEmpty else { return }
    merged = (merged ?? []) + pass.numbers
    cursor = pass.cursor ?? cursor
  }

  /// Moves the transactions that hooks have handled from the hooks' notes into the report.
  ///
  /// Transactions that observers received are added to ``observed``. Transactions for which a merge
  /// hook replaced the default merge are added to ``finished``.
  mutating func take(_ notes: HookNotes) {
    observed += notes.takeObserved()
    finished += notes.takeFinished()
  }
}

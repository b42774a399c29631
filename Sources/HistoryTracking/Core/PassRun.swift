package import HistoryStore
package import PersistentHistory

/// One step of a pass.
package enum PassStep: Sendable, Hashable {
  case fetch
  case merge
  case record
}

/// A pass under way: page by page it fetches, calls observers and merge hooks, merges and records until
/// nothing is new; then it purges.
///
/// ```swift
/// var answer: PassRun.Answer?
/// while let call = try run.next(answer) { answer = perform(call) }
/// ```
package struct PassRun {
  /// What the driver is to do, since it may take its time.
  package enum Call {
    /// Calls an observer.
    case observer(HookID, [HookContext])
    /// Asks a merge hook.
    case mergeHook(HookID, MergeHookInput)
    /// Merges in the way that the tracker was given.
    case merger(any TransactionMerger, [HistoryTransaction])
    /// Removes duplicates.
    case deduplicator(any TransactionDeduplicator, [HistoryTransaction])
  }

  /// What came of a call.
  package enum Answer {
    case done
    /// A merge hook has finished the merge.
    case finish
    case failed(any Error)
  }

  /// What it did so far, also when a step throws.
  package internal(set) var report = PassReport()
  /// Whether a hook that threw is to stop the tracker.
  package internal(set) var stopsTracker = false
  let core: TrackerCore
  let session: MemberSession
  /// The only step that is made; nothing for a whole pass.
  private let only: PassStep?
  private var stage: Stage
  /// The position that was merged through before this page.
  private var before: HistoryToken
  var timer: StepTimer
  /// What the hooks of this page are called with.
  var calls: HookCalls?
  /// The hook that is being called.
  var hook: CalledHook?
  private var isFinished = false
  /// What this page has merged.
  private var merged: [HistoryTransaction] = []

  private enum Stage {
    case fetch
    case hooks
    case merge
    case customMerge
    case deduplicate
    case mergeEnd
    case record
    case purge
    case over
  }

  init(_ core: TrackerCore, _ session: MemberSession, only step: PassStep? = nil) {
    self.core = core
    self.session = session
    only = step
    stage =
      switch step {
      case .fetch, nil: .fetch
      case .merge: .hooks
      case .record: .record
      }
    before = session.mergedThrough
    timer = StepTimer(core.configuration.clock)
  }

  /// Does what needs no waiting, up to the next call that does.
  ///
  /// - Parameter answer: what came of the call before; nothing at first.
  /// - Returns: the call to make; nothing once the pass is over.
  /// - Throws: what a step throws; what was recorded before stays, so that the next pass goes on there.
  /// - Complexity: proportional to what is new, and to what is purged.
  package mutating func next(_ answer: Answer? = nil) throws(HistoryError) -> Call? {
    if let answer { try take(answer) }
    while stage != .over {
      if let call = try advance() { return call }
    }
    return nil
  }

  /// Goes on to the end, where a closure answers each call.
  package mutating func finish(answering answer: (Call) -> Answer) throws(HistoryError) {
    var last: Answer?
    while let call = try next(last) { last = answer(call) }
  }

  private mutating func take(_ answer: Answer) throws(HistoryError) {
    if let hook {
      self.hook = nil
      isFinished = try take(answer, of: hook)
    } else if case .failed(let error) = answer {
      throw HistoryError(error)
    }
  }

  /// Does one stage, or a part of it.
  private mutating func advance() throws(HistoryError) -> Call? {
    switch stage {
    case .fetch:
      before = session.mergedThrough
      if try !session.fetch().isEmpty { report.pageCount += 1 }
      timer.lap(&report.durations.fetch)
      stage = only == .fetch ? .over : .hooks
    case .hooks: return callHooks()
    case .merge: return try merge()
    case .customMerge:
      session.passOver()
      stage = .deduplicate
    case .deduplicate: return deduplicate()
    case .mergeEnd:
      timer.lap(&report.durations.merge)
      stage = only == .merge ? .over : .record
    case .record: try record()
    case .purge: try purge()
    case .over: break
    }
    return nil
  }

  private mutating func callHooks() -> Call? {
    if core.hooks.isEmpty && calls == nil {
      stage = .merge
      return nil
    }
    if calls == nil { calls = HookCalls(session.awaitingMerge, core) }
    if !isFinished, let call = nextHook() { return call }
    calls = nil
    timer.lap(&report.durations.hooks)
    stage = .merge
    return nil
  }

  /// Merges the page in the default way, or has it merged in the one that the tracker was given.
  private mutating func merge() throws(HistoryError) -> Call? {
    if isFinished { session.passOver() }
    isFinished = false
    guard let merger = core.configuration.merger else {
      merged = try session.merge()
      stage = .deduplicate
      return nil
    }
    merged = session.awaitingMerge
    stage = .customMerge
    return merged.isEmpty ? nil : .merger(merger, merged)
  }

  private mutating func deduplicate() -> Call? {
    report.note(merged)
    core.noteAuthors(of: merged, &report)
    stage = .mergeEnd
    guard let deduplicator = core.configuration.deduplicator, !merged.isEmpty else { return nil }
    return .deduplicator(deduplicator, merged)
  }

  /// Records the page by itself, unless it is the last one and a purge records it.
  private mutating func record() throws(HistoryError) {
    let isLast = !session.hasMore || session.mergedThrough == before
    let purges = only == nil && core.configuration.strategy != .none
    if session.hasMore || !purges {
      report.cursor = try session.record()
      timer.lap(&report.durations.record)
    }
    stage = only != nil ? .over : isLast ? purges ? .purge : .over : .fetch
  }

  /// Ends the pass: purges if it is its turn, and otherwise records the last page alone.
  private mutating func purge() throws(HistoryError) {
    stage = .over
    if let trigger = core.purges.trigger(core.configuration.strategy, report) {
      report.note(
        try session.recordAndPurge(when: trigger, retaining: core.retention),
        session.recordedThrough
      )
      core.logCut(report.lostMembers, report.timestampJumps)
    } else {
      report.cursor = try session.record()
    }
    timer.lap(&report.durations.purge)
  }
}

extension PassRun {
  /// What one step alone has done.
  package var step: TrackerStep {
    TrackerStep(
      fetched: session.awaitingMerge.map(\.number),
      merged: report.numbers,
      cursor: report.cursor
    )
  }
}

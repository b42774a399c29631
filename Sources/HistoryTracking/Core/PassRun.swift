package import HistoryStore
package import HistoryTypes

/// One step of a pass: fetch, merge or record.
package enum PassStep: Sendable, Hashable {
  case fetch
  case merge
  case record
}

/// A pass in progress, as a state machine that its driver advances.
///
/// The driver is the code that calls ``next(_:)``. It performs each ``Call`` that the method returns,
/// and passes the result to the method when it calls the method again.
///
/// For each page of history, the pass fetches, calls observers and merge hooks, merges and records.
/// After the last page, the pass purges.
///
/// ```swift
/// var answer: PassRun.Answer?
/// while let call = try run.next(answer) { answer = perform(call) }
/// ```
package struct PassRun {
  /// A call that the pass leaves to the code that runs it, because the call may take time.
  package enum Call {
    case observer(HookID, [HookContext])
    case mergeHook(HookID, MergeHookInput)
    /// Merges with the configured merger.
    case merger(any TransactionMerger, [HistoryTransaction])
    /// Removes duplicates with the configured deduplicator.
    case deduplicator(any TransactionDeduplicator, [HistoryTransaction])
  }

  /// The result of a ``Call``, which the code that performed the call passes to ``next(_:)``.
  package enum Answer {
    case done
    /// A merge hook has merged the transactions itself.
    case finish
    case failed(any Error)
  }

  /// The results of this pass until now; they are also valid after a step throws.
  package internal(set) var report = PassReport()
  /// A Boolean value that indicates whether a hook with the policy `.stop` threw.
  package internal(set) var stopsTracker = false
  let core: TrackerCore
  let session: MemberSession
  /// The only step to perform, or `nil` for a whole pass.
  private let only: PassStep?
  private var stage: Stage
  /// The position through which history was merged before the current page.
  private var before: HistoryToken
  var timer: StepTimer
  /// The progress of the hook calls of the current page.
  var calls: HookCalls?
  /// The hook whose call is in progress.
  var hook: CalledHook?
  private var isFinished = false
  /// The merged transactions of the current page.
  private var merged: [HistoryTransaction] = []

  private enum Stage {
    case fetch
    case hooks
    case merge
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

  /// Advances to the next call that the caller must perform.
  ///
  /// - Parameter answer: The result of the previous call; `nil` at first.
  /// - Returns: The call to perform, or `nil` when the pass is finished.
  /// - Throws: The errors of the steps. Positions recorded before the error remain recorded, so the
  ///   next pass continues there.
  /// - Complexity: linear in the new history and in the purged history.
  package mutating func next(_ answer: Answer? = nil) throws(HistoryError) -> Call? {
    if let answer { try take(answer) }
    while stage != .over {
      if let call = try advance() { return call }
    }
    return nil
  }

  /// Runs the pass to its end; `answer` performs each call that may take time.
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

  /// Performs the current stage of the pass, or returns the next call that the stage needs.
  private mutating func advance() throws(HistoryError) -> Call? {
    switch stage {
    case .fetch:
      before = session.mergedThrough
      if try !session.fetch().isEmpty { report.pageCount += 1 }
      timer.lap(&report.durations.fetch)
      stage = only == .fetch ? .over : .hooks
    case .hooks: return callHooks()
    case .merge: return try merge()
    case .deduplicate: return deduplicate()
    case .mergeEnd:
      session.passOver()
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

  /// Merges the page into the contexts, or returns the call of the configured merger, if any.
  private mutating func merge() throws(HistoryError) -> Call? {
    if isFinished { session.passOver() }
    isFinished = false
    stage = .deduplicate
    guard let merger = core.configuration.merger else {
      merged = try session.merge()
      return nil
    }
    merged = session.awaitingMerge
    return merged.isEmpty ? nil : .merger(merger, merged)
  }

  private mutating func deduplicate() -> Call? {
    report.note(merged)
    core.noteAuthors(of: merged, &report)
    core.noteModel(of: merged, &report)
    stage = .mergeEnd
    guard let deduplicator = core.configuration.deduplicator, !merged.isEmpty else { return nil }
    return .deduplicator(deduplicator, merged)
  }

  /// Records the merged position, unless this is the last page and a purge records it.
  private mutating func record() throws(HistoryError) {
    let isLast = !session.hasMore || session.mergedThrough == before
    let purges = only == nil && core.configuration.strategy != .none
    if session.hasMore || !purges {
      report.cursor = try session.record()
      timer.lap(&report.durations.record)
    }
    stage = only != nil ? .over : isLast ? purges ? .purge : .over : .fetch
  }

  /// Finishes the pass: purges if the strategy requires it, and records the last page's position.
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
  /// The results until now, for code that runs the steps of a pass one by one.
  package var step: TrackerStep {
    TrackerStep(
      fetched: session.awaitingMerge.map(\.number.rawValue),
      merged: report.numbers,
      cursor: report.cursor
    )
  }
}

public import HistoryStore
package import HistoryTypes
import ObjectContexts

extension HistoryTracker {
  /// Runs a pass: fetches, calls hooks, merges, records and, if the strategy requires it, purges.
  ///
  /// The member is launched if it is not running. One pass runs at a time; all calls made during a
  /// pass share the next pass.
  ///
  /// - Throws: ``HistoryError``; the cursor stays at the last recorded position, where the next
  ///   pass continues.
  /// - Complexity: proportional to the new history and to the purged history.
  @discardableResult
  public func pass() async throws(HistoryError) -> PassReport {
    try refuseInsideHook()
    return try await sharedPass(launching: true).get()
  }

  /// The reports of all passes that finish after this property is read.
  ///
  /// ```swift
  /// for await report in await tracker.passes { print(report) }
  /// ```
  public var passes: PassReports { PassReports(stream: broadcast.listen()) }

  /// Runs a pass after all waiting operations, or shares a pass that is already waiting.
  func sharedPass(launching: Bool) async -> PassQueue.Request.Outcome {
    if let next = queue.next {
      next.launches = next.launches || launching
      return await withCheckedContinuation { next.add($0) }
    }
    let request = PassQueue.Request(launches: launching)
    if !queue.begin() {
      queue.next = request
      await withCheckedContinuation { queue.wait($0) }
      queue.next = nil
    }
    let outcome = await makePass(launching: request.launches)
    queue.end()
    request.end(outcome)
    return outcome
  }

  /// Waits until no pass is in progress, and blocks further passes until `queue.end()` is called.
  func takeTurn() async throws(HistoryError) {
    try refuseInsideHook()
    if !queue.begin() {
      await withCheckedContinuation { queue.wait($0) }
    }
  }

  private func makePass(launching: Bool) async -> PassQueue.Request.Outcome {
    var run: PassRun?
    var failure: HistoryError?
    do throws(HistoryError) {
      // A signal that arrived before a stop must not launch the tracker again.
      guard var begun = try core.beginPass(launching: launching) else {
        return .success(PassReport())
      }
      failure = await drive(&begun)
      run = begun
    } catch {
      failure = error
    }
    let report = core.end(run, failure)
    broadcast.send(report)
    return failure.map { .failure($0) } ?? .success(report)
  }

  /// Runs a pass to its end, and returns the error that ended the pass early, or `nil`.
  func drive(_ run: inout PassRun) async -> HistoryError? {
    var answer: PassRun.Answer?
    do throws(HistoryError) {
      while let call = try run.next(answer) { answer = await perform(call) }
      return nil
    } catch {
      if run.stopsTracker { halt() }
      return error
    }
  }

  private func perform(_ call: PassRun.Call) async -> PassRun.Answer {
    do {
      switch call {
      case .observer(let id, let contexts):
        guard let callback = observers[id] else { return .done }
        try await insideHook { try await callback(contexts) }
      case .mergeHook(let id, let input):
        guard let callback = mergeHooks[id] else { return .done }
        if try await insideHook({ try await callback(input) }) == .finish { return .finish }
      case .merger(let merger, let transactions):
        try await insideHook { try await merger.merge(transactions, into: contexts) }
      case .deduplicator(let deduplicator, let transactions):
        try await insideHook { try await deduplicator.deduplicate(transactions, in: contexts) }
      }
      return .done
    } catch {
      return .failed(error)
    }
  }

  /// Calls a hook with ``HookCall/current`` set, so that ``isInsideHook`` is `true` for the hook's code.
  private func insideHook<Answer: Sendable>(
    _ body: () async throws -> Answer
  ) async throws -> Answer {
    hookCallCount += 1
    let call = HookCall(tracker: ObjectIdentifier(self), number: hookCallCount)
    hookCall = call
    defer { hookCall = nil }
    return try await HookCall.$current.withValue(call) { try await body() }
  }

  /// Whether the caller runs inside a hook, merger or deduplicator of this tracker.
  var isInsideHook: Bool { hookCall != nil && HookCall.current == hookCall }

  /// Throws if called inside a hook of this tracker, because the hook's pass would wait for itself.
  func refuseInsideHook() throws(HistoryError) {
    if isInsideHook { throw .insideHook(member) }
  }
}

/// The transactions and the recorded position after one step of a pass: fetch, merge or record.
package struct TrackerStep: Sendable {
  /// The numbers of the transactions that the next merge applies.
  package let fetched: [Int64]
  /// The numbers of the merged transactions.
  package let merged: [Int64]
  /// The recorded position, or `nil` if the step did not record.
  package let cursor: HistoryToken?
}

extension HistoryTracker {
  /// Launches the member without a pass, so that other code can run before the first pass.
  ///
  /// - Throws: The launch errors of ``start()``.
  package func launch(resyncingIfLost: Bool = false) throws(HistoryError) -> Registration {
    try core.launched(resyncingIfLost: resyncingIfLost).registration
  }

  /// Performs a single step of a pass, so that other code can run between two steps.
  ///
  /// - Throws: The errors of that step in a pass.
  package func perform(_ step: PassStep) async throws(HistoryError) -> TrackerStep {
    try await takeTurn()
    defer { queue.end() }
    var run = try core.begin(step)
    if let failure = await drive(&run) { throw failure }
    return run.step
  }
}

extension HistoryTracker {
  /// Purges the history that every member has merged, whatever the purge strategy is.
  ///
  /// The configured retention limits apply. To purge without a tracker, call
  /// ``HistoryStore/Store/purge(when:retaining:)``. PersistentHistoryTrackingKit: `cleanerBuilder()`.
  ///
  /// - Throws: ``HistoryError/Code/superseded`` if the member has since been launched again,
  ///   ``HistoryError/Code/lost`` if a purge has marked the member as lost, or
  ///   ``HistoryError/Code/sqlite``. The purge has no effect then.
  /// - Complexity: linear in the purged history.
  @discardableResult
  public func purge() throws(HistoryError) -> PurgeResult {
    try core.purge()
  }
}

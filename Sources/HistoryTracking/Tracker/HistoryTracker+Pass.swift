public import HistoryStore
import ObjectContexts
import PersistentHistory

extension HistoryTracker {
  /// Fetches, tells hooks, merges, records and, if the strategy says so, purges; launches the actor if
  /// need be.
  ///
  /// One pass runs at a time; those who ask while one runs share the next.
  ///
  /// - Throws: ``HistoryError``; the cursor stays where it was recorded, and the next pass goes on there.
  /// - Complexity: proportional to what is new and to what is purged.
  @discardableResult
  public func pass() async throws(HistoryError) -> PassReport {
    try refuseInsideHook()
    return try await sharedPass(launching: true).get()
  }

  /// What each pass does, from here on.
  ///
  /// ```swift
  /// for await report in await tracker.passes { print(report) }
  /// ```
  public var passes: PassReports { PassReports(stream: broadcast.listen()) }

  /// Makes a pass when it is its turn, or shares the one that waits for its turn.
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

  /// Waits until no pass is under way and keeps others from beginning, until the turn ends.
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
      // A tracker that was stopped meanwhile is not launched by a signal that came before.
      guard var begun = try core.beginPass(launching: launching) else {
        return .success(PassReport())
      }
      failure = await drive(&begun)
      run = begun
    } catch {
      failure = error
    }
    let report = core.end(run, failure)
    broadcast.tell(report)
    return failure.map { .failure($0) } ?? .success(report)
  }

  /// Awaits the calls of a pass to its end, and returns why it ended early, if it did.
  func drive(_ run: inout PassRun) async -> HistoryError? {
    var answer: PassRun.Answer?
    do throws(HistoryError) {
      while let call = try run.next(answer) { answer = await perform(call) }
      return nil
    } catch {
      if run.stopsTracker { stop() }
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
        try await merger.merge(transactions, into: contexts)
      case .deduplicator(let deduplicator, let transactions):
        try await deduplicator.deduplicate(transactions, in: contexts)
      }
      return .done
    } catch {
      return .failed(error)
    }
  }

  /// Calls a hook, and lets what it calls know that.
  private func insideHook<Answer: Sendable>(
    _ body: () async throws -> Answer
  ) async throws -> Answer {
    hookCallCount += 1
    let call = HookCall(tracker: ObjectIdentifier(self), number: hookCallCount)
    hookCall = call
    defer { hookCall = nil }
    return try await HookCall.$current.withValue(call) { try await body() }
  }

  /// Refuses what waits for the end of a pass to a hook that the pass waits for.
  func refuseInsideHook() throws(HistoryError) {
    if let hookCall, HookCall.current == hookCall { throw .insideHook(member) }
  }
}

public import HistoryStore
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
    var report = PassReport()
    do throws(HistoryError) {
      // A tracker that was stopped meanwhile is not launched by a signal that came before.
      guard let session = try launching ? launched() : session else { return .success(report) }
      try await run(session, &report)
      failure = nil
      if report.pageCount > 0 { log.detail("\(report) in \(report.durations)") }
    } catch {
      failure = error
      report.failure = error
      log.event(.error, "a pass failed: \(error)")
    }
    broadcast.tell(report)
    return failure.map { .failure($0) } ?? .success(report)
  }

  /// Runs the steps of a pass page by page until nothing is new, and purges.
  private func run(
    _ session: MemberSession,
    _ report: inout PassReport
  ) async throws(HistoryError) {
    let purging = configuration.strategy != .none
    var timer = StepTimer(configuration.clock)
    var before: HistoryToken
    repeat {
      before = session.mergedThrough
      try await perform(.fetch, session, &report, &timer)
      try await perform(.merge, session, &report, &timer)
      // The purge that ends a pass records its last page.
      if session.hasMore || !purging { try await perform(.record, session, &report, &timer) }
    } while session.hasMore && session.mergedThrough != before
    if purging {
      try purge(session, &report)
      timer.lap(&report.durations.purge)
    }
  }

  func perform(
    _ step: PassStep,
    _ session: MemberSession,
    _ report: inout PassReport,
    _ timer: inout StepTimer
  ) async throws(HistoryError) {
    switch step {
    case .fetch:
      if try !session.fetch().isEmpty { report.pageCount += 1 }
      timer.lap(&report.durations.fetch)
    case .merge:
      try await merge(session, &report, &timer)
    case .record:
      report.cursor = try session.record()
      timer.lap(&report.durations.record)
    }
  }

  private func merge(
    _ session: MemberSession,
    _ report: inout PassReport,
    _ timer: inout StepTimer
  ) async throws(HistoryError) {
    var isFinished = false
    if !hooks.isEmpty {
      isFinished = try await callHooks(session.awaitingMerge, &report)
      timer.lap(&report.durations.hooks)
    }
    if isFinished { session.passOver() }
    let transactions = try await merge(session)
    report.note(transactions)
    noteAuthors(of: transactions, &report)
    if let deduplicator = configuration.deduplicator, !transactions.isEmpty {
      try await deduplicate(transactions, deduplicator)
    }
    timer.lap(&report.durations.merge)
  }

  /// Merges the fetched page in the default way, or in the one that the tracker was given.
  private func merge(_ session: MemberSession) async throws(HistoryError) -> [HistoryTransaction] {
    guard let merger = configuration.merger else { return try session.merge() }
    let transactions = session.awaitingMerge
    if !transactions.isEmpty {
      do {
        try await merger.merge(transactions, into: contexts)
      } catch {
        throw HistoryError(error)
      }
    }
    session.passOver()
    return transactions
  }

  private func deduplicate(
    _ transactions: [HistoryTransaction],
    _ deduplicator: any TransactionDeduplicator
  ) async throws(HistoryError) {
    do {
      try await deduplicator.deduplicate(transactions, in: contexts)
    } catch {
      throw HistoryError(error)
    }
  }

  /// Notes authors who write and were not named, and says so once.
  private func noteAuthors(of transactions: [HistoryTransaction], _ report: inout PassReport) {
    guard !configuration.allAuthors.isEmpty else { return }
    for case let author? in transactions.map(\.author) where !configuration.declares(author) {
      report.undeclaredAuthors.insert(author)
      if toldAuthors.insert(author).inserted {
        log.event(.notice, "\"\(author)\" writes and is not among allAuthors; it is merged as well")
      }
    }
  }
}

package import HistoryStore
package import ObjectContexts
package import PersistentHistory

/// Everything that a tracker decides, without waiting for anything and without tasks.
///
/// What needs no waiting it does itself. What does, hooks above all, it asks its driver for, one call
/// after the other (``PassRun``). The actor ``HistoryTracker`` awaits each call; a simulation answers at
/// once. It belongs to its driver, which uses it from one place at a time.
package final class TrackerCore {
  /// The member: a process in one role.
  package let member: ActorID
  /// The store that is followed.
  package let store: Store
  /// The contexts that history is merged into.
  package let contexts: [ObjectContext]
  /// How the tracker works.
  package let configuration: TrackerConfiguration
  /// The launch, and what it has in memory; nothing before it and after a stop.
  package private(set) var session: MemberSession?
  /// Why the last pass did not succeed; nothing once one does.
  package var failure: HistoryError?
  /// The observers and merge hooks, without what they do: the driver keeps that.
  package var hooks = HookRegistry()
  var troubles = HookTroubles()
  var purges = PurgeTurn()
  let log: TrackerLog
  /// Undeclared authors that were logged already.
  private var loggedAuthors: Set<String> = []

  /// Creates the core of a tracker that is not launched.
  package init(
    _ member: ActorID,
    store: Store,
    contexts: [ObjectContext],
    configuration: TrackerConfiguration
  ) {
    self.member = member
    self.store = store
    self.contexts = contexts
    self.configuration = configuration
    log = TrackerLog(
      actor: member,
      level: configuration.logLevel,
      logger: configuration.logger
    )
  }

  /// Creates the core of a tracker for a launch that was made already.
  package convenience init(_ session: MemberSession, _ configuration: TrackerConfiguration) {
    self.init(
      session.member,
      store: session.store,
      contexts: session.contexts,
      configuration: configuration
    )
    self.session = session
  }

  // MARK: Life

  /// The session of this launch, or a new one.
  ///
  /// - Throws: ``HistoryError/lost(_:)`` when a retention limit has cut the member off,
  ///   ``HistoryError/inUse(_:processID:)`` while another process runs it.
  @discardableResult
  package func launched(resyncingIfLost: Bool = false) throws(HistoryError) -> MemberSession {
    if let session { return session }
    let launched = try MemberSession(
      member,
      store: store,
      contexts: contexts,
      author: configuration.currentAuthor ?? contexts.first?.author,
      ignoredAuthors: configuration.ignoredAuthors,
      pageTransactionCountMax: configuration.pageTransactionCountMax,
      resyncingIfLost: resyncingIfLost,
      declaring: configuration.declaration,
      importing: configuration.kitCursors
    )
    hooks.forgetCalled()
    session = launched
    try logLaunch(launched.registration)
    return launched
  }

  /// Logs what a launch found out: what became of the kit's cursor, and what members disagree in.
  private func logLaunch(_ registration: Registration) throws(HistoryError) {
    if let imported = registration.cursorImport { log.event(.notice, "\(imported)") }
    if let author = configuration.currentAuthor, configuration.batchAuthors.contains(author) {
      log.event(.notice, "\"\(author)\" is its own author and among batchAuthors, who only write")
    }
    guard configuration.logLevel > .off else { return }
    for difference in try store.configurationDifferences() {
      log.event(.notice, "\(difference)")
    }
  }

  /// Forgets the launch; the recorded cursor stays.
  package func stop() { session = nil }

  /// Ends the membership: history is not kept for the member any more.
  package func retire() throws(HistoryError) {
    try launched().retire()
    stop()
  }

  /// Reads the data anew and goes on from the head, after history was lost, expired or rewound.
  package func resync() throws(HistoryError) -> HistoryToken {
    let cursor = try launched(resyncingIfLost: true).resync()
    hooks.forgetCalled()
    failure = nil
    log.event(.notice, "read the data anew, and goes on from #\(cursor.number)")
    return cursor
  }

  /// Purges what every member has merged, whatever the strategy says.
  package func purge() throws(HistoryError) -> PurgeResult {
    let result =
      if let session { try session.purge(retaining: retention) } else {
        try store.purge(retaining: retention)
      }
    logCut(result.lostMembers, result.timestampJumps)
    return result
  }

  /// The limits beyond which a purge does not wait for a member.
  var retention: RetentionLimits { configuration.retention ?? RetentionLimits() }

  func logCut(_ lost: [ActorID], _ jumps: [TimestampJump]) {
    for member in lost {
      log.event(.fault, "\(member) was cut off by a retention limit; it must resync")
    }
    for jump in jumps {
      log.event(
        .notice,
        "time moves by \(jump.seconds) s at #\(jump.number); retention leaves it out"
      )
    }
  }

  /// Notes authors who write and were not named, and logs each once.
  func noteAuthors(of transactions: [HistoryTransaction], _ report: inout PassReport) {
    guard !configuration.allAuthors.isEmpty else { return }
    for case let author? in transactions.map(\.author) where !configuration.declares(author) {
      report.undeclaredAuthors.insert(author)
      if loggedAuthors.insert(author).inserted {
        log.event(.notice, "\"\(author)\" writes and is not among allAuthors; it is merged as well")
      }
    }
  }

  // MARK: Passes

  /// Begins a pass, and launches the member first if it is to; nothing where the member does not run.
  package func beginPass(launching: Bool = true) throws(HistoryError) -> PassRun? {
    guard let session = try launching ? launched() : session else { return nil }
    return PassRun(self, session)
  }

  /// Begins one step of a pass alone.
  package func begin(_ step: PassStep) throws(HistoryError) -> PassRun {
    PassRun(self, try launched(), only: step)
  }

  /// Notes how a pass ended, and returns its report.
  package func end(_ run: PassRun?, _ error: HistoryError?) -> PassReport {
    var report = run?.report ?? PassReport()
    // A pass of a tracker that was stopped meanwhile changes nothing.
    if run != nil || error != nil { failure = error }
    report.failure = error
    if let error {
      log.event(.error, "a pass failed: \(error)")
    } else if report.pageCount > 0 {
      log.detail("\(report) in \(report.durations)")
    }
    return report
  }

  /// Makes a whole pass, where a closure answers each call at once.
  package func pass(
    launching: Bool = true,
    answering answer: (PassRun.Call) -> PassRun.Answer = { _ in .done }
  ) -> PassReport {
    var run: PassRun?
    do throws(HistoryError) {
      run = try beginPass(launching: launching)
      try run?.finish(answering: answer)
      return end(run, nil)
    } catch {
      return end(run, error)
    }
  }

  /// Whether a signal leads to a pass: one that comes late tells of what an earlier pass has found.
  package func isNews(_ token: HistoryToken) -> Bool {
    failure != nil || session?.recordedThrough != token
  }
}

extension TrackerCore {
  /// How many passes found something new, as far as the strategy counts them.
  package var newsCount: Int { purges.newsCount }
}

extension TrackerCore {
  /// What a tracker has in memory between two requests.
  package struct Memory: Sendable {
    let session: MemberSession.Memory?
    let failure: HistoryError?
    let troubles: HookTroubles
    let purges: PurgeTurn
    /// The last group that each observer was called with, in the order of their registration.
    let called: [GroupPosition?]
    let loggedAuthors: Set<String>
  }

  /// What the tracker has in memory; no pass must be under way.
  package var memory: Memory {
    Memory(
      session: session?.memory,
      failure: failure,
      troubles: troubles,
      purges: purges,
      called: hooks.called,
      loggedAuthors: loggedAuthors
    )
  }

  /// Takes up what a tracker with the same hooks had in memory, on a store that was put back.
  ///
  /// - Throws: ``HistoryError/inUse(_:processID:)`` when the member runs already.
  package func resume(_ memory: Memory) throws(HistoryError) {
    session = try memory.session.map { kept throws(HistoryError) in
      MemberSession(try kept.held(by: store), store: store, contexts: contexts)
    }
    failure = memory.failure
    troubles = memory.troubles
    purges = memory.purges
    hooks.called = memory.called
    loggedAuthors = memory.loggedAuthors
  }
}

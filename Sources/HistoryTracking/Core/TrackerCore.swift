package import HistoryStore
package import HistoryTypes
package import ObjectContexts

/// The synchronous logic of a tracker, without tasks and without waiting.
///
/// The core does not perform calls that may take time, such as those of hooks: a ``PassRun``
/// returns them one after the other to the code that drives the core. The actor ``HistoryTracker``
/// awaits each call; a synchronous driver performs each call without suspending. The driver must
/// not use the core concurrently.
package final class TrackerCore {
  /// The member: a process in one role.
  package let member: MemberID
  /// The store whose history is merged.
  package let store: Store
  /// The contexts that history is merged into.
  package let contexts: [ObjectContext]
  package let configuration: TrackerConfiguration
  /// The session of the current launch; `nil` before the launch and after a stop.
  package private(set) var session: MemberSession?
  /// The error of the last pass, or `nil` if it succeeded.
  package var failure: HistoryError?
  /// The observers and merge hooks: their identities and options, without their callbacks.
  ///
  /// The code that drives the core, such as the actor ``HistoryTracker``, keeps the callbacks.
  package var hooks = HookRegistry()
  var hookFailures = HookFailures()
  var purges = PurgeTurn()
  let log: TrackerLog
  /// The authors that the configuration does not declare, and that were already logged.
  ///
  /// Each such author is logged only once.
  private var loggedAuthors: Set<String> = []
  /// The version of the store's model that a pass last compared with this program's model.
  ///
  /// A pass reports a difference only if this version has changed.
  private var reportedModelVersion: Int?
  /// Whether the next pass must read the version of the store's model.
  ///
  /// A resync sets the value to `true`, because it may have skipped a change of the model.
  private var mustReadModel = false

  /// Creates the core of a tracker that has not launched.
  package init(
    _ member: MemberID,
    store: Store,
    contexts: [ObjectContext],
    configuration: TrackerConfiguration
  ) {
    self.member = member
    self.store = store
    self.contexts = contexts
    self.configuration = configuration
    log = TrackerLog(member, configuration)
  }

  /// Creates the core of a tracker for an existing session.
  package convenience init(_ session: MemberSession, _ configuration: TrackerConfiguration) {
    self.init(
      session.member,
      store: session.store,
      contexts: session.contexts,
      configuration: configuration
    )
    self.session = session
  }

  // MARK: Lifecycle

  /// Returns the current session, or launches a new one.
  ///
  /// - Throws: ``HistoryError/Code/lost`` if a purge has marked the member as lost,
  ///   ``HistoryError/Code/inUse`` while another process runs the member.
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
      loadsAllObjects: configuration.loadsAllObjects,
      resyncingIfLost: resyncingIfLost,
      declaring: configuration.declaration,
      importing: configuration.kitCursors
    )
    hooks.forgetCalled()
    session = launched
    try logLaunch(launched.registration)
    return launched
  }

  /// Logs the facts about a launch that may need attention.
  ///
  /// These are a cursor imported from PersistentHistoryTrackingKit, an author of this tracker that is
  /// listed in `batchAuthors`, and the options that differ between members.
  private func logLaunch(_ registration: Registration) throws(HistoryError) {
    if let imported = registration.cursorImport { log.write(.notice, "\(imported)") }
    if let author = configuration.currentAuthor, configuration.batchAuthors.contains(author) {
      log.write(
        .notice,
        "this tracker's author \"\(author)\" is in batchAuthors, which is for authors without a "
          + "tracker: remove it from batchAuthors"
      )
    }
    guard log.isEnabled(.notice) else { return }
    for difference in try store.configurationDifferences() {
      log.write(.notice, "\(difference)")
    }
  }

  /// Ends the session; the recorded cursor remains.
  package func stop() { session = nil }

  /// Ends the membership: history is no longer kept for the member.
  package func retire() throws(HistoryError) {
    try launched().retire()
    stop()
  }

  /// Reloads the contexts and continues at the newest transaction, without merging older ones.
  ///
  /// A resync recovers from the errors `lost`, `expired` and `rewound`.
  package func resync() throws(HistoryError) -> HistoryToken {
    let cursor = try launched(resyncingIfLost: true).resync()
    hooks.forgetCalled()
    mustReadModel = true
    failure = nil
    log.write(.notice, "resync: read the data again; continues after transaction \(cursor.number)")
    return cursor
  }

  /// Purges the history that every member has merged, regardless of the strategy.
  package func purge() throws(HistoryError) -> PurgeResult {
    let result =
      if let session { try session.purge(retaining: retention) } else {
        try store.purge(retaining: retention)
      }
    logCut(result.lostMembers, result.timestampJumps)
    return result
  }

  /// The configured retention limits; without any, this tracker's purges keep all unmerged history.
  var retention: RetentionLimits { configuration.retention ?? RetentionLimits() }

  func logCut(_ lost: [MemberID], _ jumps: [TimestampJump]) {
    for member in lost {
      log.write(.critical, "\(member) was cut off by a retention limit; it must resync")
    }
    for jump in jumps {
      log.write(
        .notice,
        "timestamps jump by \(jump.difference.inSeconds) s at transaction \(jump.number); an age "
          + "limit on history does not count the jump"
      )
    }
  }

  /// Reports authors that the configuration does not declare, and logs each of them once.
  func noteAuthors(of transactions: [HistoryTransaction], _ report: inout PassReport) {
    guard !configuration.allAuthors.isEmpty else { return }
    let authors = transactions.filter { !$0.isModelMigration }.map(\.author)
    for case let author? in authors where !configuration.declares(author) {
      report.undeclaredAuthors.insert(author)
      if loggedAuthors.insert(author).inserted {
        log.write(
          .notice,
          "the author \"\(author)\" writes and is not among allAuthors: add it to the set; its "
            + "transactions are merged in either case"
        )
      }
    }
  }

  /// Reports once that a newer program has changed the store's model.
  ///
  /// A change of the model is a transaction without changes of objects. The first pass always reads the
  /// model's version, because the transaction with the change may precede the member's cursor.
  func noteModel(of transactions: [HistoryTransaction], _ report: inout PassReport) {
    guard
      mustReadModel || reportedModelVersion == nil
        || transactions.contains(where: { $0.changeCount == 0 && $0.isModelMigration })
    else { return }
    do throws(HistoryError) {
      let skew = try store.modelSkew()
      mustReadModel = false
      let version = skew?.fileVersion ?? store.model.version
      guard version != reportedModelVersion else { return }
      reportedModelVersion = version
      guard let skew else { return }
      report.modelSkew = skew
      log.write(.notice, "\(skew)")
    } catch {
      // The next request that needs the model throws the same error.
      log.write(.error, "the store's model cannot be read: \(error)")
    }
  }

  // MARK: Passes

  /// Starts a pass, or returns `nil` if the member is not running and `launching` is `false`.
  ///
  /// If `launching` is `true`, a member that is not running is launched first.
  package func beginPass(launching: Bool = true) throws(HistoryError) -> PassRun? {
    guard let session = try launching ? launched() : session else { return nil }
    return PassRun(self, session)
  }

  /// Starts a single step of a pass.
  package func begin(_ step: PassStep) throws(HistoryError) -> PassRun {
    PassRun(self, try launched(), only: step)
  }

  /// Stores the error of a finished pass in ``failure``, and returns the pass's report.
  package func end(_ run: PassRun?, _ error: HistoryError?) -> PassReport {
    var report = run?.report ?? PassReport()
    // If the tracker was stopped before the pass started, neither a run nor an error exists: keep
    // the status.
    if run != nil || error != nil { failure = error }
    report.failure = error
    if let error {
      log.write(.error, "a pass failed: \(error)")
    } else if report.pageCount > 0 {
      log.write(.debug, "\(report) in \(report.durations)")
    }
    return report
  }

  /// Runs a whole pass; `answer` performs each call that may take time, such as that of a hook.
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

  /// Returns whether a signal of a commit at this position requires a pass.
  ///
  /// A late signal may announce a position that an earlier pass has already recorded.
  package func isNews(_ token: HistoryToken) -> Bool {
    failure != nil || session?.recordedThrough != token
  }
}

extension TrackerCore {
  /// The number of passes that found new transactions.
  ///
  /// Counted only under ``PurgeStrategy/byNotification(times:)``.
  package var newsCount: Int { purges.newsCount }
}

extension TrackerCore {
  /// A copy of a tracker's in-memory state, from which ``TrackerCore/resume(_:)`` continues.
  package struct Snapshot: Sendable {
    let session: MemberSession.Snapshot?
    let failure: HistoryError?
    let hookFailures: HookFailures
    let purges: PurgeTurn
    /// The position of the last group of changes passed to each observer, in registration order.
    let called: [GroupPosition?]
    let loggedAuthors: Set<String>
    let reportedModelVersion: Int?
    let mustReadModel: Bool
  }

  /// A copy of the tracker's in-memory state; no pass may be in progress.
  package var snapshot: Snapshot {
    Snapshot(
      session: session?.snapshot,
      failure: failure,
      hookFailures: hookFailures,
      purges: purges,
      called: hooks.called,
      loggedAuthors: loggedAuthors,
      reportedModelVersion: reportedModelVersion,
      mustReadModel: mustReadModel
    )
  }

  /// Replaces the tracker's in-memory state by a snapshot.
  ///
  /// The snapshot must come from a tracker with the same hooks, and the store must have been
  /// restored to its state at the time of the snapshot.
  ///
  /// - Throws: ``HistoryError/Code/inUse`` if the member is already running.
  package func resume(_ snapshot: Snapshot) throws(HistoryError) {
    session = try snapshot.session.map { kept throws(HistoryError) in
      MemberSession(try kept.held(by: store), store: store, contexts: contexts)
    }
    failure = snapshot.failure
    hookFailures = snapshot.hookFailures
    purges = snapshot.purges
    hooks.called = snapshot.called
    loggedAuthors = snapshot.loggedAuthors
    reportedModelVersion = snapshot.reportedModelVersion
    mustReadModel = snapshot.mustReadModel
  }
}

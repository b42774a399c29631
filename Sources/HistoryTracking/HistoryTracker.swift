public import HistoryStore
public import ObjectContexts
public import PersistentHistory

/// When a tracker purges history after a pass.
public enum PurgeStrategy: Sendable, Hashable {
  /// Never; somebody calls ``HistoryTracker/purge()``.
  case none
  /// After every pass, what every member has merged.
  case whenMerged
}

/// Keeps contexts up to date with what others write to a store: fetches the history after the
/// actor's cursor, merges it, records the cursor, and purges what every member has merged.
///
/// Once started it makes a pass for each signal of the store, one at a time; what is signalled during
/// a pass leads to exactly one more. A tracker that nobody holds any more ends, stopped or not.
///
/// ```swift
/// let store = try Store(path: "/path/to/shared.store", model: model)
/// let view = ObjectContext(store: store, author: "app", name: "view")
/// let tracker = HistoryTracker("app", store: store, contexts: [view])
/// try await tracker.start()
/// ```
public actor HistoryTracker {
  private let member: ActorID
  private let store: Store
  private let contexts: [ObjectContext]
  private let strategy: PurgeStrategy
  private var session: MemberSession?
  /// Makes a pass for each signal while the tracker is started.
  private var following: Task<Void, Never>?
  /// Why the last pass that followed a signal did not succeed; nothing once one does.
  public private(set) var failure: HistoryError?

  /// Creates a tracker for one actor: a process in one role, whose name no other process uses.
  public init(
    _ member: ActorID,
    store: Store,
    contexts: [ObjectContext],
    strategy: PurgeStrategy = .whenMerged
  ) {
    self.member = member
    self.store = store
    self.contexts = contexts
    self.strategy = strategy
  }

  deinit { following?.cancel() }

  /// Launches the actor, catches up with what was written while it was away, and follows the store
  /// from there on; when it runs already, it only catches up.
  ///
  /// What goes wrong while following stands in ``failure``.
  ///
  /// - Throws: ``HistoryError/lost(_:)`` when a retention limit has cut the actor off; nothing is
  ///   followed then.
  @discardableResult
  public func start() throws(HistoryError) -> PassReport {
    guard following == nil else { return try pass() }
    // Watched first, so that nothing falls between the pass and the watch.
    let changes = try store.changes
    let report = try pass()
    following = Task { [weak self] in
      for await _ in changes { await Self.follow(self) }
    }
    return report
  }

  /// Fetches, merges, records and, if the strategy says so, purges; launches the actor if need be.
  ///
  /// - Throws: ``HistoryError``; the cursor stays where it was recorded, and the next pass goes on there.
  /// - Complexity: proportional to what is new and to what is purged.
  @discardableResult
  public func pass() throws(HistoryError) -> PassReport {
    var report = PassReport()
    try launched().pass(purging: strategy == .whenMerged, &report)
    return report
  }

  /// Purges what every member has merged.
  @discardableResult
  public func purge() throws(HistoryError) -> PurgeResult {
    try launched().purge()
  }

  /// Reads the data anew and goes on from the head, after history was lost, expired or rewound.
  @discardableResult
  public func resync() throws(HistoryError) -> HistoryToken {
    try launched(resyncingIfLost: true).resync()
  }

  /// Stops following the history; the cursor stays, and history is kept for the actor.
  public func stop() {
    following?.cancel()
    following = nil
    session = nil
  }

  /// Ends the membership: history is not kept for the actor any more.
  public func retire() throws(HistoryError) {
    try launched().retire()
    stop()
  }

  func passAfterSignal() -> HistoryError? {
    // The signal may have waited for the actor while that was stopped.
    guard !Task.isCancelled else { return nil }
    do throws(HistoryError) {
      try pass()
      failure = nil
    } catch {
      failure = error
    }
    return failure
  }

  private func launched(
    resyncingIfLost: Bool = false
  ) throws(HistoryError) -> MemberSession {
    if let session { return session }
    let launched = try MemberSession(
      member,
      store: store,
      contexts: contexts,
      author: contexts.first?.author,
      resyncingIfLost: resyncingIfLost
    )
    session = launched
    return launched
  }
}

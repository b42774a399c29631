public import HistoryStore
public import HistoryTypes
public import ObjectContexts

/// Keeps contexts up to date with changes that other processes and contexts write to a store.
///
/// A pass fetches the history after the member's cursor, calls hooks, merges the transactions,
/// records the cursor, and purges the history that every member has merged. With Core Data, an app
/// writes these steps itself: `NSPersistentStoreRemoteChange` is the signal,
/// `NSPersistentHistoryChangeRequest.fetchHistory(after:)` fetches,
/// `NSManagedObjectContext.mergeChanges(fromContextDidSave:)` merges, the app keeps the
/// `NSPersistentHistoryToken`, and `deleteHistory(before:)` purges. In
/// PersistentHistoryTrackingKit, the class `PersistentHistoryTrackingKit` has this role.
///
/// A started tracker runs a pass for each signal of the store, one at a time. All signals that
/// arrive during a pass lead to exactly one more pass. Releasing the last reference stops tracking.
///
/// ```swift
/// let store = try Store(path: "/path/to/shared.store", model: model)
/// let view = ObjectContext(store: store, author: "app", name: "view")
/// let tracker = HistoryTracker("app", store: store, contexts: [view])
/// try await tracker.start()
/// ```
public actor HistoryTracker {
  /// The member: a process in one role.
  public nonisolated let member: MemberID
  /// The store whose history is merged.
  public nonisolated let store: Store
  /// The contexts that history is merged into.
  public nonisolated let contexts: [ObjectContext]
  /// The configuration of the tracker.
  public nonisolated let configuration: TrackerConfiguration
  /// The error of the last pass, or `nil` if it succeeded.
  public var failure: HistoryError? { core.failure }

  /// The synchronous logic of the tracker, which leaves calls that may take time to the actor.
  let core: TrackerCore
  private let home: any Actor
  /// The task that runs a pass for each signal while the tracker is started.
  var following: Task<Void, Never>?
  /// The task that the last ``stop()`` cancelled; it may still be finishing a pass.
  private var ending: Task<Void, Never>?
  /// The number of times that the tracker was stopped.
  private(set) var stopCount = 0
  var observers: [HookID: HookCallback] = [:]
  var mergeHooks: [HookID: MergeHookCallback] = [:]
  /// The call of a hook, merger or deduplicator in progress.
  var hookCall: HookCall?
  var hookCallCount = 0
  var queue = PassQueue()
  let broadcast = PassBroadcast()

  /// Creates a tracker for one member: a process in one role.
  ///
  /// - Parameters:
  ///   - member: The name of the member, which no other process may use.
  ///   - store: The store whose history is merged.
  ///   - contexts: The contexts to merge into, each of which must belong to the store. The default is one
  ///     view context with the current author.
  ///   - configuration: The options of the tracker. The defaults suit an app with extensions.
  public init(
    _ member: MemberID,
    store: Store,
    contexts: [ObjectContext]? = nil,
    configuration: TrackerConfiguration = TrackerConfiguration()
  ) {
    let author = configuration.currentAuthor
    let contexts = contexts ?? [ObjectContext(store: store, author: author, name: "view")]
    for context in contexts where context.store.id != store.id {
      fatalError(
        "The context belongs to \(context.store.path), but this tracker tracks \(store.path). Make a "
          + "tracker for each store."
      )
    }
    self.member = member
    self.store = store
    self.contexts = contexts
    self.configuration = configuration
    core = TrackerCore(member, store: store, contexts: contexts, configuration: configuration)
    home = configuration.executor.map { ConfiguredExecutorActor($0) } ?? DefaultExecutorActor()
    if configuration.autoStart { startAlone() }
  }

  /// Creates a tracker with a purge strategy and otherwise default configuration.
  ///
  /// - Parameters:
  ///   - member: The name of the member, which no other process may use.
  ///   - store: The store whose history is merged.
  ///   - contexts: The contexts to merge into, each of which must belong to the store. The default is one
  ///     view context without an author.
  ///   - strategy: The condition under which a pass purges.
  public init(
    _ member: MemberID,
    store: Store,
    contexts: [ObjectContext]? = nil,
    strategy: PurgeStrategy
  ) {
    var configuration = TrackerConfiguration()
    configuration.strategy = strategy
    self.init(member, store: store, contexts: contexts, configuration: configuration)
  }

  deinit { following?.cancel() }

  /// The executor of the tracker: the configured one, or a queue that uses the system's threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  // MARK: Lifecycle

  /// A Boolean value that indicates whether the tracker runs a pass for each signal of the store.
  public var isStarted: Bool { following != nil }

  var isLaunched: Bool { core.session != nil }

  /// The number of callers that wait for a pass.
  var waitingCount: Int { queue.waitingCount }

  /// Launches the member, runs a pass to catch up, and from then on a pass for each signal.
  ///
  /// If the tracker is already started, this method only runs a pass.
  ///
  /// Errors of later passes are reported in ``failure``, in ``passes`` and in the log. If the first
  /// pass fails with an error that may resolve without intervention, such as a hook that throws,
  /// the tracker still starts and retries the pass, and this method throws the error.
  ///
  /// - Throws: ``HistoryError/Code/lost`` if a purge has marked the member as lost,
  ///   ``HistoryError/Code/inUse`` while another process runs the member, and other errors that
  ///   prevent the launch; the tracker is not started in these cases.
  /// - Complexity: that of a pass over the history since the last stop.
  @discardableResult
  public func start() async throws(HistoryError) -> PassReport {
    guard following == nil else { return try await pass() }
    try refuseInsideHook()
    // Start watching before the pass, so that no commit between the pass and the watch is missed.
    let signals = try configuration.signals(store)
    let life = stopCount
    let outcome = await sharedPass(launching: true)
    guard following == nil, life == stopCount else { return try outcome.get() }
    var failure: HistoryError?
    if case .failure(let error) = outcome { failure = error }
    if let first = Following(afterLaunch: failure, isLaunched: isLaunched) {
      if case .success(let report) = outcome {
        core.log.write(.info, "follows \(store.path): \(report)")
      }
      follow(signals, first)
    }
    return try outcome.get()
  }

  /// Stops tracking; the cursor remains, and history is kept for the member.
  ///
  /// Waits until a pass that a signal started has finished. Afterwards the tracker uses its store
  /// only when one of its methods is called, so that the store can be closed, and its file migrated
  /// or deleted. Inside a hook of this tracker, the method does not wait, because the pass waits
  /// for the hook.
  ///
  /// - Complexity: no query after the pass in progress.
  public func stop() async {
    halt()
    guard !isInsideHook else { return }
    await ending?.value
  }

  /// Stops tracking, without waiting for a pass in progress.
  func halt() {
    if let following {
      core.log.write(.info, "stopped")
      following.cancel()
      ending = following
    }
    following = nil
    core.stop()
    stopCount += 1
  }

  /// Ends the membership: history is no longer kept for the member.
  ///
  /// - Throws: ``HistoryError/Code/insideHook`` if called inside a hook of this tracker, and the errors of
  ///   ``HistoryStore/Store/retire(_:)``.
  /// - Complexity: one write of one row, after the pass in progress.
  public func retire() async throws(HistoryError) {
    try await takeTurn()
    defer { queue.end() }
    try core.retire()
    halt()
  }

  /// Reloads the contexts and continues at the newest transaction, without merging older ones.
  ///
  /// A resync recovers from the errors `lost`, `expired` and `rewound`. Unsaved edits are discarded.
  ///
  /// - Returns: The position at which the tracker continues.
  /// - Throws: ``HistoryError/Code/insideHook`` if called inside a hook of this tracker, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: a scan of the data for each context.
  @discardableResult
  public func resync() async throws(HistoryError) -> HistoryToken {
    try await takeTurn()
    defer { queue.end() }
    return try core.resync()
  }
}

extension HistoryTracker {
  /// Suspends the tracker's store, as ``HistoryStore/Store/suspend(within:calls:)`` does.
  ///
  /// A pass in progress fails with ``HistoryError/Code/suspended`` at its next step. No signals arrive
  /// until ``resume()``.
  ///
  /// - Parameters:
  ///   - limit: The time that a request in progress has before it is interrupted. The default is
  ///     1 second.
  ///   - calls: Whether calls fail or wait until the store is resumed. The default is `fail`.
  /// - Throws: ``HistoryError/Code/insideRequest`` if called inside a request of the store.
  /// - Complexity: that of ``HistoryStore/Store/suspend(within:calls:)``.
  public nonisolated func suspend(
    within limit: Duration = .seconds(1),
    calls: CallsWhileSuspended = .fail
  ) throws(HistoryError) {
    try store.suspend(within: limit, calls: calls)
  }

  /// Resumes the tracker's store; a started tracker then runs a pass to catch up.
  ///
  /// If another process has launched the member meanwhile, the pass fails with
  /// ``HistoryError/Code/superseded``.
  ///
  /// - Throws: the errors of ``HistoryStore/Store/resume()``.
  /// - Complexity: that of ``HistoryStore/Store/resume()``; the pass runs later.
  public nonisolated func resume() throws(HistoryError) { try store.resume() }
}

extension HistoryTracker {
  /// A copy of a tracker's in-memory state, from which ``HistoryTracker/resume(_:)`` continues.
  package struct Snapshot: Sendable {
    let core: TrackerCore.Snapshot
    let isStarted: Bool
  }

  /// A copy of the tracker's in-memory state; no pass may be in progress or waiting for a retry.
  package var snapshot: Snapshot { Snapshot(core: core.snapshot, isStarted: isStarted) }

  /// Replaces the tracker's in-memory state by a snapshot.
  ///
  /// The snapshot must come from a tracker with the same hooks, and the store must have been
  /// restored to its state at the time of the snapshot.
  ///
  /// If the snapshot was made of a started tracker, this tracker runs a pass for each signal from
  /// now on.
  ///
  /// - Throws: ``HistoryError/Code/inUse`` if the member is already running, and errors that
  ///   prevent watching the store.
  package func resume(_ snapshot: Snapshot) throws(HistoryError) {
    try core.resume(snapshot.core)
    guard snapshot.isStarted, let first = Following(afterLaunch: nil, isLaunched: true) else {
      return
    }
    follow(try configuration.signals(store), first)
  }

  /// The positions in history that the launched member keeps in memory; `nil` if not launched.
  package var place: SessionPlace? { core.session?.place }

  /// The number of passes that found new transactions.
  ///
  /// Counted only under ``PurgeStrategy/byNotification(times:)``.
  package var newsCount: Int { core.newsCount }
}

/// An actor whose default executor the tracker uses if no executor is configured.
actor DefaultExecutorActor {}

/// An actor that makes the tracker run on the configured executor.
actor ConfiguredExecutorActor {
  private let executor: any SerialExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: any SerialExecutor) {
    self.executor = executor
  }
}

extension HistoryTracker {
  /// Creates a tracker for one member on the store of a container.
  ///
  /// The store is that of the first context. Without contexts, the store is the only one of the
  /// container that keeps history.
  ///
  /// - Parameters:
  ///   - member: The name of the member, which no other process may use.
  ///   - container: The container of the store.
  ///   - contexts: The contexts to merge into, all of one store. The default is one view context with
  ///     the current author.
  ///   - configuration: The options of the tracker. The defaults suit an app with extensions.
  /// - Throws: Without contexts, ``HistoryError/Code/severalStores`` if several stores keep
  ///   history, or ``HistoryError/Code/untracked`` if none does.
  public init(
    _ member: MemberID,
    container: StoreContainer,
    contexts: [ObjectContext]? = nil,
    configuration: TrackerConfiguration = TrackerConfiguration()
  ) throws(HistoryError) {
    let store =
      if let context = contexts?.first { context.store } else {
        try container.trackedStore()
      }
    self.init(member, store: store, contexts: contexts, configuration: configuration)
  }
}

extension StoreContainer {
  /// Returns the only store of the container that keeps history.
  fileprivate func trackedStore() throws(HistoryError) -> Store {
    let tracked = stores.filter(\.configuration.tracksHistory)
    guard let store = tracked.first else { throw .untracked(path: stores.first?.path ?? "") }
    guard tracked.count == 1 else { throw .severalStores(tracked.map(\.path)) }
    return store
  }
}

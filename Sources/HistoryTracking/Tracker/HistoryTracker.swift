public import HistoryStore
public import ObjectContexts
public import PersistentHistory

/// Keeps contexts up to date with what others write to a store: fetches the history after the
/// actor's cursor, tells hooks about it, merges it, records the cursor, and purges what every member
/// has merged.
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
  /// The actor: a process in one role.
  public nonisolated let member: ActorID
  /// The store that is followed.
  public nonisolated let store: Store
  /// The contexts that history is merged into.
  public nonisolated let contexts: [ObjectContext]
  /// How the tracker works.
  public nonisolated let configuration: TrackerConfiguration
  /// Why the last pass did not succeed; nothing once one does.
  public var failure: HistoryError? { core.failure }

  /// What decides; this actor awaits what that wants to be called.
  let core: TrackerCore
  private let home: any Actor
  /// Makes a pass for each signal while the tracker is started.
  var following: Task<Void, Never>?
  /// How often the tracker was stopped.
  private(set) var stopCount = 0
  /// What the hooks do.
  var observers: [HookID: HookCallback] = [:]
  var mergeHooks: [HookID: MergeHookCallback] = [:]
  /// The call of a hook that is under way.
  var hookCall: HookCall?
  var hookCallCount = 0
  var queue = PassQueue()
  let broadcast = PassBroadcast()

  /// Creates a tracker for one actor: a process in one role, whose name no other process uses.
  ///
  /// Without contexts it makes one, a view of the current author. Every context must be on the store.
  public init(
    _ member: ActorID,
    store: Store,
    contexts: [ObjectContext]? = nil,
    configuration: TrackerConfiguration = TrackerConfiguration()
  ) {
    let author = configuration.currentAuthor
    let contexts = contexts ?? [ObjectContext(store: store, author: author, name: "view")]
    for context in contexts where context.store.id != store.id {
      fatalError(
        "A context of \(context.store.path) cannot follow \(store.path): make a tracker for each store."
      )
    }
    self.member = member
    self.store = store
    self.contexts = contexts
    self.configuration = configuration
    core = TrackerCore(member, store: store, contexts: contexts, configuration: configuration)
    home = configuration.executor.map { InjectedHome($0) } ?? DefaultHome()
    if configuration.autoStart { startAlone() }
  }

  /// Creates a tracker with a purge strategy and defaults for the rest.
  public init(
    _ member: ActorID,
    store: Store,
    contexts: [ObjectContext]? = nil,
    strategy: PurgeStrategy
  ) {
    var configuration = TrackerConfiguration()
    configuration.strategy = strategy
    self.init(member, store: store, contexts: contexts, configuration: configuration)
  }

  deinit { following?.cancel() }

  /// What runs the tracker: its own queue on the system's threads, or what it was given.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  // MARK: Life

  /// Whether the tracker follows the store.
  public var isStarted: Bool { following != nil }

  /// Whether the actor is launched, and what it has in memory held.
  var isLaunched: Bool { core.session != nil }

  /// How many wait for a pass that is under way.
  var waitingCount: Int { queue.waitingCount }

  /// Launches the actor, catches up with what was written while it was away, and follows the store
  /// from there on; when it runs already, it only catches up.
  ///
  /// What goes wrong while following stands in ``failure``, in ``passes`` and in the log. When catching
  /// up fails from a cause that may go away by itself, a hook that throws for example, the store is
  /// followed all the same and the pass repeated; the error is thrown nevertheless.
  ///
  /// - Throws: ``HistoryError/lost(_:)`` when a retention limit has cut the actor off,
  ///   ``HistoryError/inUse(_:processID:)`` while another process runs it, and what else keeps the actor
  ///   from launching; nothing is followed then.
  @discardableResult
  public func start() async throws(HistoryError) -> PassReport {
    guard following == nil else { return try await pass() }
    try refuseInsideHook()
    // Watched first, so that nothing falls between the pass and the watch.
    let signals = try configuration.signals(store)
    let life = stopCount
    let outcome = await sharedPass(launching: true)
    guard following == nil, life == stopCount, core.session != nil else { return try outcome.get() }
    switch outcome {
    case .success(let report):
      core.log.event(.info, "follows \(store.path): \(report)")
      follow(signals)
    case .failure(let error):
      if error.mayGoAway { follow(signals, after: error) }
    }
    return try outcome.get()
  }

  /// Stops following the history; the cursor stays, and history is kept for the actor.
  ///
  /// A pass that is under way goes on to its end.
  public func stop() {
    if following != nil { core.log.event(.info, "stopped") }
    following?.cancel()
    following = nil
    core.stop()
    stopCount += 1
  }

  /// Ends the membership: history is not kept for the actor any more.
  ///
  /// - Throws: ``HistoryError/insideHook(_:)`` when a hook of this tracker waits for it.
  public func retire() async throws(HistoryError) {
    try await takeTurn()
    defer { queue.end() }
    try core.retire()
    stop()
  }

  /// Reads the data anew and goes on from the head, after history was lost, expired or rewound.
  ///
  /// - Throws: ``HistoryError/insideHook(_:)`` when a hook of this tracker waits for it.
  @discardableResult
  public func resync() async throws(HistoryError) -> HistoryToken {
    try await takeTurn()
    defer { queue.end() }
    return try core.resync()
  }
}

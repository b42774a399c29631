import HistoryStore
import HistoryTypes
import Traces

/// The store that the actors of a plan share: its file, its object names, and a connection to it.
///
/// Through this connection, the lab reads data and history independently of all processes.
final class PlanStore {
  let header: PlanHeader
  let environment: SystemEnvironment
  /// The objects of the store, by their names in the plan.
  var objects = PlanObjects() { didSet { seen = nil } }
  /// The lab's cached copy of data, history and registry, valid until the next write to the file.
  private var seen: CachedContent?
  private var pool: StorePool
  /// The commits that the store has signalled to other processes.
  var signals: SignalledCommits { pool.signals }
  private var opened: Store?
  /// The state before the purge in progress; `nil` if no purge is in progress.
  private(set) var purging: PurgeStart?

  /// The store's state before a purge.
  struct PurgeStart {
    /// The numbers of the transactions in history.
    let held: [Int64]
    /// The members that a retention limit had cut off before this purge.
    let lost: Set<ActorID>
  }

  /// Opens the store at the environment's path, and creates the file if it is missing.
  ///
  /// Connections of `pool` that an earlier `PlanStore` uses become invalid: this one reuses them.
  init(
    _ header: PlanHeader,
    _ environment: SystemEnvironment,
    _ pool: StorePool
  ) throws(SystemFailure) {
    self.header = header
    self.environment = environment
    self.pool = pool
    pool.reset(seed: environment.seed)
    try open()
  }

  /// Opens the lab's own connection.
  ///
  /// In plans driven by signals, `signals` reads the newest transaction through this connection.
  private func open() throws(SystemFailure) {
    opened = try connect(header.olderModel)
    try adoptModel()
  }

  /// Reopens the lab's connection with the newer model, if a program has upgraded the file.
  func adoptModel() throws(SystemFailure) {
    if let older = opened, older.model.version < header.model.version {
      let skew = try mappingErrors { () throws(HistoryError) in try older.modelSkew() }
      if skew != nil {
        opened = try connect(header.model)
        seen = nil
      }
    }
    signals.visible = nil
    guard header.drive == .signals else { return }
    signals.visible = { [weak store = opened] in PlanStore.head(of: store) }
  }

  /// Logs an upgrade of the file's model, if an actor's launch has just made one.
  func tellUpgrade(by actor: ActorID, _ log: inout EventLog) throws(SystemFailure) {
    guard header.hasOlderModel, !header.isOlder(actor) else { return }
    try adoptModel()
    for transaction in try newTransactions(log) { log.add(actor, .committed(transaction)) }
  }

  /// Returns the transactions in history that are newer than the last one in the log.
  func newTransactions(_ log: EventLog) throws(SystemFailure) -> [CommittedTransaction] {
    let newest = Self.newest(in: log)
    return try history().filter { Int64($0.name) ?? 0 > newest }
  }

  /// Returns the number of the newest transaction that a connection can read; `nil` on a failure.
  private static func head(of store: Store?) -> Int64? {
    do throws(HistoryError) { return try store?.currentToken().number } catch { return nil }
  }

  /// Opens the store with a model, as a new simulated process does.
  func connect(_ model: Model, discardsCache: Bool = true) throws(SystemFailure) -> Store {
    let pool = pool
    return try mappingErrors { () throws(HistoryError) in
      try pool.take(model, discardsCache: discardsCache)
    }
  }

  /// Returns the file locks that a process's connection holds; `nil` if the disk does not report them.
  func locks(of store: Store) -> [String]? { pool.locks(of: store) }

  /// Returns the lab's own connection to the store.
  func store() throws(SystemFailure) -> Store {
    guard let opened else { throw SystemFailure(.failed, "The store is closed.") }
    return opened
  }

  /// Returns the plan's description of an actor.
  func planned(_ actor: ActorID) throws(SystemFailure) -> PlannedActor {
    guard let planned = header.actor(actor) else {
      throw SystemFailure(.failed, "The plan has no actor \"\(actor)\".")
    }
    return planned
  }

  /// Returns the store's objects, named as in the plan.
  func data() throws(SystemFailure) -> Objects { Objects(try rows()) }

  /// The cached content; empty after a write to the file, or if writes are not counted.
  private var cached: CachedContent {
    let count = environment.writeCount()
    if let seen, let count, seen.writeCount == count { return seen }
    return CachedContent(writeCount: count)
  }

  /// Returns the store's rows, with objects named as in the plan.
  private func rows() throws(SystemFailure) -> [NamedRow] {
    var cached = cached
    if let rows = cached.rows { return rows }
    let rows = try readRows()
    cached.rows = rows
    seen = cached
    return rows
  }

  private func readRows() throws(SystemFailure) -> [NamedRow] {
    let store = try store()
    let snapshot = try mappingErrors { () throws(HistoryError) in try store.snapshot() }
    let references = PlanReferences(store.model)
    var held: [NamedRow] = []
    for batch in snapshot.rows {
      guard let entity = store.model.entity(batch.entity) else { continue }
      for row in batch {
        let name = objects.name(ObjectID(entity: batch.entity, key: row.key), in: store.model)
        let values = references.planned(row.values[...], of: entity, objects, in: store.model)
        held.append(NamedRow(name: name, entity: entity, values: values))
      }
    }
    return held
  }

  /// Returns an actor's row in the registry; `nil` if the actor is not a member.
  func cursor(of actor: ActorID) throws(SystemFailure) -> StoreRegister.Row? {
    let store = try store()
    let register = try mappingErrors { () throws(HistoryError) in try store.register() }
    return register.members.first { $0.id == actor }
  }

  /// Returns the transactions in history, with objects named as in the plan.
  func history() throws(SystemFailure) -> [CommittedTransaction] {
    var cached = cached
    if let history = cached.history { return history }
    let history = try heldTransactions().map(committed)
    cached.history = history
    seen = cached
    return history
  }

  private func register() throws(SystemFailure) -> StoreRegister {
    var cached = cached
    if let register = cached.register { return register }
    let store = try store()
    let register = try mappingErrors { () throws(HistoryError) in try store.register() }
    cached.register = register
    seen = cached
    return register
  }

  func heldTransactions() throws(SystemFailure) -> [HistoryTransaction] {
    let store = try store()
    var held: [HistoryTransaction] = []
    var request = HistoryRequest(after: nil)
    var page: HistoryPage
    repeat {
      let next = request
      page = try mappingErrors { () throws(HistoryError) in try store.fetch(next) }
      held += page.transactions
      request = next.next(after: page)
    } while page.hasMore
    return held
  }

  /// Returns a transaction in history, with objects named as in the plan.
  func committed(_ transaction: HistoryTransaction) -> CommittedTransaction {
    let model = transaction.page.model
    let references = PlanReferences(model)
    var changes = transaction.changes.map { objects.committed($0, references, in: model) }
    // Changes of batch requests are sorted by name: their order in the store is by key, and keys depend
    // on the connection that assigned them.
    if transaction.writer == nil { changes.sort { $0.object < $1.object } }
    return CommittedTransaction(
      name: transaction.number.description,
      author: transaction.author,
      context: transaction.contextName,
      writer: nil,
      timestamp: transaction.timestamp.timeIntervalSinceReferenceDate,
      changes: changes
    )
  }

  /// Runs a closure that may purge, and logs the transactions that it has purged.
  ///
  /// These transactions are found by reading the store before and after the closure. The system
  /// under test does not report them.
  func purging(
    _ actor: ActorID,
    _ log: inout EventLog,
    _ body: (inout EventLog) throws(HistoryError) -> Void
  ) throws(HistoryError) {
    guard let store = opened else { return }
    let before = try store.heldNumbers()
    let lost = try lostMembers()
    let start = log.events.count
    purging = PurgeStart(held: before, lost: lost)
    // A failed purge may have deleted some transactions.
    let outcome: Result<Void, HistoryError>
    do { outcome = .success(try body(&log)) } catch { outcome = .failure(error) }
    let after = Set(try store.heldNumbers())
    if case .failure = outcome {
      let cutOff = try lostMembers().subtracting(lost)
      try logRecordedCursor(of: actor, &log)
      let reported = Set(log.events[start...].filter { $0.kind == .lost }.compactMap(\.actor))
      for member in cutOff.subtracting(reported).sorted() { log.add(member, .lost) }
    }
    purging = nil
    let gone = before.filter { !after.contains($0) }
    if !gone.isEmpty { log.add(actor, .purged(gone.map { String($0) })) }
    try outcome.get()
  }

  /// Returns the content of the store's registry.
  func registry() throws(HistoryError) -> StoreRegister? { try opened?.register() }

  /// Returns the members that are marked as lost; empty if the plan has no retention limit.
  func lostMembers() throws(HistoryError) -> Set<ActorID> {
    guard header.retention != nil, let opened else { return [] }
    return Set(try opened.members().filter { $0.state == .lost }.map(\.id))
  }

  /// Returns and clears the state from before an interrupted purge; `nil` if there was none.
  func takePurging() -> PurgeStart? {
    defer { purging = nil }
    return purging
  }

  /// Opens the store again, on a connection of another pool.
  func reopen(on pool: StorePool) throws(SystemFailure) {
    opened = nil
    seen = nil
    pool.reset(seed: self.pool.random.value)
    self.pool = pool
    try open()
  }

  // MARK: Snapshots

  /// A snapshot of the lab's own state: object names, random numbers, connection, cached content.
  ///
  /// The store's files are saved separately.
  struct Snapshot {
    let objects: PlanObjects
    let random: UInt64
    /// The cached state of the lab's own connection.
    let store: CachedFileState
    /// The cached data, history and registry of the store.
    let cached: CachedContent
  }

  func snapshot() throws(SystemFailure) -> Snapshot {
    let store = try store()
    return Snapshot(
      objects: objects,
      random: pool.random.value,
      store: try mappingErrors { () throws(HistoryError) in try store.cachedState() },
      cached: cached
    )
  }

  /// Restores the files and the lab's own state from a snapshot; every process must have ended.
  func restore(
    _ snapshot: Snapshot,
    reconnecting: Bool = false,
    _ files: @Sendable () -> Void
  ) throws(SystemFailure) {
    opened = nil
    if reconnecting || environment.vfs == nil || environment.isOnDisk || header.hasOlderModel {
      pool.close()
    }
    files()
    pool.reset(seed: snapshot.random)
    objects = snapshot.objects
    try open()
    let store = try store()
    try mappingErrors { () throws(HistoryError) in try store.restore(snapshot.store) }
    seen = snapshot.cached.counting(from: environment.writeCount())
  }

  /// Adds the clock, the data, the history and the registry to `state`.
  func describe(_ state: inout StateSketch) throws(SystemFailure) {
    state.enter(nil)
    state.add(time: environment.clock.now)
    state.add(try rows())
    for transaction in try history() { Self.describe(transaction, &state) }
    let register = try register()
    for mark in register.marks {
      if let author = mark.author { state.enter(author: author) } else { state.enter(nil) }
      state.add(number: mark.purged)
      state.add(number: mark.thinned)
    }
    for member in register.members {
      state.enter(member.id)
      state.add(Int(member.state))
      state.add(number: member.cursor)
    }
    state.enter(nil)
  }

  private static func describe(_ transaction: CommittedTransaction, _ state: inout StateSketch) {
    state.add(transaction: transaction.name)
    state.add(time: transaction.timestamp)
    state.add(author: transaction.author)
    state.add(transaction.context ?? "\u{0}")
    for change in transaction.changes.sorted(by: { $0.object < $1.object }) {
      state.add(change.object)
      state.add(Int(change.type.rawValue))
      for column in change.columns { state.add(column) }
      if let tombstone = change.tombstone { state.add(tombstone) }
    }
  }
}

import HistoryStore
import PersistentHistory
import Traces

/// What the systems on our store have in common: the file, the plan's names, and a connection of the
/// lab's own that looks at data and history from outside every process.
final class StoreBench {
  let header: PlanHeader
  let environment: SystemEnvironment
  /// What the plan's names stand for.
  var objects = PlanObjects() { didSet { seen = nil } }
  /// What was seen when something was last written.
  private var seen: StoreSight?
  private var pool: StorePool
  /// Where the store says that it has told of a commit.
  var signals: SignalBoard { pool.signals }
  private var opened: Store?
  /// What there was before a purge that is under way.
  private(set) var purging: PurgeStart?

  /// What a purge begins with.
  struct PurgeStart {
    let held: [Int64]
    /// The members that were cut off.
    let lost: Set<ActorID>
  }

  /// Opens the store that lies at the environment's path, creating it when there is none; every
  /// connection that another bench took from the pool is taken back.
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

  /// Opens the connection from which the lab looks, also at what others see when they are signalled.
  private func open() throws(SystemFailure) {
    let store = try connect()
    opened = store
    signals.visible = nil
    guard header.drive == .signals else { return }
    signals.visible = { [weak store] in StoreBench.head(of: store) }
  }

  /// The newest transaction that can be seen; nothing where a fault keeps the file from being read.
  private static func head(of store: Store?) -> Int64? {
    do throws(HistoryError) { return try store?.currentToken().number } catch { return nil }
  }

  /// A connection for a process that starts.
  func connect() throws(SystemFailure) -> Store {
    let pool = pool
    return try telling { () throws(HistoryError) in try pool.take() }
  }

  /// The store as the lab sees it, from outside every process.
  func store() throws(SystemFailure) -> Store {
    guard let opened else { throw SystemFailure(.failed, "The store is closed.") }
    return opened
  }

  /// The actor of the plan with a name.
  func planned(_ actor: ActorID) throws(SystemFailure) -> PlannedActor {
    guard let planned = header.actor(actor) else {
      throw SystemFailure(.failed, "The plan has no actor \"\(actor)\".")
    }
    return planned
  }

  /// What the data holds, by the plan's names.
  func data() throws(SystemFailure) -> Objects { Objects(try rows()) }

  /// What was seen since something was last written, if that is known.
  private var sight: StoreSight {
    let count = environment.writeCount()
    if let seen, let count, seen.writeCount == count { return seen }
    return StoreSight(writeCount: count)
  }

  /// The rows of the data with the plan's names.
  private func rows() throws(SystemFailure) -> [NamedRow] {
    var sight = sight
    if let rows = sight.rows { return rows }
    let rows = try readRows()
    sight.rows = rows
    seen = sight
    return rows
  }

  private func readRows() throws(SystemFailure) -> [NamedRow] {
    let store = try store()
    let snapshot = try telling { () throws(HistoryError) in try store.snapshot() }
    var held: [NamedRow] = []
    for batch in snapshot.rows {
      guard let entity = store.model.entity(batch.entity) else { continue }
      for (index, key) in batch.keys.enumerated() {
        let row = batch.values[index * batch.width..<(index + 1) * batch.width]
        let name = objects.name(ObjectID(entity: batch.entity, key: key), in: store.model)
        held.append(NamedRow(name: name, entity: entity, values: row))
      }
    }
    return held
  }

  /// How far the registry says that an actor has merged, if it is a member.
  func cursor(of actor: ActorID) throws(SystemFailure) -> StoreRegister.Row? {
    let store = try store()
    let register = try telling { () throws(HistoryError) in try store.register() }
    return register.members.first { $0.id == actor }
  }

  /// What history holds, by the plan's names.
  func history() throws(SystemFailure) -> [CommittedTransaction] {
    var sight = sight
    if let history = sight.history { return history }
    let history = try heldTransactions().map(committed)
    sight.history = history
    seen = sight
    return history
  }

  private func register() throws(SystemFailure) -> StoreRegister {
    var sight = sight
    if let register = sight.register { return register }
    let store = try store()
    let register = try telling { () throws(HistoryError) in try store.register() }
    sight.register = register
    seen = sight
    return register
  }

  /// What history holds.
  func heldTransactions() throws(SystemFailure) -> [HistoryTransaction] {
    let store = try store()
    var held: [HistoryTransaction] = []
    var request = HistoryRequest(after: nil)
    var page: HistoryPage
    repeat {
      let next = request
      page = try telling { () throws(HistoryError) in try store.fetch(next) }
      held += page.transactions
      request = next.next(after: page)
    } while page.hasMore
    return held
  }

  private func committed(_ transaction: HistoryTransaction) -> CommittedTransaction {
    var changes = transaction.changes.map { change in
      CommittedChange(
        change.type,
        objects.name(change.objectID, in: transaction.page.model),
        columns: change.updatedProperties,
        tombstone: change.type == .delete ? change.tombstone ?? [:] : nil
      )
    }
    // Batch requests go by key: keys depend on which connection gave them out, and the plan does not.
    if transaction.writer == nil { changes.sort { $0.object < $1.object } }
    return CommittedTransaction(
      name: String(transaction.number),
      author: transaction.author,
      context: transaction.contextName,
      writer: nil,
      timestamp: transaction.timestamp.timeIntervalSinceReferenceDate,
      changes: changes
    )
  }

  /// Runs what may purge, and tells which transactions are gone since: by looking, not by asking.
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
    // A purge that fails may have gone part of the way.
    let outcome: Result<Void, HistoryError>
    do { outcome = .success(try body(&log)) } catch { outcome = .failure(error) }
    let after = Set(try store.heldNumbers())
    if case .failure = outcome {
      let cutOff = try lostMembers().subtracting(lost)
      try tellRecord(of: actor, &log)
      let told = Set(log.events[start...].filter { $0.happening == .lost }.compactMap(\.actor))
      for member in cutOff.subtracting(told).sorted() { log.add(member, .lost) }
    }
    purging = nil
    let gone = before.filter { !after.contains($0) }
    if !gone.isEmpty { log.add(actor, .purged(gone.map { String($0) })) }
    try outcome.get()
  }

  /// What the store's registry holds.
  func registry() throws(HistoryError) -> StoreRegister? { try opened?.register() }

  /// The members that a limit has cut off; nobody is asked in plans that have none.
  func lostMembers() throws(HistoryError) -> Set<ActorID> {
    guard header.retention != nil, let opened else { return [] }
    return Set(try opened.members().filter { $0.state == .lost }.map(\.id))
  }

  /// What there was before a purge whose outcome nobody has told; it counts as told from now on.
  func takePurging() -> PurgeStart? {
    defer { purging = nil }
    return purging
  }

  /// Opens the store anew on connections of another pool.
  func reopen(on pool: StorePool) throws(SystemFailure) {
    opened = nil
    seen = nil
    pool.reset(seed: self.pool.random.value)
    self.pool = pool
    try open()
  }

  // MARK: Snapshots

  /// What the lab must keep besides the files.
  struct Memory {
    let objects: PlanObjects
    let random: UInt64
    /// What its own connection remembers of the file.
    let store: StoreKnowledge
    /// What it saw of what lies in the files.
    let sight: StoreSight
  }

  func memory() throws(SystemFailure) -> Memory {
    let store = try store()
    return Memory(
      objects: objects,
      random: pool.random.value,
      store: try telling { () throws(HistoryError) in try store.knowledge() },
      sight: sight
    )
  }

  /// Puts the files back and takes up what was kept with them; every process must be gone.
  func restore(_ memory: Memory, _ files: @Sendable () -> Void) throws(SystemFailure) {
    opened = nil
    if environment.vfs == nil || environment.isOnDisk { pool.close() }
    files()
    pool.reset(seed: memory.random)
    objects = memory.objects
    try open()
    let store = try store()
    try telling { () throws(HistoryError) in try store.recall(memory.store) }
    seen = memory.sight.counting(from: environment.writeCount())
  }

  /// Adds the clock, data, history, and what the file keeps besides them.
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

import HistoryStore
import PersistentHistory
import Traces

/// What the systems on our store have in common: the file, the plan's names, and a connection of the
/// lab's own that looks at data and history from outside every process.
final class StoreBench {
  let header: PlanHeader
  let environment: SystemEnvironment
  let configuration: StoreConfiguration
  private var opened: Store?
  var objects = PlanObjects()
  private let random: RandomState

  /// Opens the store that lies at the environment's path, creating it when there is none.
  init(
    _ header: PlanHeader, _ environment: SystemEnvironment, rules: HistoryRules = .standard
  ) throws(SystemFailure) {
    self.header = header
    self.environment = environment
    let random = RandomState(environment.seed)
    let clock = environment.clock
    var configuration = StoreConfiguration()
    configuration.timestamps = header.timestamps == .monotone ? .monotone : .wallClock
    configuration.protectedAuthors = header.protectedAuthors
    configuration.vfs = environment.vfs
    configuration.rules = rules
    configuration.random = { random.next() }
    configuration.clock = { clock.date }
    if environment.vfs != nil { configuration.busyTimeoutMs = 0 }
    self.random = random
    self.configuration = configuration
    opened = try Self.open(header, environment, configuration)
  }

  private static func open(
    _ header: PlanHeader, _ environment: SystemEnvironment, _ configuration: StoreConfiguration
  ) throws(SystemFailure) -> Store {
    try telling { () throws(HistoryError) in
      try Store(path: environment.path, model: header.model, configuration: configuration)
    }
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
  func data() throws(SystemFailure) -> Objects {
    let store = try store()
    let snapshot = try telling { () throws(HistoryError) in try store.snapshot() }
    var held: Objects = [:]
    for batch in snapshot.rows {
      guard let entity = store.model.entity(batch.entity) else { continue }
      for (index, key) in batch.keys.enumerated() {
        let row = batch.values[index * batch.width..<(index + 1) * batch.width]
        let id = ObjectID(entity: batch.entity, key: key)
        held[objects.name(id, in: store.model)] = entity.values(row)
      }
    }
    return held
  }

  /// What history holds, by the plan's names.
  func history() throws(SystemFailure) -> [CommittedTransaction] {
    let store = try store()
    var held: [CommittedTransaction] = []
    var after: HistoryToken?
    var hasMore = true
    while hasMore {
      let page = try telling { () throws(HistoryError) in
        try store.fetch(HistoryRequest(after: after))
      }
      held += page.transactions.map(committed)
      after = page.scannedThrough
      hasMore = page.hasMore
    }
    return held
  }

  private func committed(_ transaction: HistoryTransaction) -> CommittedTransaction {
    CommittedTransaction(
      name: String(transaction.number), author: transaction.author,
      context: transaction.contextName, writer: nil,
      timestamp: transaction.timestamp.timeIntervalSinceReferenceDate,
      changes: transaction.changes.map { change in
        CommittedChange(
          change.type, objects.name(change.objectID, in: transaction.page.model),
          columns: change.updatedProperties, tombstone: change.tombstone)
      })
  }

  /// Runs what may purge, and tells which transactions are gone since: by looking, not by asking.
  func purging(
    _ actor: ActorID, _ log: inout EventLog,
    _ body: (inout EventLog) throws(HistoryError) -> Void
  ) throws(HistoryError) {
    guard let store = opened else { return }
    let before = try store.heldNumbers()
    try body(&log)
    let after = Set(try store.heldNumbers())
    let gone = before.filter { !after.contains($0) }
    if !gone.isEmpty { log.add(actor, .purged(gone.map { String($0) })) }
  }

  // MARK: Snapshots

  /// What the lab must keep besides the files.
  struct Memory {
    let objects: PlanObjects
    let random: UInt64
  }

  var memory: Memory { Memory(objects: objects, random: random.value) }

  /// Takes up what was kept, once the files are back; every connection must be new.
  func restore(_ memory: Memory) throws(SystemFailure) {
    objects = memory.objects
    random.value = memory.random
    opened = try Self.open(header, environment, configuration)
  }

  /// Lets go of the file, so that it can be put back.
  func close() {
    opened = nil
  }

  /// Adds data and history to a digest.
  func digest(into hash: inout Digest) throws(SystemFailure) {
    let store = try store()
    let snapshot = try telling { () throws(HistoryError) in try store.snapshot() }
    for batch in snapshot.rows {
      hash.add(batch.keys.count)
      for key in batch.keys { hash.add(Int(key)) }
      for value in batch.values { hash.add(value) }
    }
    for transaction in try history() {
      hash.add(transaction.name)
      hash.add(transaction.timestamp)
    }
  }
}

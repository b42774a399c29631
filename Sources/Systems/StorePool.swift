import HistoryStore
import HistoryTypes
import Traces

/// Connections that the plans of one system reuse.
///
/// Opening a connection takes longer than a short plan. Connections therefore stay open while their
/// files are restored; only their cached state is discarded. Connections are not reused if the plan
/// has two versions of the model.
final class StorePool {
  private var stores: [Store] = []
  private let makeVFS: (@Sendable () -> StoreVFS)?
  private var vfsByName: [String: StoreVFS] = [:]
  private var taken = 0
  private let clock: PlanClock
  let random = RandomState(0)
  /// The commits that the store has signalled to other processes.
  let signals = SignalledCommits()
  let configuration: StoreConfiguration
  private let path: String
  private let model: Model
  private let hasOlderModel: Bool
  private let checkpointPages: Int?
  private let locks: PlannedLocks

  init(
    _ header: PlanHeader,
    _ environment: SystemEnvironment,
    layout: HistoryLayout
  ) {
    let (clock, random, signals) = (environment.clock, random, signals)
    var configuration = StoreConfiguration()
    configuration.layout = layout
    configuration.timestamps = Self.timestamps(header, layout)
    configuration.protectedAuthors = header.protectedAuthors
    configuration.vfs = environment.vfs
    configuration.signalsChanges = false
    configuration.random = { random.next() }
    configuration.onSignal = { signals.raise($0) }
    configuration.memberLocks = header.locks == .held ? .inMemory() : .none
    configuration.clock = { clock.date }
    if environment.vfs != nil { configuration.busyTimeout = .zero }
    configuration.durability = header.synchronous == .full ? .full : .normal
    if let pages = header.checkpointPages { configuration.checkpointFrames = Int32(pages) }
    if header.foreignWrites == .captured { configuration.foreignWrites = .captured }
    self.clock = clock
    self.configuration = configuration
    makeVFS = environment.makeVFS
    path = environment.path
    model = header.model
    hasOlderModel = header.hasOlderModel
    checkpointPages = header.checkpointPages
    locks = header.locks
  }

  /// Returns the timestamp mode; Core Data's layout always stores raw clock values.
  private static func timestamps(
    _ header: PlanHeader,
    _ layout: HistoryLayout
  ) -> StoreConfiguration.Timestamps {
    layout == .packed && header.timestamps == .monotone ? .monotone : .wallClock
  }

  /// Returns whether a plan needs the same path, clock, model and settings as the pool has.
  func serves(_ header: PlanHeader, _ environment: SystemEnvironment) -> Bool {
    path == environment.path && clock === environment.clock && model == header.model
      && configuration.vfs == environment.vfs
      && configuration.protectedAuthors == header.protectedAuthors
      && configuration.timestamps == Self.timestamps(header, configuration.layout)
      && configuration.durability == (header.synchronous == .full ? .full : .normal)
      && (configuration.foreignWrites == .captured) == (header.foreignWrites == .captured)
      && checkpointPages == header.checkpointPages && locks == header.locks
  }

  /// Makes all connections available to the next plan, and seeds the random numbers.
  ///
  /// Stores that `take(_:)` has returned before must not be used afterwards.
  func reset(seed: UInt64) {
    taken = 0
    random.value = seed
    if hasOlderModel { vfsByName.removeAll() }
    signals.reset()
  }

  /// Closes every connection; real files can be restored only when no connection is open.
  func close() {
    stores.removeAll()
    vfsByName.removeAll()
    taken = 0
  }

  /// Returns an open store with the given model, whose connection caches nothing of the file.
  ///
  /// If `discardsCache` is `false`, the caller must restore the cached state of a snapshot.
  func take(_ model: Model, discardsCache: Bool = true) throws(HistoryError) -> Store {
    guard !hasOlderModel else {
      return try open(model)
    }
    defer { taken += 1 }
    if taken < stores.count {
      try stores[taken].resume()
      if discardsCache { try stores[taken].discardCache() }
      return stores[taken]
    }
    let store = try open(model)
    stores.append(store)
    return store
  }

  /// Opens a store, through a VFS for this store alone if the disk can create one.
  private func open(_ model: Model) throws(HistoryError) -> Store {
    var configuration = configuration
    if let vfs = makeVFS?() {
      configuration.vfs = vfs.name
      vfsByName[vfs.name] = vfs
    }
    return try Store(path: path, model: model, configuration: configuration)
  }

  /// Returns the file locks that a store of the pool holds; `nil` if the disk does not report them.
  func locks(of store: Store) -> [String]? {
    store.configuration.vfs.flatMap { vfsByName[$0] }?.locks()
  }
}

/// The connection pools of one system: one pool for each kind of store that plans need.
struct StorePools {
  private let layout: HistoryLayout
  private var pools: [StorePool] = []
  /// The maximum number of pools that are kept open.
  private static let countMax = 8

  init(layout: HistoryLayout = .packed) {
    self.layout = layout
  }

  mutating func pool(_ header: PlanHeader, _ environment: SystemEnvironment) -> StorePool {
    if let known = pools.first(where: { $0.serves(header, environment) }) { return known }
    if pools.count == Self.countMax { pools.removeFirst() }
    let made = StorePool(header, environment, layout: layout)
    pools.append(made)
    return made
  }

  /// Closes every connection.
  mutating func close() {
    pools.removeAll()
  }
}

/// A record of the commits that the store has signalled to other processes.
///
/// A store must signal a commit only when other connections can read the commit. A signal that
/// comes too early is recorded, but not delivered. In an app, its receiver would poll immediately,
/// and find no new transaction.
///
/// Only the thread that performs a plan's commands may use this object.
final class SignalledCommits: @unchecked Sendable {
  private var isRaised = false
  /// The numbers of the transactions that were signalled since the plan started, in order.
  private(set) var reported: [Int64] = []
  /// Returns the number of the newest visible transaction.
  ///
  /// The closure is `nil` if the plan is not driven by signals; it returns `nil` if the store
  /// cannot be read.
  var visible: (@Sendable () -> Int64?)?

  /// Records a signalled commit; drops the signal if other connections cannot read the commit yet.
  ///
  /// Only a store with a bug signals so early. The lab detects it with ``visible``, which then
  /// returns the number of an earlier transaction.
  func raise(_ number: Int64) {
    reported.append(number)
    guard let seen = visible?() else {
      isRaised = true
      return
    }
    if seen >= number { isRaised = true }
  }

  /// Discards all signals, for the next plan.
  func reset() {
    isRaised = false
    reported.removeAll(keepingCapacity: true)
  }

  /// Returns whether a commit was signalled since the last call of this function.
  func take() -> Bool {
    defer { isRaised = false }
    return isRaised
  }
}

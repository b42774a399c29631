import HistoryStore
import PersistentHistory

/// The environment of a benchmark at one history size, with copies of a prebuilt store.
struct BenchmarkSetting {
  /// The size of history, in transactions.
  let historySize: Int
  let template: StoreTemplate
  let scratch: ScratchFolder
  /// The divisor of the repetitions within one measurement; 1 for precise results.
  let haste: Int
  /// The condition that differs from the base point, or `nil` at the base point.
  var axis: BenchmarkAxis?
  /// The store of the same size at the base point, or `nil` if there is none.
  var baseTemplate: StoreTemplate?
  /// The store of the same size in the Core Data layout, for benchmarks that compare layouts.
  var otherLayout: StoreTemplate?
  /// Whether commits wait for the disk, here or at the condition compared with the base point.
  var waitsForDisk = false
  /// The planned writes per second, or `nil` if no rate was specified.
  var plannedRate: Double?

  /// The setting of the same size at the base point.
  var base: BenchmarkSetting {
    var base = BenchmarkSetting(
      historySize: historySize,
      template: baseTemplate ?? template,
      scratch: scratch,
      haste: haste
    )
    base.waitsForDisk = waitsForDisk
    base.plannedRate = plannedRate
    return base
  }

  /// The setting of the same size in the layout of Core Data.
  var coreData: BenchmarkSetting {
    var other = BenchmarkSetting(
      historySize: historySize,
      template: otherLayout ?? template,
      scratch: scratch,
      haste: haste
    )
    other.axis = .coreData
    return other
  }

  /// Returns the number of repetitions within one measurement.
  ///
  /// It is 1 for a cold cache, because only the first repetition is cold, and a tenth if each
  /// commit waits for the disk.
  func repeats(_ count: Int) -> Int {
    axis == .cold ? 1 : max(1, count / haste / (waitsForDisk ? 10 : 1))
  }

  /// Creates a fresh copy of the store file, for one contender.
  func copy() throws -> String { try scratch.copy(of: template) }

  /// The configuration of stores whose benchmark does not use signals.
  var configuration: StoreConfiguration {
    var configuration = StoreTemplate.quietConfiguration
    configuration.layout = layout
    if axis == .full { configuration.durability = .full }
    return configuration
  }

  /// The layout of the store's history.
  var layout: HistoryLayout { axis?.shape.layout ?? .packed }

  /// Opens a contender's store on a fresh copy.
  func store() throws -> BenchmarkStore { try BenchmarkStore(path: try copy(), self) }

  /// Opens a contender's floor on a fresh copy.
  func floor() throws -> BenchmarkFloorFile { try BenchmarkFloorFile(path: try copy()) }

  /// Opens a contender's floor with history, on a fresh copy.
  func trackedFloor() throws -> TrackedFloor {
    try TrackedFloor(path: try copy(), historySize: historySize)
  }
}

/// A store under measurement.
final class BenchmarkStore {
  private(set) var store: Store
  let side: SideConnection
  let historySize: Int
  private let isCold: Bool

  init(path: String, _ setting: BenchmarkSetting) throws {
    store = try Store(path: path, configuration: setting.configuration)
    side = try SideConnection(path: path, layout: setting.layout)
    historySize = setting.historySize
    isCold = setting.axis == .cold
  }

  init(path: String, historySize: Int) throws {
    store = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
    side = try SideConnection(path: path)
    self.historySize = historySize
    isCold = false
  }

  /// Returns the store for a measurement.
  ///
  /// For a cold cache, the store is reopened after the system has dropped its cache of the file.
  func fresh() throws -> Store {
    guard isCold else { return store }
    try coolDown()
    store = try Store(path: store.path, configuration: store.configuration)
    return store
  }

  /// Drops the system's cache of the file if caches have to be cold.
  func coolDown() throws {
    guard isCold else { return }
    try side.checkpoint()
    try ColdCache.forget(store.path)
  }

  /// Returns the token of a transaction.
  func token(_ number: Int64) throws -> HistoryToken {
    HistoryToken(store: store.id, number: number, mark: try side.mark(of: number))
  }

  /// Purges the oldest transactions, so that the history has its original size again.
  func trim() throws {
    try store.purge(before: try token(try side.head() - Int64(historySize) + 1))
  }
}

/// The floor under measurement.
final class BenchmarkFloorFile {
  let floor: FloorDatabase
  let side: SideConnection
  let path: String

  init(path: String) throws {
    self.path = path
    floor = try FloorDatabase(path: path)
    side = try SideConnection(path: path)
  }
}

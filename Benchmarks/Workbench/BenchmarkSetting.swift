import HistoryStore
import PersistentHistory

/// What a benchmark works with at one size of history: copies of a store that was built once.
struct BenchmarkSetting {
  /// The transactions that history holds.
  let historySize: Int
  let template: StoreTemplate
  let scratch: ScratchFolder
  /// By how much cheap operations repeat less than they should for a good measurement.
  let haste: Int
  /// What is other than at the base point, if anything is.
  var axis: BenchmarkAxis?
  /// The store of the same size at the base point, where this one is of another shape.
  var baseTemplate: StoreTemplate?
  /// The store of the same size in the layout of Core Data, where a benchmark compares with that.
  var otherLayout: StoreTemplate?
  /// Whether commits wait for the disk, here or where the others do what is done here.
  var waitsForDisk = false
  /// How many writes a second are planned where someone has said so.
  var plannedRate: Double?

  /// The same size at the base point.
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

  /// The same size in the layout of Core Data.
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

  /// How often an operation repeats within one measurement: once where only the first is cold, and less
  /// often where each commit waits for the disk.
  func repeats(_ count: Int) -> Int {
    axis == .cold ? 1 : max(1, count / haste / (waitsForDisk ? 10 : 1))
  }

  /// A fresh copy of the store file, for one contender.
  func copy() throws -> String { try scratch.copy(of: template) }

  /// How stores are opened whose benchmark is not about signals.
  var configuration: StoreConfiguration {
    var configuration = StoreTemplate.quietConfiguration
    configuration.layout = layout
    if axis == .full { configuration.durability = .full }
    return configuration
  }

  /// How the store keeps its history.
  var layout: HistoryLayout { axis?.shape.layout ?? .packed }

  /// A contender's store on a fresh copy.
  func store() throws -> BenchmarkStore { try BenchmarkStore(path: try copy(), self) }

  /// A contender's floor on a fresh copy.
  func floor() throws -> BenchmarkFloorFile { try BenchmarkFloorFile(path: try copy()) }

  /// A contender's floor that keeps history, on a fresh copy.
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

  /// The store as a measurement finds it: where caches are to be cold it is opened anew, and the system
  /// has forgotten the file.
  func fresh() throws -> Store {
    guard isCold else { return store }
    try coolDown()
    store = try Store(path: store.path, configuration: store.configuration)
    return store
  }

  /// Makes the system forget the file where caches are to be cold.
  func coolDown() throws {
    guard isCold else { return }
    try side.checkpoint()
    try ColdCache.forget(store.path)
  }

  /// The position behind a transaction.
  func token(_ number: Int64) throws -> HistoryToken {
    HistoryToken(store: store.id, number: number, mark: try side.mark(of: number))
  }

  /// Purges what the history has grown by.
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

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

  /// How often an operation repeats within one measurement.
  func repeats(_ count: Int) -> Int { max(1, count / haste) }

  /// A fresh copy of the store file, for one contender.
  func copy() throws -> String { try scratch.copy(of: template) }

  /// A contender's store on a fresh copy.
  func store() throws -> BenchmarkStore {
    try BenchmarkStore(path: try copy(), historySize: historySize)
  }

  /// A contender's floor on a fresh copy.
  func floor() throws -> BenchmarkFloorFile { try BenchmarkFloorFile(path: try copy()) }

  /// A contender's floor that keeps history, on a fresh copy.
  func trackedFloor() throws -> TrackedFloor {
    try TrackedFloor(path: try copy(), historySize: historySize)
  }
}

/// A store under measurement.
final class BenchmarkStore {
  let store: Store
  let side: SideConnection
  let historySize: Int

  init(path: String, historySize: Int) throws {
    store = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
    side = try SideConnection(path: path)
    self.historySize = historySize
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

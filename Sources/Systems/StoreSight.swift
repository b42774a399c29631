import HistoryStore
import Traces

/// The lab's cached view of a store, valid until the next write.
struct StoreSight {
  /// The number of writes when it was read; `nil` if writes are not counted.
  private(set) var writeCount: Int?
  var rows: [NamedRow]?
  var history: [CommittedTransaction]?
  var register: StoreRegister?

  init(writeCount: Int?) { self.writeCount = writeCount }

  /// Returns the same state for files that were restored.
  func counting(from writeCount: Int?) -> StoreSight {
    var sight = self
    sight.writeCount = writeCount
    return sight
  }
}

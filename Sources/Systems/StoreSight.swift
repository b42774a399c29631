import HistoryStore
import Traces

/// What the lab saw of a store from outside: it need not look again while nothing was written.
struct StoreSight {
  /// The count of writes at which it was seen; nothing where nobody counts.
  private(set) var writeCount: Int?
  var rows: [NamedRow]?
  var history: [CommittedTransaction]?
  var register: StoreRegister?

  init(writeCount: Int?) { self.writeCount = writeCount }

  /// The same of files that were put back.
  func counting(from writeCount: Int?) -> StoreSight {
    var sight = self
    sight.writeCount = writeCount
    return sight
  }
}

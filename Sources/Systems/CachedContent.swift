import HistoryStore
import Traces

/// The lab's cached view of a store's content, valid until the next write.
struct CachedContent {
  /// The number of writes to the file when the view was read; `nil` if writes are not counted.
  private(set) var writeCount: Int?
  var rows: [NamedRow]?
  var history: [CommittedTransaction]?
  var register: StoreRegister?

  init(writeCount: Int?) { self.writeCount = writeCount }

  /// Returns the same view with a new write count, for files that were restored to the same content.
  func counting(from writeCount: Int?) -> CachedContent {
    var cached = self
    cached.writeCount = writeCount
    return cached
  }
}

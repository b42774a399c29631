import HistoryStore
import Traces

/// A cached copy of a store's objects, history and registry, valid until the next write to the file.
struct CachedContent {
  /// The file's write count when the copy was made; `nil` if writes are not counted.
  private(set) var writeCount: Int?
  var rows: [NamedRow]?
  var history: [CommittedTransaction]?
  var register: StoreRegister?

  init(writeCount: Int?) { self.writeCount = writeCount }

  /// Returns this copy, marked as valid while the file's write count is `writeCount`.
  ///
  /// The file must have been restored to the copied content.
  func counting(from writeCount: Int?) -> CachedContent {
    var cached = self
    cached.writeCount = writeCount
    return cached
  }
}

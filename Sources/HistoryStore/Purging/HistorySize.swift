/// The size of a store's history.
public struct HistorySize: Sendable, Hashable {
  /// The size in bytes of the pages of the history, including its indexes.
  public let historyBytes: Int64
  /// The size in bytes of all used pages; a page with versions in the write-ahead log counts once.
  public let storeBytes: Int64

  /// The history's share of the store, between 0 and 1.
  public var share: Double {
    storeBytes > 0 ? min(1, Double(historyBytes) / Double(storeBytes)) : 0
  }
}

/// A past measurement of history that the file records, with the means to judge its age.
struct MeasuredHistory: Equatable {
  var bytes: Int64
  /// The number of transactions at that time.
  var count: Int64
  /// The newest number at that time.
  var head: Int64
  /// The number through which history was purged at that time.
  var purged: Int64
  /// The number of used pages of the file at that time.
  var pages: Int64

  /// Returns the bytes of the measured history that still remain, or `nil` after too many changes.
  ///
  /// Too many are an eighth of the transactions or of the pages, so that the cost of measuring per
  /// transaction does not depend on the length of history.
  func bytesLeft(head: Int64, purged: Int64, pages: Int64) -> Int64? {
    let (new, gone) = (head - self.head, purged - self.purged)
    guard new >= 0, new <= max(64, count / 8), gone >= 0, gone <= count / 8,
      abs(pages - self.pages) <= max(64, self.pages / 8)
    else { return nil }
    return bytes - gone * (bytes / max(1, count))
  }
}

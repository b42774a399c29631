/// How much of a store its history takes.
public struct HistorySize: Sendable, Hashable {
  /// The bytes of the pages that history takes, its indexes included.
  public let historyBytes: Int64
  /// The bytes of all pages that hold something, the write-ahead log's versions counted once.
  public let storeBytes: Int64

  /// What history takes of the store, between 0 and 1.
  public var share: Double {
    storeBytes > 0 ? min(1, Double(historyBytes) / Double(storeBytes)) : 0
  }
}

/// A measurement of history that the file remembers, and what tells how old it is.
struct MeasuredHistory: Equatable {
  var bytes: Int64
  /// How many transactions there were.
  var count: Int64
  /// The newest number.
  var head: Int64
  /// How far history was purged.
  var purged: Int64
  /// How many pages of the file held something.
  var pages: Int64

  /// The bytes of what was there then and still is, or nothing when too much has changed: an eighth of
  /// the transactions or of the pages, so that measuring costs each transaction the same, however long
  /// history is.
  func bytesLeft(head: Int64, purged: Int64, pages: Int64) -> Int64? {
    let (new, gone) = (head - self.head, purged - self.purged)
    guard new >= 0, new <= max(64, count / 8), gone >= 0, gone <= count / 8,
      abs(pages - self.pages) <= max(64, self.pages / 8)
    else { return nil }
    return bytes - gone * (bytes / max(1, count))
  }
}

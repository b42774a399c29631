/// A run of transactions with their changes, as one fetch returns them.
///
/// The numbers of all changes lie in one flat array, tombstones in one buffer, and names are
/// numbers until someone asks: a page of ten thousand changes is a handful of allocations.
public final class HistoryPage: Sendable {
  /// The store that the page was read from.
  public let storeID: StoreID
  /// The model that gives the entities and attributes their names.
  public let model: Model
  /// The position that the fetch has read through, matching or not: where the next fetch goes on.
  public let scannedThrough: HistoryToken
  /// Whether the fetch stopped at its limit before the end of history.
  public let hasMore: Bool

  package let records: [TransactionRecord]
  package let changes: [ChangeRecord]
  package let tombstones: [UInt8]
  package let strings: InternedStrings

  package init(
    storeID: StoreID,
    model: Model,
    scannedThrough: HistoryToken,
    hasMore: Bool,
    records: [TransactionRecord],
    changes: [ChangeRecord],
    tombstones: [UInt8],
    strings: InternedStrings
  ) {
    self.storeID = storeID
    self.model = model
    self.scannedThrough = scannedThrough
    self.hasMore = hasMore
    self.records = records
    self.changes = changes
    self.tombstones = tombstones
    self.strings = strings
  }

  /// The transactions of the page, in commit order.
  public var transactions: HistoryTransactions { HistoryTransactions(page: self) }

  /// The string with a number, or nothing for 0.
  package func string(_ number: Int32) -> String? { strings[number] }

  package func tombstoneBytes(of record: ChangeRecord) -> ArraySlice<UInt8> {
    let start = Int(record.tombstoneStart)
    return tombstones[start..<start + Int(record.tombstoneLength)]
  }
}

/// The transactions of a page, in commit order.
public struct HistoryTransactions: RandomAccessCollection, Sendable {
  package let page: HistoryPage

  /// The position of the first transaction.
  public var startIndex: Int { 0 }
  /// The position behind the last transaction.
  public var endIndex: Int { page.records.count }
  /// The transaction at a position.
  public subscript(position: Int) -> HistoryTransaction {
    HistoryTransaction(page: page, index: position)
  }
}

/// The strings that a store has given numbers to: authors, contexts, bundles, processes, writers.
package struct InternedStrings: Sendable {
  private var byNumber: [String?] = [nil]
  private var numbers: [String: Int32] = [:]

  /// Whether the strings that name processes are labels, which may name a writer too.
  package let areLabels: Bool

  package init(areLabels: Bool = false) { self.areLabels = areLabels }

  /// What the string of a process says, where such strings are labels.
  package func label(of process: Int32) -> ProcessLabel? {
    areLabels ? self[process].map { ProcessLabel($0) } : nil
  }

  /// The string with a number, or nothing.
  package subscript(number: Int32) -> String? {
    number > 0 && Int(number) < byNumber.count ? byNumber[Int(number)] : nil
  }

  /// The number of a string, 0 for nothing, or nil if it has none yet.
  package func number(of string: String?) -> Int32? {
    guard let string else { return 0 }
    return numbers[string]
  }

  /// Remembers that a string has a number.
  package mutating func learn(_ string: String, as number: Int32) {
    if Int(number) >= byNumber.count {
      byNumber += Array(repeating: nil, count: Int(number) + 1 - byNumber.count)
    }
    byNumber[Int(number)] = string
    numbers[string] = number
  }

  /// The number through which every string of the file is known; above it only some may be, those
  /// that this connection gave numbers to while others did the same.
  package private(set) var completeThrough: Int32 = 0

  /// Remembers that every string through a number was read from the file.
  package mutating func markComplete(through number: Int32) {
    completeThrough = max(completeThrough, number)
  }
}

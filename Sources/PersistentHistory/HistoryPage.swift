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
  /// Whether the fetch stopped at a limit before the end of history; what follows need not match.
  public let hasMore: Bool

  package let records: [TransactionRecord]
  package let changeRecords: PageBuffer<ChangeRecord>
  package let tombstones: PageBuffer<UInt8>
  /// The place of each change in its transaction, where others were left out; else empty.
  package let places: [Int]
  package let strings: InternedStrings
  /// Where a transaction goes on that only began on this page.
  package let rest: TransactionRest?
  /// How far each author's history was gone when the page was read, if that was above its start.
  package let gone: [Int32: Int64]

  package init(
    storeID: StoreID,
    model: Model,
    scannedThrough: HistoryToken,
    hasMore: Bool,
    records: [TransactionRecord],
    changes: PageBuffer<ChangeRecord>,
    tombstones: PageBuffer<UInt8>,
    places: [Int] = [],
    strings: InternedStrings,
    rest: TransactionRest? = nil,
    gone: [Int32: Int64] = [:]
  ) {
    self.storeID = storeID
    self.model = model
    self.scannedThrough = scannedThrough
    self.hasMore = hasMore
    self.records = records
    self.changeRecords = changes
    self.tombstones = tombstones
    self.places = places
    self.strings = strings
    self.rest = rest
    self.gone = gone
  }

  /// The transactions of the page, in commit order.
  public var transactions: HistoryTransactions { HistoryTransactions(page: self) }

  /// The changes of all transactions of the page, in commit order.
  public var changes: HistoryChanges {
    HistoryChanges(page: self, start: 0, end: changeRecords.count)
  }

  /// The string with a number, or nothing for 0.
  package func string(_ number: Int32) -> String? { strings[number] }

  /// The values that a change left behind; nothing if their bytes make no sense.
  package func tombstone(of record: ChangeRecord, in entity: Entity) -> [String: Value]? {
    tombstones.withBytes(at: Int(record.tombstoneStart), count: Int(record.tombstoneLength)) {
      Tombstone.decode($0, of: entity)
    }
  }

  /// The position of the transaction that holds a change.
  ///
  /// - Complexity: logarithmic in the transactions of the page.
  package func transactionIndex(ofChange index: Int) -> Int {
    var low = 0
    var high = records.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if records[middle].firstChange <= index { low = middle } else { high = middle - 1 }
    }
    return low
  }
}

/// Where the rest of a transaction begins of which a page holds only a part.
package struct TransactionRest: Hashable, Sendable {
  /// The transaction.
  package let token: HistoryToken
  /// The first chunk, or other unit of the layout, that was not read.
  package let chunk: Int64
  /// How many of its changes were read.
  package let place: Int

  package init(token: HistoryToken, chunk: Int64, place: Int) {
    self.token = token
    self.chunk = chunk
    self.place = place
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
  /// What the strings say as labels, by number, where they are some.
  private var labels: [ProcessLabel?] = [nil]

  /// Whether the strings that name processes are labels, which may name a writer too.
  package let areLabels: Bool

  package init(areLabels: Bool = false) { self.areLabels = areLabels }

  /// The numbers of the strings that name a process, 0 for none.
  ///
  /// - Complexity: linear in the strings where they are labels.
  package func numbers(ofProcess name: String?) -> [Int32] {
    guard areLabels else { return number(of: name).map { [$0] } ?? [] }
    let labelled = labels.indices.filter { index in
      labels[index].map { $0.name == name } ?? (index == 0 && name == nil)
    }
    return labelled.map { Int32($0) }
  }

  /// What the string of a process says, where such strings are labels.
  package func label(of process: Int32) -> ProcessLabel? {
    process > 0 && Int(process) < labels.count ? labels[Int(process)] : nil
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
    guard areLabels else { return }
    labels += Array(repeating: nil, count: byNumber.count - labels.count)
    labels[Int(number)] = ProcessLabel(string)
  }

  /// The number through which every string of the file is known; above it only some may be, those
  /// that this connection gave numbers to while others did the same.
  package private(set) var completeThrough: Int32 = 0

  /// Remembers that every string through a number was read from the file.
  package mutating func markComplete(through number: Int32) {
    completeThrough = max(completeThrough, number)
  }
}

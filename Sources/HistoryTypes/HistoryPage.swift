#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A sequence of transactions with their changes, as returned by one fetch.
///
/// Core Data: `NSPersistentHistoryResult`.
///
/// The records of all changes are in one flat array, tombstones in one buffer, and strings are
/// resolved on access. A page of ten thousand changes needs only a handful of allocations.
public final class HistoryPage: Sendable {
  /// The store that the page was read from.
  public let storeID: StoreID
  /// The model, which defines the names of entities and attributes.
  public let model: Model
  /// The position of the last scanned transaction, whether or not it matched the filter.
  ///
  /// The next fetch continues there.
  public let scannedThrough: HistoryToken
  /// A Boolean value that indicates whether the fetch stopped at a limit before the end of history.
  ///
  /// Even if the value is `true`, the rest of the history may contain no match.
  public let hasMore: Bool

  package let records: [TransactionRecord]
  package let changeRecords: PageBuffer<ChangeRecord>
  package let tombstones: PageBuffer<UInt8>
  /// The index of each change in its transaction if the filter left out changes; otherwise empty.
  package let places: [Int]
  package let strings: InternedStrings
  /// The position of the last transaction's first unread change, or `nil` if none is unread.
  package let rest: TransactionRest?
  /// For each author number, the transaction number up to which the author's history may have gaps.
  ///
  /// The gaps are transactions that purges removed. The dictionary is empty if no history after the
  /// fetch's start position was purged.
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

  /// Returns the interned string with a number, or `nil` for 0.
  package func string(_ number: Int32) -> String? { strings[number] }

  /// Returns the preserved values of a change, or `nil` if their bytes are invalid.
  package func tombstone(of record: ChangeRecord, in entity: Entity) -> [String: Value]? {
    tombstones.withBytes(at: Int(record.tombstoneStart), count: Int(record.tombstoneLength)) {
      Tombstone.decode($0, of: entity)
    }
  }

  /// Returns the index of the transaction that contains a change.
  ///
  /// - Complexity: logarithmic in the number of transactions of the page.
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

/// The position within a transaction at which one page ended and the next page continues.
package struct TransactionRest: Hashable, Sendable {
  /// The token of the transaction.
  package let token: HistoryToken
  /// The index of the first unread part of the transaction's changes.
  ///
  /// A part is a chunk in the layout `packed`, which divides the changes of a large transaction into
  /// chunks, and a batch of rows in the layout `coreData`.
  package let chunk: Int64
  /// The number of changes of the transaction that were already read.
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

  /// The index of the first transaction.
  public var startIndex: Int { 0 }
  /// The index after the last transaction.
  public var endIndex: Int { page.records.count }
  /// The transaction at an index.
  public subscript(position: Int) -> HistoryTransaction {
    HistoryTransaction(page: page, index: position)
  }
}

/// The numbered strings of a store: authors, context names, bundle identifiers and process strings.
package struct InternedStrings: Sendable {
  private var byNumber: [String?] = [nil]
  private var numbers: [String: Int32] = [:]
  /// The process name and context ID in each string, by the string's number; only if ``areLabels``.
  private var labels: [ProcessLabel?] = [nil]

  /// A Boolean value that indicates whether process strings have the form of a ``ProcessLabel``.
  package let areLabels: Bool

  package init(areLabels: Bool = false) { self.areLabels = areLabels }

  /// Returns the numbers of all process strings with the process name `name`; 0 is for no process.
  ///
  /// If ``areLabels`` is `true`, a process string also contains a context ID, so several strings
  /// may contain the same process name.
  ///
  /// - Complexity: linear in the number of strings if ``areLabels`` is `true`.
  package func numbers(ofProcess name: String?) -> [Int32] {
    guard areLabels else { return number(of: name).map { [$0] } ?? [] }
    let labelled = labels.indices.filter { index in
      labels[index].map { $0.name == name } ?? (index == 0 && name == nil)
    }
    return labelled.map { Int32($0) }
  }

  /// Returns the process name and the context ID in the string with the number `process`.
  ///
  /// `nil` for an unknown number and for 0, or if process strings are plain names.
  package func label(of process: Int32) -> ProcessLabel? {
    process > 0 && Int(process) < labels.count ? labels[Int(process)] : nil
  }

  /// The interned string that has the number `number`, or `nil` if the number is 0 or unknown.
  package subscript(number: Int32) -> String? {
    number > 0 && Int(number) < byNumber.count ? byNumber[Int(number)] : nil
  }

  /// Returns the number of a string: 0 for `nil`, and `nil` for a string without a known number.
  package func number(of string: String?) -> Int32? {
    guard let string else { return 0 }
    return numbers[string]
  }

  /// Adds an interned string with its number.
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

  /// The number up to which this connection knows all interned strings of the file.
  ///
  /// Of the strings with greater numbers, this connection knows only those that it added or looked
  /// up. Other connections may have added more.
  package private(set) var completeThrough: Int32 = 0

  /// Records that this connection has read all interned strings of the file up to a number.
  package mutating func markComplete(through number: Int32) {
    completeThrough = max(completeThrough, number)
  }
}

/// A growing buffer of plain elements, which a fetch fills and the fetched page reads without copying.
///
/// Only the fetch appends. The buffer of a finished page is immutable, and safe to read from any
/// thread.
@usableFromInline
package final class PageBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  // Only one thread fills a buffer, and no access overlaps another. Dynamic exclusivity checks took
  // half the time of a fetch.
  @exclusivity(unchecked)
  @usableFromInline
  var base: UnsafeMutablePointer<Element>?
  @exclusivity(unchecked)
  @usableFromInline
  var capacity = 0
  @exclusivity(unchecked)
  @usableFromInline
  var length = 0

  package init() {}

  deinit { free(base) }

  /// Reserves capacity for `more` elements, and returns a pointer to the first free element.
  ///
  /// - Complexity: amortized constant.
  @inlinable
  @inline(__always)
  package func reserve(_ more: Int) -> UnsafeMutablePointer<Element> {
    if let base, length + more <= capacity { return base + length }
    return grow(to: Swift.max(length + more, 2 * capacity, 64))
  }

  /// Grows the buffer with `realloc`, and returns a pointer to the first free element.
  ///
  /// For large blocks, `realloc` lets the kernel remap pages; a Swift array would copy the elements.
  @usableFromInline
  func grow(to wanted: Int) -> UnsafeMutablePointer<Element> {
    let byteCount = wanted * MemoryLayout<Element>.stride
    guard let larger = realloc(base, byteCount) else {
      fatalError(
        "Out of memory: a page of history needs \(byteCount) bytes. Fetch smaller pages, or filter."
      )
    }
    let bound = larger.bindMemory(to: Element.self, capacity: wanted)
    base = bound
    capacity = wanted
    return bound + length
  }

  /// Increases the count by the number of elements that were written into the reserved capacity.
  @inlinable
  @inline(__always)
  package func advance(by more: Int) { length += more }

  @inlinable
  @inline(__always)
  package func append(_ element: Element) {
    reserve(1).initialize(to: element)
    length += 1
  }

  /// Calls a closure with each element from a position to the end; the closure may change it.
  package func update(from position: Int, _ body: (inout Element) -> Void) {
    guard let base else { return }
    for index in position..<length { body(&base[index]) }
  }

  /// Removes all elements from a position on, and keeps the capacity.
  @inlinable
  @inline(__always)
  package func truncate(to position: Int) { length = Swift.min(length, position) }

  /// Removes the elements that do not satisfy a condition, from a position on; keeps the order.
  @inlinable
  package func keep(from position: Int, where isKept: (Int, Element) -> Bool) {
    guard let base else { return }
    var kept = position
    for index in position..<length where isKept(index - position, base[index]) {
      base[kept] = base[index]
      kept += 1
    }
    length = kept
  }
}

extension PageBuffer: RandomAccessCollection {
  @inlinable
  @inline(__always)
  package var startIndex: Int { 0 }
  @inlinable
  @inline(__always)
  package var endIndex: Int { length }
  /// The number of elements; replaces the slower default implementation of `Collection`.
  @inlinable
  @inline(__always)
  package var count: Int { length }

  @inlinable
  @inline(__always)
  package subscript(position: Int) -> Element {
    guard let base, position >= 0, position < length else { outOfRange(position) }
    return base[position]
  }

  @usableFromInline
  func outOfRange(_ position: Int) -> Never {
    fatalError("Position \(position) is outside of a page buffer of \(length) elements.")
  }
}

extension PageBuffer<UInt8> {
  /// Calls a closure with `count` bytes of the buffer, from `position` on.
  package func withBytes<Result>(
    at position: Int,
    count: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    guard position >= 0, count >= 0, position + count <= length else {
      outOfRange(position + count)
    }
    return try body(UnsafeRawBufferPointer(start: base.map { $0 + position }, count: count))
  }
}

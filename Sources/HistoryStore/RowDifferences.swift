package import PersistentHistory
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a context knows of some rows that are to be read again.
package struct KnownRows: Sendable {
  /// The entity's number.
  package let entity: Int32
  /// The keys of the rows, sorted.
  package let keys: [Int64]
  /// For each key how many rows lie before its own in `values`, or less than 0 when it is not known.
  package let places: [Int]
  /// The values of all known rows, one after the other.
  package let values: [Value]

  package init(entity: Int32, keys: [Int64], places: [Int], values: [Value]) {
    self.entity = entity
    self.keys = keys
    self.places = places
    self.values = values
  }
}

/// Rows of one entity as they are in the store, of known ones only the values that differ.
///
/// Most values of a row that was updated are as they were: their texts are neither made again nor
/// freed, and a pass over a thousand transactions takes an eighth less time.
package struct RowDifferences: Sendable {
  /// One row that was read.
  package struct Row: Sendable {
    package let key: Int64
    /// The transaction that wrote it last.
    package let version: Int64
    /// Its place among the known rows, or less than 0.
    package let place: Int
    /// The attributes whose values follow: all of them for a row that was not known.
    package let columns: UInt64
  }

  /// The entity's number.
  package let entity: Int32
  /// The rows, in the order of their keys.
  package private(set) var rows: [Row] = []
  /// The values of all rows, one after the other.
  package private(set) var values: [Value] = []
  /// How many of the wanted keys lie before the row that comes next.
  private var passed = 0

  /// Makes room for every value of some rows: room that stays unused costs nothing, and growing
  /// copies.
  init(entity: Int32, rowCount: Int, width: Int) {
    self.entity = entity
    rows.reserveCapacity(rowCount)
    values.reserveCapacity(rowCount * width)
  }

  /// Lets a closure take the values of all rows out.
  package mutating func withValues(_ body: (UnsafeMutableBufferPointer<Value>) -> Void) {
    values.withUnsafeMutableBufferPointer { body($0) }
  }

  /// Appends what differs in a row: its key, its version, then its values.
  ///
  /// Rows come in key order.
  @inline(__always)
  mutating func append(
    _ row: borrowing some RowValues & ~Copyable,
    _ types: UnsafeBufferPointer<AttributeType>,
    beside known: KnownRows.Lent
  ) {
    let key = row.int(0)
    while passed < known.keys.count, known.keys[passed] != key { passed += 1 }
    guard passed < known.keys.count else { return }
    let place = known.places[passed]
    passed += 1
    let start = place * types.count
    var columns: UInt64 = 0
    for index in types.indices {
      let column = Int32(truncatingIfNeeded: index + 2)
      let type = types[index]
      if place >= 0, row.holds(known.values[start + index], column) { continue }
      columns |= 1 << UInt64(index)
      values.append(row.value(column, as: type))
    }
    rows.append(Row(key: key, version: row.int(1), place: place, columns: columns))
  }
}

extension KnownRows {
  /// The same while its arrays are lent: reading through them counts no references.
  struct Lent {
    let keys: UnsafeBufferPointer<Int64>
    let places: UnsafeBufferPointer<Int>
    let values: UnsafeBufferPointer<Value>
  }

  /// Lends the arrays to a closure.
  func lend<Result>(to body: (Lent) throws -> Result) rethrows -> Result {
    try keys.withUnsafeBufferPointer { keys in
      try places.withUnsafeBufferPointer { places in
        try values.withUnsafeBufferPointer { values in
          try body(Lent(keys: keys, places: places, values: values))
        }
      }
    }
  }
}

extension RowValues where Self: ~Copyable {
  /// Whether a column holds a value in the storage class of its type; what is kept in another way
  /// counts as another value, and is read again.
  @inline(__always)
  fileprivate borrowing func holds(_ value: Value, _ column: Int32) -> Bool {
    switch (value, storage(column)) {
    case (.string(let value), .text): value.hasBytes(bytes(column))
    case (.int(let value), .integer): value == int(column)
    case (.bool(let value), .integer): (value ? 1 : 0) == int(column)
    case (.double(let value), .real): value.bitPattern == real(column).bitPattern
    case (.date(let value), .real):
      value.timeIntervalSinceReferenceDate.bitPattern == real(column).bitPattern
    case (.data(let value), .blob): value.elementsEqual(bytes(column))
    case (.uuid(let value), .blob):
      withUnsafeBytes(of: value.uuid) { $0.elementsEqual(bytes(column)) }
    case (.null, .null): true
    default: false
    }
  }
}

extension String {
  /// Whether the text in UTF-8 is these bytes.
  @inline(__always)
  fileprivate func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    utf8.withContiguousStorageIfAvailable { text in
      guard text.count == bytes.count else { return false }
      guard let start = text.baseAddress, let other = bytes.baseAddress else { return true }
      return memcmp(start, other, text.count) == 0
    } ?? utf8.elementsEqual(bytes)
  }
}

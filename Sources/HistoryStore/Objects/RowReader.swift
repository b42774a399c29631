package import HistoryTypes
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads rows by their keys, all with one statement that joins the table with the keys.
///
/// SQLite calls a function for each row instead of returning each row to the caller. For rows of
/// seven columns, the function and the join cost 1.04 to 1.10 times as much as a loop in C over the
/// same join. Binding lists of keys, and reading the columns from a statement, cost 1.48 times as much.
final class RowReader {
  /// The destination of the rows that the function receives.
  private enum Sink {
    case none
    case batch(UnsafeMutablePointer<RowBatch>)
    case differences(UnsafeMutablePointer<RowDifferences>, KnownRows.Lent)
  }

  /// The current destination of the rows that the SQL function receives.
  ///
  /// It is in separate memory, because SQLite calls the function while a method of this object runs.
  private let sink = UnsafeMutablePointer<Sink>.allocate(capacity: 1)
  private let types = UnsafeMutablePointer<UnsafeBufferPointer<AttributeType>>.allocate(capacity: 1)
  private let keys: KeyTable

  /// Registers with a connection the SQL table of keys, and the SQL function that receives the rows.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    sink.initialize(to: .none)
    types.initialize(to: UnsafeBufferPointer(start: nil, count: 0))
    keys = try KeyTable("history_keys", connection)
    let (sink, types) = (sink, types)
    try connection.setCollector("history_row") { row in
      switch sink.pointee {
      case .none: break
      case .batch(let batch): batch.pointee.append(row, types.pointee)
      case .differences(let differences, let known):
        differences.pointee.append(row, types.pointee, comparedWith: known)
      }
    }
  }

  deinit {
    sink.deallocate()
    types.deallocate()
  }

  /// Runs a closure during which the SQL table `history_keys` contains the given keys.
  func withKeys<Result>(_ some: [Int64], _ body: () throws -> Result) rethrows -> Result {
    try keys.show(some, to: body)
  }

  /// Appends the rows with the given keys to a batch, and skips keys without a row.
  func read(
    _ wanted: [Int64],
    of table: EntityStatements,
    into rows: inout RowBatch,
    _ connection: borrowing Connection
  ) throws {
    try withUnsafeMutablePointer(to: &rows) { rows in
      try read(wanted, of: table, into: .batch(rows), connection)
    }
  }

  /// Appends the current rows of known objects, reduced to the differences from the known rows.
  func read(
    _ known: KnownRows,
    of table: EntityStatements,
    into rows: inout RowDifferences,
    _ connection: borrowing Connection
  ) throws {
    try withUnsafeMutablePointer(to: &rows) { rows in
      try known.lend { lent in
        try read(known.keys, of: table, into: .differences(rows, lent), connection)
      }
    }
  }

  private func read(
    _ wanted: [Int64],
    of table: EntityStatements,
    into place: Sink,
    _ connection: borrowing Connection
  ) throws {
    let select = try table.selectShown(connection)
    sink.pointee = place
    defer { sink.pointee = .none }
    try table.types.withUnsafeBufferPointer { lent in
      types.pointee = lent
      try keys.show(wanted) { try select.statement.run() }
    }
  }
}

/// The keys of the rows that a context reads again, and the values that the context already has.
package struct KnownRows: Sendable {
  /// The entity's number.
  package let entity: Int32
  /// The keys of the rows, sorted.
  package let keys: [Int64]
  /// For each key, the index of its row in `values`, or a negative number when the row is unknown.
  package let places: [Int]
  /// The values of all known rows, concatenated.
  package let values: [Value]

  package init(entity: Int32, keys: [Int64], places: [Int], values: [Value]) {
    self.entity = entity
    self.keys = keys
    self.places = places
    self.values = values
  }
}

/// The current rows of one entity; of a known row, only the values that differ.
///
/// Most values of an updated row are unchanged. Because their texts are neither created nor freed, a
/// pass over a thousand transactions takes an eighth less time.
package struct RowDifferences: Sendable {
  package struct Row: Sendable {
    package let key: Int64
    /// The number of the transaction that last wrote the row.
    package let version: Int64
    /// The row's index among the known rows, or a negative number if the row was unknown.
    package let place: Int
    /// The attributes whose values are included; all attributes if the row was unknown.
    package let columns: UInt64
  }

  /// The entity's number.
  package let entity: Int32
  /// The rows, in the order of their keys.
  package private(set) var rows: [Row] = []
  /// The values of all rows, concatenated.
  package private(set) var values: [Value] = []
  /// The number of requested keys that precede the next row.
  private var passed = 0

  /// Reserves capacity for every value of `rowCount` rows.
  ///
  /// Unused capacity costs no time, but growing copies the values.
  init(entity: Int32, rowCount: Int, width: Int) {
    self.entity = entity
    rows.reserveCapacity(rowCount)
    values.reserveCapacity(rowCount * width)
  }

  /// Passes the values of all rows to a closure, which may move them out.
  package mutating func withValues(_ body: (UnsafeMutableBufferPointer<Value>) -> Void) {
    values.withUnsafeMutableBufferPointer { body($0) }
  }

  /// Appends the differences of a row, whose columns are its key, its version, then its values.
  ///
  /// Rows must be appended in key order.
  @inline(__always)
  mutating func append(
    _ row: borrowing some RowValues & ~Copyable,
    _ types: UnsafeBufferPointer<AttributeType>,
    comparedWith known: KnownRows.Lent
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
  /// Pointers to the arrays of known rows, which are read without reference counting.
  struct Lent {
    let keys: UnsafeBufferPointer<Int64>
    let places: UnsafeBufferPointer<Int>
    let values: UnsafeBufferPointer<Value>
  }

  /// Passes pointers to the arrays to a closure.
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
  /// Returns whether a column contains this value, stored in the storage class of the value's type.
  ///
  /// A value in another storage class counts as different, and is read again.
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
  /// Returns whether the text in UTF-8 consists of the given bytes.
  @inline(__always)
  fileprivate func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    utf8.withContiguousStorageIfAvailable { text in
      guard text.count == bytes.count else { return false }
      guard let start = text.baseAddress, let other = bytes.baseAddress else { return true }
      return memcmp(start, other, text.count) == 0
    } ?? utf8.elementsEqual(bytes)
  }
}

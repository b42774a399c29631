public import HistoryTypes
import SQLiteStorage

/// The next row of a batch request; a closure sets its attributes by their position in the entity.
///
/// Attributes that are not set have their default values in an insert, and are null in an update.
/// The values of many rows share one reused block of memory, so that a row needs no allocation. One
/// SQL statement reads all rows of the block.
///
/// Each setter takes the index of the attribute in ``Entity/attributes``, from 0. A value that does
/// not fit the attribute makes the request fail with ``HistoryError/Code/unfitValue``.
public struct RowWriter: ~Copyable {
  private let table: EntityStatements
  private let rows: UnsafeMutablePointer<RowBlock>
  private let columns: TypeColumns
  private var isSet: UInt64 = 0
  private var isNull: UInt64 = 0
  /// The attributes that get their default values unless they are set, as bits.
  private let defaults: UInt64
  /// The attributes that the row must set to a value, as bits.
  private let required: UInt64
  /// The error of the first value that did not fit its attribute.
  private var error: HistoryError?
  private var hasFailed = false

  /// Creates the writer of an insert, or of an update of the attributes in `settable`.
  init(_ table: EntityStatements, only settable: UInt64? = nil) {
    defaults = settable == nil ? table.defaults : 0
    required = table.required & (settable ?? .max)
    self.table = table
    rows = table.rows.block
    columns = table.columns.only(settable ?? .max)
    // Discard the rows that a failed request may have left in the buffer.
    rows.pointee.removeAll()
  }

  /// Sets an attribute to an integer.
  public mutating func set(_ value: Int, at attribute: Int) {
    set(Int64(value), at: attribute)
  }

  /// Sets an attribute to an integer.
  public mutating func set(_ value: Int64, at attribute: Int) {
    guard accepts(attribute, among: columns.int) else { return }
    rows.pointee.set(value, at: attribute)
  }

  /// Sets an attribute to a double; NaN makes the request fail.
  public mutating func set(_ value: Double, at attribute: Int) {
    guard accepts(attribute, among: value.isNaN ? 0 : columns.double) else { return }
    rows.pointee.set(value, at: attribute)
  }

  /// Sets an attribute to a Boolean value.
  public mutating func set(_ value: Bool, at attribute: Int) {
    guard accepts(attribute, among: columns.bool) else { return }
    rows.pointee.set(value ? 1 : 0 as Int64, at: attribute)
  }

  /// Sets an attribute to a date.
  public mutating func set(_ value: Date, at attribute: Int) {
    let seconds = value.timeIntervalSinceReferenceDate
    guard accepts(attribute, among: seconds.isNaN ? 0 : columns.date) else { return }
    rows.pointee.set(seconds, at: attribute)
  }

  /// Sets an attribute to a string.
  public mutating func set(_ value: String, at attribute: Int) {
    let fits = value.utf8.count <= Value.byteCountMax
    guard accepts(attribute, among: fits ? columns.string : 0) else { return }
    // A string with contiguous bytes, as nearly all have, is neither copied nor retained.
    let isKept: Void? = value.utf8.withContiguousStorageIfAvailable {
      rows.pointee.set(UnsafeRawBufferPointer($0), at: attribute)
    }
    guard isKept == nil else { return }
    var copy = value
    copy.withUTF8 { rows.pointee.set(UnsafeRawBufferPointer($0), at: attribute) }
  }

  /// Sets an attribute to data.
  public mutating func set(_ value: Data, at attribute: Int) {
    let fits = value.count <= Value.byteCountMax
    guard accepts(attribute, among: fits ? columns.data : 0) else { return }
    value.withUnsafeBytes { rows.pointee.set($0, at: attribute) }
  }

  /// Sets an attribute to a UUID.
  public mutating func set(_ value: UUID, at attribute: Int) {
    guard accepts(attribute, among: columns.uuid) else { return }
    withUnsafeBytes(of: value.uuid) { rows.pointee.set($0, at: attribute) }
  }

  /// Sets an attribute to a value of any type, or to null.
  public mutating func set(_ value: Value, at attribute: Int) {
    switch value {
    case .null: setNull(at: attribute)
    case .int(let value): set(value, at: attribute)
    case .double(let value): set(value, at: attribute)
    case .string(let value): set(value, at: attribute)
    case .data(let value): set(value, at: attribute)
    case .date(let value): set(value, at: attribute)
    case .bool(let value): set(value, at: attribute)
    case .uuid(let value): set(value, at: attribute)
    }
  }

  /// Sets the attributes in `columns` to values, one for each bit.
  mutating func set(_ values: [Value], in columns: UInt64) {
    var left = columns
    for value in values {
      set(value, at: left.trailingZeroBitCount)
      left &= left - 1
    }
  }

  private mutating func setNull(at attribute: Int) {
    guard accepts(attribute, among: .max) else { return }
    isSet &= ~(1 << UInt64(attribute))
    isNull |= 1 << UInt64(attribute)
  }

  /// Returns whether an attribute may be set and is in `columns`; records an error otherwise.
  @inline(__always)
  private mutating func accepts(_ attribute: Int, among columns: UInt64) -> Bool {
    let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: attribute)
    guard columns & self.columns.all & bit != 0 else {
      refuse(attribute)
      return false
    }
    isSet |= bit
    return true
  }

  private mutating func refuse(_ attribute: Int) {
    guard !hasFailed else { return }
    hasFailed = true
    guard columns.all & 1 << UInt64(truncatingIfNeeded: attribute) != 0 else {
      error = .unknownAttribute("#\(attribute)", of: table.entity)
      return
    }
    let wanted = table.entity.attributes[attribute]
    error = .unfitValue(entity: table.entity.name, attribute: wanted.name, type: wanted.type)
  }

  /// Finishes the row of an object, and starts the next row.
  ///
  /// - Throws: the error of the first value that did not fit, or ``HistoryError/Code/missingValue``.
  @inline(__always)
  mutating func end(key: Int64) throws {
    if hasFailed { try fail() }
    if defaults != 0 { setDefaults() }
    let missing = required & ~isSet
    if missing != 0 { try table.checkOptional(missing.trailingZeroBitCount, key) }
    rows.pointee.endRow(key: key, columns: isSet)
    isSet = 0
  }

  private mutating func setDefaults() {
    let missing = defaults & ~(isSet | isNull)
    for (index, attribute) in table.entity.attributes.enumerated()
    where missing >> UInt64(index) & 1 == 1 {
      set(attribute.defaultValue, at: index)
    }
    isNull = 0
  }

  /// Whether the buffer is full, so that its rows must be written before another row is set.
  var isFull: Bool { rows.pointee.isFull }

  private func fail() throws {
    if let error { throw error }
  }
}

/// Bitmaps of an entity's attributes: one for each attribute type, and one of all settable ones.
struct TypeColumns {
  private(set) var all: UInt64 = 0
  private(set) var int: UInt64 = 0
  private(set) var double: UInt64 = 0
  private(set) var string: UInt64 = 0
  private(set) var data: UInt64 = 0
  private(set) var date: UInt64 = 0
  private(set) var bool: UInt64 = 0
  private(set) var uuid: UInt64 = 0

  init(_ entity: Entity) {
    for (index, attribute) in entity.attributes.enumerated() {
      let bit: UInt64 = 1 << UInt64(index)
      all |= bit
      switch attribute.type {
      case .int: int |= bit
      case .double: double |= bit
      case .string: string |= bit
      case .data: data |= bit
      case .date: date |= bit
      case .bool: bool |= bit
      case .uuid: uuid |= bit
      }
    }
  }

  /// Returns a copy whose bitmap `all` is restricted to the attributes in `columns`.
  ///
  /// The bitmaps of the types do not change, because each typed setter of ``RowWriter`` checks both
  /// the bitmap of its type and `all`.
  func only(_ columns: UInt64) -> TypeColumns {
    var some = self
    some.all &= columns
    return some
  }
}

/// Inserts the buffered rows of a batch request.
///
/// One statement inserts many rows; it costs half as much as one statement per row.
final class RowInserter {
  /// The minimum number of rows for which one statement costs less than one statement per row.
  private static let countMin = 4

  private let rows: UnsafeMutablePointer<RowBlock>
  private let columns: UInt64
  private let one: PreparedStatement
  private let many: PreparedStatement

  init(_ table: EntityStatements, _ connection: borrowing Connection) throws {
    rows = table.rows.block
    columns = table.columns.all
    one = try table.insert(connection)
    let name = "history_rows_\(table.number)"
    try table.rows.show(as: name, connection)
    let values = table.entity.attributes.indices.map { ", c\($0)" }.joined()
    // A failed request is rolled back as a whole. With `OR FAIL`, and unless the table has triggers,
    // SQLite keeps no statement journal, with which it could undo this statement alone.
    // See https://sqlite.org/tempfiles.html#stmtjrnl.
    many = try PreparedStatement(
      connection,
      """
      INSERT OR FAIL INTO "\(table.tableName)"(_key, _version\(table.columnList))
      SELECT key, ?1\(values) FROM \(name)
      """
    )
  }

  /// Inserts the buffered rows with a version, and clears the buffer.
  func flush(version: Int64) throws {
    defer { rows.pointee.removeAll() }
    guard rows.pointee.count < Self.countMin else {
      many.statement.bind(version, at: 1)
      return try many.statement.run()
    }
    for row in 0..<rows.pointee.count {
      one.statement.bind(rows.pointee.key(row), at: 1)
      one.statement.bind(version, at: 2)
      rows.pointee.bind(row, columns, to: one.statement, at: 3)
      try one.statement.run()
    }
  }
}

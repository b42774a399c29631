public import PersistentHistory
import SQLiteStorage

/// The row that a batch request is about to write: set its attributes by their position in the entity.
///
/// What is not set is null. Strings and bytes are copied into one buffer that all rows share, so that
/// a row costs no allocation.
public struct RowWriter: ~Copyable {
  private let statement: PreparedStatement
  private let entity: Entity
  private let columns: TypeColumns
  /// Where the statement takes the value of the first attribute.
  private let first: Int32
  private var text = ByteWriter(capacity: 1024)
  /// Where the bytes of each attribute in `isText` lie in the buffer.
  private let spans: UnsafeMutablePointer<Span>
  private var isText: UInt64 = 0
  private var isSet: UInt64 = 0
  private var wasSet: UInt64 = 0
  /// The attributes that were ever bound to bytes in the buffer.
  private var wasText: UInt64 = 0
  /// The first value that did not fit.
  private(set) var error: HistoryError?

  /// Where the bytes of an attribute lie in the buffer.
  private struct Span {
    let start: Int
    let count: Int
  }

  init(
    _ statement: PreparedStatement,
    _ entity: Entity,
    from first: Int32,
    only settable: UInt64 = .max
  ) {
    self.statement = statement
    self.entity = entity
    self.first = first
    columns = TypeColumns(entity, only: settable)
    spans = .allocate(capacity: max(1, entity.attributes.count))
    // A save through the same statement leaves its values bound.
    clear(.max)
  }

  deinit { spans.deallocate() }

  /// Sets an int.
  public mutating func set(_ value: Int, at attribute: Int) {
    set(Int64(value), at: attribute)
  }

  /// Sets an int.
  public mutating func set(_ value: Int64, at attribute: Int) {
    guard accepts(attribute, among: columns.int) else { return }
    statement.statement.bind(value, at: place(of: attribute))
  }

  /// Sets a double; NaN does not fit.
  public mutating func set(_ value: Double, at attribute: Int) {
    guard accepts(attribute, among: value.isNaN ? 0 : columns.double) else { return }
    statement.statement.bind(value, at: place(of: attribute))
  }

  /// Sets a bool.
  public mutating func set(_ value: Bool, at attribute: Int) {
    guard accepts(attribute, among: columns.bool) else { return }
    statement.statement.bind(value ? 1 : 0 as Int64, at: place(of: attribute))
  }

  /// Sets a date.
  public mutating func set(_ value: Date, at attribute: Int) {
    let seconds = value.timeIntervalSinceReferenceDate
    guard accepts(attribute, among: seconds.isNaN ? 0 : columns.date) else { return }
    statement.statement.bind(seconds, at: place(of: attribute))
  }

  /// Sets a string.
  public mutating func set(_ value: String, at attribute: Int) {
    let fits = value.utf8.count <= Value.byteCountMax
    guard accepts(attribute, among: fits ? columns.string : 0) else { return }
    // A string whose bytes lie in one piece, as nearly all do, is neither copied nor retained.
    let isKept: Void? = value.utf8.withContiguousStorageIfAvailable {
      keep(UnsafeRawBufferPointer($0), at: attribute)
    }
    guard isKept == nil else { return }
    var copy = value
    copy.withUTF8 { keep(UnsafeRawBufferPointer($0), at: attribute) }
  }

  /// Sets bytes.
  public mutating func set(_ value: Data, at attribute: Int) {
    let fits = value.count <= Value.byteCountMax
    guard accepts(attribute, among: fits ? columns.data : 0) else { return }
    value.withUnsafeBytes { keep($0, at: attribute) }
  }

  /// Sets an identity.
  public mutating func set(_ value: UUID, at attribute: Int) {
    guard accepts(attribute, among: columns.uuid) else { return }
    withUnsafeBytes(of: value.uuid) { keep($0, at: attribute) }
  }

  /// Sets any value, or null.
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

  private mutating func setNull(at attribute: Int) {
    guard accepts(attribute, among: .max) else { return }
    statement.statement.bindNull(at: place(of: attribute))
    isText &= ~(1 << UInt64(attribute))
    isSet &= ~(1 << UInt64(attribute))
  }

  /// Copies bytes into the buffer; they are bound when the row is written, since the buffer may grow
  /// and move until then.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer, at attribute: Int) {
    (spans + attribute).initialize(to: Span(start: text.count, count: bytes.count))
    text.append(contentsOf: bytes)
    isText |= 1 << UInt64(attribute)
  }

  /// Where an attribute is bound.
  @inline(__always)
  private func place(of attribute: Int) -> Int32 { Int32(truncatingIfNeeded: attribute) + first }

  /// Whether an attribute may be set, and is among some.
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
    guard error == nil else { return }
    guard columns.all & 1 << UInt64(truncatingIfNeeded: attribute) != 0 else {
      error = .unknownAttribute(entity: entity.name, attribute: "#\(attribute)")
      return
    }
    let wanted = entity.attributes[attribute]
    error = .unfitValue(entity: entity.name, attribute: wanted.name, type: wanted.type)
  }

  /// Inserts the row with a key and the version of the transaction, and clears it for the next.
  mutating func write(key: Int64, version: Int64) throws {
    try bind(key, version)
    try statement.statement.run()
    clearForNext()
  }

  /// Updates the row with a key, clears it for the next, and answers whether the row was there without
  /// the version of the transaction.
  mutating func update(
    key: Int64,
    version: Int64,
    _ connection: borrowing Connection
  ) throws -> Bool {
    try bind(key, version)
    statement.statement.bind(0 as Int64, at: 3)
    try statement.statement.run()
    let isFirst = connection.changes == 1
    if !isFirst {
      statement.statement.bindNull(at: 3)
      try statement.statement.run()
    }
    clearForNext()
    return isFirst
  }

  @inline(__always)
  private mutating func bind(_ key: Int64, _ version: Int64) throws {
    if let error { throw error }
    statement.statement.bind(key, at: 1)
    statement.statement.bind(version, at: 2)
    if isText != 0 { bindKept() }
    clear(wasSet & ~isSet)
  }

  @inline(__always)
  private mutating func clearForNext() {
    wasSet = isSet
    isSet = 0
    isText = 0
    text.removeAll()
  }

  private mutating func bindKept() {
    let bytes = text.bytes
    var left = isText
    while left != 0 {
      let attribute = left.trailingZeroBitCount
      left &= left - 1
      let span = spans[attribute]
      let slice = UnsafeRawBufferPointer(
        rebasing: bytes[span.start..<span.start + span.count]
      )
      if columns.string >> UInt64(attribute) & 1 == 1 {
        statement.statement.bind(borrowedText: slice, at: place(of: attribute))
      } else {
        statement.statement.bind(borrowed: slice, at: place(of: attribute))
      }
    }
    wasText |= isText
  }

  /// Binds null where the row before had a value and this one has none.
  private func clear(_ columns: UInt64) {
    var left = columns & self.columns.all
    while left != 0 {
      statement.statement.bindNull(at: place(of: left.trailingZeroBitCount))
      left &= left - 1
    }
  }

  /// Forgets the bytes that are bound, so that nothing points into this writer's buffer any more.
  consuming func finish() {
    clear(wasText)
  }
}

/// The attributes of each type that may be set, one bit each in the entity's order.
private struct TypeColumns {
  private(set) var all: UInt64 = 0
  private(set) var int: UInt64 = 0
  private(set) var double: UInt64 = 0
  private(set) var string: UInt64 = 0
  private(set) var data: UInt64 = 0
  private(set) var date: UInt64 = 0
  private(set) var bool: UInt64 = 0
  private(set) var uuid: UInt64 = 0

  init(_ entity: Entity, only settable: UInt64) {
    for (index, attribute) in entity.attributes.enumerated() {
      let bit: UInt64 = 1 << UInt64(index) & settable
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
}

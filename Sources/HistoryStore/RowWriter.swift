public import PersistentHistory
import SQLiteStorage

/// The row that a batch request is about to write: set its attributes by their position in the entity.
///
/// What is not set is null. Strings and bytes are copied into one buffer that all rows share, so that
/// a row costs no allocation.
public struct RowWriter: ~Copyable {
  private let statement: PreparedStatement
  private let entity: Entity
  /// Where the statement takes the value of the first attribute.
  private let first: Int32
  /// The attributes that may be set.
  private let settable: UInt64
  private var text = ByteWriter(capacity: 1024)
  private var spans: [Span] = []
  private var isSet: UInt64 = 0
  private var wasSet: UInt64 = 0
  /// The first value that did not fit.
  private(set) var error: HistoryError?

  /// Where the bytes of an attribute lie in the buffer.
  private struct Span {
    let position: Int32
    let start: Int
    let count: Int
    let isText: Bool
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
    self.settable = settable
    // A save through the same statement leaves its values bound.
    clear(.max)
  }

  /// Sets an int.
  public mutating func set(_ value: Int, at attribute: Int) {
    set(Int64(value), at: attribute)
  }

  /// Sets an int.
  public mutating func set(_ value: Int64, at attribute: Int) {
    guard accepts(.int, at: attribute) else { return }
    statement.statement.bind(value, at: Int32(attribute) + first)
  }

  /// Sets a double; NaN does not fit.
  public mutating func set(_ value: Double, at attribute: Int) {
    guard accepts(value.isNaN ? nil : .double, at: attribute) else { return }
    statement.statement.bind(value, at: Int32(attribute) + first)
  }

  /// Sets a bool.
  public mutating func set(_ value: Bool, at attribute: Int) {
    guard accepts(.bool, at: attribute) else { return }
    statement.statement.bind(value ? 1 : 0 as Int64, at: Int32(attribute) + first)
  }

  /// Sets a date.
  public mutating func set(_ value: Date, at attribute: Int) {
    let seconds = value.timeIntervalSinceReferenceDate
    guard accepts(seconds.isNaN ? nil : .date, at: attribute) else { return }
    statement.statement.bind(seconds, at: Int32(attribute) + first)
  }

  /// Sets a string.
  public mutating func set(_ value: String, at attribute: Int) {
    guard accepts(.string, at: attribute, byteCount: value.utf8.count) else { return }
    var value = value
    let start = text.count
    value.withUTF8 { text.append(contentsOf: UnsafeRawBufferPointer($0)) }
    keep(from: start, at: attribute, isText: true)
  }

  /// Sets bytes.
  public mutating func set(_ value: Data, at attribute: Int) {
    guard accepts(.data, at: attribute, byteCount: value.count) else { return }
    let start = text.count
    value.withUnsafeBytes { text.append(contentsOf: $0) }
    keep(from: start, at: attribute, isText: false)
  }

  /// Sets an identity.
  public mutating func set(_ value: UUID, at attribute: Int) {
    guard accepts(.uuid, at: attribute) else { return }
    let start = text.count
    withUnsafeBytes(of: value.uuid) { text.append(contentsOf: $0) }
    keep(from: start, at: attribute, isText: false)
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
    guard exists(attribute) else { return }
    statement.statement.bindNull(at: Int32(attribute) + first)
    spans.removeAll { $0.position == Int32(attribute) + first }
    isSet &= ~(1 << UInt64(attribute))
  }

  private mutating func keep(from start: Int, at attribute: Int, isText: Bool) {
    spans.append(
      Span(
        position: Int32(attribute) + first,
        start: start,
        count: text.count - start,
        isText: isText
      )
    )
  }

  private mutating func exists(_ attribute: Int) -> Bool {
    if entity.attributes.indices.contains(attribute), settable >> UInt64(attribute) & 1 == 1 {
      return true
    }
    error = error ?? .unknownAttribute(entity: entity.name, attribute: "#\(attribute)")
    return false
  }

  private mutating func accepts(
    _ type: AttributeType?,
    at attribute: Int,
    byteCount: Int = 0
  ) -> Bool {
    guard exists(attribute) else { return false }
    let wanted = entity.attributes[attribute]
    guard wanted.type == type, byteCount <= Value.byteCountMax else {
      error =
        error
        ?? .unfitValue(entity: entity.name, attribute: wanted.name, type: wanted.type)
      return false
    }
    isSet |= 1 << UInt64(attribute)
    return true
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

  private mutating func bind(_ key: Int64, _ version: Int64) throws {
    if let error { throw error }
    let row = statement
    row.statement.bind(key, at: 1)
    row.statement.bind(version, at: 2)
    let bytes = text.bytes
    for span in spans {
      let slice = UnsafeRawBufferPointer(
        rebasing: bytes[span.start..<span.start + span.count]
      )
      if span.isText {
        row.statement.bind(borrowedText: slice, at: span.position)
      } else {
        row.statement.bind(borrowed: slice, at: span.position)
      }
    }
    clear(wasSet & ~isSet)
  }

  private mutating func clearForNext() {
    wasSet = isSet
    isSet = 0
    spans.removeAll(keepingCapacity: true)
    text.removeAll()
  }

  /// Binds null where the row before had a value and this one has none.
  private func clear(_ columns: UInt64) {
    guard columns != 0 else { return }
    let columns = columns & settable
    for index in entity.attributes.indices where columns >> UInt64(index) & 1 == 1 {
      statement.statement.bindNull(at: Int32(index) + first)
    }
  }

  /// Forgets everything that is bound, so that nothing points into this writer's buffer any more.
  consuming func finish() {
    clear(.max)
  }
}

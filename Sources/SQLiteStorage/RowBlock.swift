/// Rows of values in memory, each with a key, which SQL reads without a statement for each of them:
/// as a table (``Connection/showTable(_:of:)``), or value by value
/// (``Connection/showValues(_:of:)``).
///
/// It lies at one place for as long as a connection shows it.
@usableFromInline
package struct RowBlock: ~Copyable {
  /// What a column holds where it is not null.
  package enum Kind: UInt8, Sendable {
    case integer
    case real
    case text
    case blob
  }

  /// A value: a number, or the place and the length of bytes.
  ///
  /// The first of a row is its key, with one bit for each column that is not null.
  @usableFromInline
  struct Cell {
    @usableFromInline var bits: UInt64
    @usableFromInline var count: Int

    @inlinable
    init(bits: UInt64, count: Int = 0) {
      self.bits = bits
      self.count = count
    }
  }

  /// How many rows there is room for.
  private static let capacity = 256
  /// How many bytes of strings and blobs make a block full.
  private static let byteCountMax = 256 * 1024

  let columnCount: Int
  private let kinds: UnsafeMutablePointer<Kind>
  private let cells: UnsafeMutablePointer<Cell>
  private let stride: Int
  /// How many rows there are.
  package private(set) var count = 0
  /// The values of the row that is being set.
  @usableFromInline var next: UnsafeMutablePointer<Cell>
  private var bytes = RowBytes()
  /// The row whose values were read last.
  private var read = 0

  /// Makes room for rows with some columns, at most 64.
  package init(_ kinds: [Kind]) {
    columnCount = kinds.count
    stride = kinds.count + 1
    self.kinds = .allocate(capacity: max(1, kinds.count))
    for (index, kind) in kinds.enumerated() { (self.kinds + index).initialize(to: kind) }
    cells = .allocate(capacity: Self.capacity * stride)
    cells.initialize(repeating: Cell(bits: 0), count: Self.capacity * stride)
    next = cells + 1
  }

  deinit {
    kinds.deallocate()
    cells.deallocate()
  }

  // MARK: Setting

  /// Sets an integer of the row that comes next.
  @inlinable
  @inline(__always)
  package mutating func set(_ value: Int64, at column: Int) {
    next[column] = Cell(bits: UInt64(bitPattern: value))
  }

  /// Sets a double of the row that comes next.
  @inlinable
  @inline(__always)
  package mutating func set(_ value: Double, at column: Int) {
    next[column] = Cell(bits: value.bitPattern)
  }

  /// Sets text or a blob of the row that comes next, which is copied.
  package mutating func set(_ value: UnsafeRawBufferPointer, at column: Int) {
    let kept = bytes.keep(value)
    next[column] = Cell(bits: UInt64(UInt(bitPattern: kept)), count: value.count)
  }

  /// Ends the row that is being set: columns without a bit are null.
  package mutating func endRow(key: Int64, columns: UInt64) {
    next[-1] = Cell(bits: UInt64(bitPattern: key), count: Int(bitPattern: UInt(columns)))
    count += 1
    next += stride
  }

  /// Whether the rows must be written before another is set.
  package var isFull: Bool { count == Self.capacity || bytes.count >= Self.byteCountMax }

  /// Forgets all rows.
  package mutating func removeAll() {
    count = 0
    read = 0
    next = cells + 1
    bytes.removeAll()
  }

  // MARK: Reading

  /// The key of a row.
  package func key(_ row: Int) -> Int64 { Int64(bitPattern: cells[row * stride].bits) }

  /// Binds some values of a row by position, the one of the first column at a place; they stay where
  /// they are until the rows are forgotten.
  package func bind(
    _ row: Int,
    _ columns: UInt64,
    to statement: borrowing Statement,
    at place: Int32
  ) {
    var left = columns
    while left != 0 {
      let column = left.trailingZeroBitCount
      left &= left - 1
      bind(row, column: column, to: statement, at: place + Int32(truncatingIfNeeded: column))
    }
  }

  @inline(__always)
  private func bind(
    _ row: Int,
    column: Int,
    to statement: borrowing Statement,
    at place: Int32
  ) {
    let cell = cells[row * stride + column + 1]
    guard isSet(row, column) else { return statement.bindNull(at: place) }
    switch kinds[column] {
    case .integer: statement.bind(Int64(bitPattern: cell.bits), at: place)
    case .real: statement.bind(Double(bitPattern: cell.bits), at: place)
    case .text: statement.bind(borrowedText: Self.bytes(cell), at: place)
    case .blob: statement.bind(borrowed: Self.bytes(cell), at: place)
    }
  }

  /// Answers a value to SQLite.
  @inline(__always)
  func answer(_ row: Int, column: Int, to answer: borrowing SQLAnswer) {
    guard isSet(row, column) else { return }
    let cell = cells[row * stride + column + 1]
    switch kinds[column] {
    case .integer: answer.set(Int64(bitPattern: cell.bits))
    case .real: answer.set(Double(bitPattern: cell.bits))
    case .text: answer.set(borrowedText: Self.bytes(cell))
    case .blob: answer.set(borrowed: Self.bytes(cell))
    }
  }

  /// Where the rows end whose keys rise from one row on.
  package func risingEnd(from start: Int) -> Int {
    var end = start + 1
    while end < count, key(end) > key(end - 1) { end += 1 }
    return end
  }

  /// Lets the values that are asked for next be looked for from one row on.
  package mutating func read(from row: Int) { read = row }

  /// The row with a key, looked for from the one that was read last on: keys rise.
  mutating func row(withKey wanted: Int64) -> Int? {
    while read < count, key(read) < wanted { read += 1 }
    return read < count && key(read) == wanted ? read : nil
  }

  private func isSet(_ row: Int, _ column: Int) -> Bool {
    cells[row * stride].count >> column & 1 == 1
  }

  private static func bytes(_ cell: Cell) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: UInt(cell.bits)),
      count: cell.count
    )
  }
}

/// A block of rows in memory, each with a key, that a ``RowTable`` exposes to SQL.
///
/// It lets one statement read many rows.
@usableFromInline
package struct RowBlock: ~Copyable {
  /// The storage class of a column's non-null values.
  package enum Kind: UInt8, Sendable {
    case integer
    case real
    case text
    case blob
  }

  /// A value: a number, or the address and length of bytes.
  ///
  /// The first cell of a row contains its key, and one bit for each column that is not null.
  @usableFromInline
  struct Cell {
    @usableFromInline var bits: UInt64
    @usableFromInline var count: Int

    @inlinable
    init(bits: UInt64, count: Int = 0) {
      self.bits = bits
      self.count = count
    }

    var integer: Int64 { Int64(bitPattern: bits) }
    var real: Double { Double(bitPattern: bits) }
    var bytes: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(bits)), count: count)
    }

    /// Returns, for the first cell of a row, whether a column is not null.
    func isSet(_ column: Int) -> Bool { count >> column & 1 == 1 }
  }

  /// The maximum number of rows.
  private static let capacity = 256
  /// The number of bytes of strings and blobs at which a block is full.
  private static let byteCountMax = 256 * 1024

  let columnCount: Int
  private let kinds: UnsafeMutablePointer<Kind>
  private let cells: UnsafeMutablePointer<Cell>
  /// The number of cells of a row.
  private let cellCount: Int
  /// The number of rows.
  package private(set) var count = 0
  /// The values of the row that is being set.
  @usableFromInline var next: UnsafeMutablePointer<Cell>
  private var bytes = RowBytes()
  /// The row that was found last.
  private var read = 0

  /// The number of bytes from one row to the next.
  var stride: Int { cellCount * MemoryLayout<Cell>.stride }

  /// Allocates a block for rows with the given columns, at most 64.
  package init(_ kinds: [Kind]) {
    columnCount = kinds.count
    cellCount = kinds.count + 1
    self.kinds = .allocate(capacity: max(1, kinds.count))
    for (index, kind) in kinds.enumerated() { (self.kinds + index).initialize(to: kind) }
    cells = .allocate(capacity: Self.capacity * cellCount)
    cells.initialize(repeating: Cell(bits: 0), count: Self.capacity * cellCount)
    next = cells + 1
  }

  deinit {
    kinds.deallocate()
    cells.deallocate()
  }

  // MARK: Setting

  /// Sets an integer of the next row.
  @inlinable
  @inline(__always)
  package mutating func set(_ value: Int64, at column: Int) {
    next[column] = Cell(bits: UInt64(bitPattern: value))
  }

  /// Sets a double of the next row.
  @inlinable
  @inline(__always)
  package mutating func set(_ value: Double, at column: Int) {
    next[column] = Cell(bits: value.bitPattern)
  }

  /// Sets text or a blob of the next row; the bytes are copied.
  package mutating func set(_ value: UnsafeRawBufferPointer, at column: Int) {
    let kept = bytes.keep(value)
    next[column] = Cell(bits: UInt64(UInt(bitPattern: kept)), count: value.count)
  }

  /// Finishes the row that is being set; columns without a bit in `columns` are null.
  package mutating func endRow(key: Int64, columns: UInt64) {
    next[-1] = Cell(bits: UInt64(bitPattern: key), count: Int(bitPattern: UInt(columns)))
    count += 1
    next += cellCount
  }

  /// A Boolean value that indicates whether the rows must be written before another is set.
  package var isFull: Bool { count == Self.capacity || bytes.count >= Self.byteCountMax }

  /// Removes all rows.
  package mutating func removeAll() {
    count = 0
    read = 0
    next = cells + 1
    bytes.removeAll()
  }

  // MARK: Reading

  /// The address of the first row.
  var first: UnsafeRawPointer { UnsafeRawPointer(cells) }

  /// Returns the key of a row.
  package func key(_ row: Int) -> Int64 { Int64(bitPattern: cells[row * cellCount].bits) }

  /// Returns the end of the run of ascending keys that starts at a row.
  package func risingEnd(from start: Int) -> Int {
    var end = start + 1
    while end < count, key(end) > key(end - 1) { end += 1 }
    return end
  }

  /// Sets the row at which the next search for a key starts.
  package mutating func read(from row: Int) { read = row }

  /// Binds values of a row to consecutive positions, with the first column at position `place`.
  ///
  /// The bound bytes are not copied; they remain valid until the rows are removed.
  package func bind(
    _ row: Int,
    _ columns: UInt64,
    to statement: borrowing Statement,
    at place: Int32
  ) {
    let cells = cells + row * cellCount
    var left = columns
    while left != 0 {
      let column = left.trailingZeroBitCount
      left &= left - 1
      let place = place + Int32(truncatingIfNeeded: column)
      guard cells[0].isSet(column) else {
        statement.bindNull(at: place)
        continue
      }
      let cell = cells[column + 1]
      switch kinds[column] {
      case .integer: statement.bind(cell.integer, at: place)
      case .real: statement.bind(cell.real, at: place)
      case .text: statement.bind(borrowedText: cell.bytes, at: place)
      case .blob: statement.bind(borrowed: cell.bytes, at: place)
      }
    }
  }

  /// Sets an SQL result to a value of the row at an address; a null value is not set.
  @inline(__always)
  func answer(_ row: UnsafeRawPointer, column: Int, to answer: ColumnAnswer) {
    let cells = row.assumingMemoryBound(to: Cell.self)
    guard cells[0].isSet(column) else { return }
    let cell = cells[column + 1]
    switch kinds[column] {
    case .integer: answer.set(cell.integer)
    case .real: answer.set(cell.real)
    case .text: answer.set(borrowedText: cell.bytes)
    case .blob: answer.set(borrowed: cell.bytes)
    }
  }

  /// Returns the address of the row with a key, or `nil`.
  ///
  /// The search starts at the row found last, so keys must be requested in ascending order.
  mutating func row(withKey wanted: Int64) -> UnsafeRawPointer? {
    while read < count, key(read) < wanted { read += 1 }
    guard read < count, key(read) == wanted else { return nil }
    return UnsafeRawPointer(cells + read * cellCount)
  }
}

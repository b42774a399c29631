public import CSQLite

/// A block of rows in memory, each with a key, that a ``RowTable`` exposes to SQL.
///
/// With a block, one SQL statement writes many rows to a store's table.
@usableFromInline
package struct RowBlock: ~Copyable {
  /// The storage class of a column's non-null values.
  package enum Kind: UInt8, Sendable {
    case integer
    case real
    case text
    case blob
  }

  /// One value of a row: a number, or the address and length of bytes.
  ///
  /// The first cell of a row contains the row's key, and one bit for each column that is not null.
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

    /// Returns whether a column of the row is not null; call this only for the first cell of a row.
    func isSet(_ column: Int) -> Bool { count &>> column & 1 == 1 }
  }

  /// The maximum number of rows in a block.
  package static let capacity = 256
  /// The number of bytes of strings and blobs at which a block is full.
  private static let byteCountMax = 256 * 1024

  let columnCount: Int
  private let kinds: UnsafeMutablePointer<Kind>
  private let cells: UnsafeMutablePointer<Cell>
  /// The number of cells of a row.
  private let cellCount: Int
  /// The number of finished rows in the block.
  package private(set) var count = 0
  /// The address of the first column's cell in the row being filled, which follows finished rows.
  @usableFromInline var next: UnsafeMutablePointer<Cell>
  private var bytes = RowBytes()
  /// The index of the row at which the next search for a key starts.
  private var read = 0

  /// The number of bytes from one row to the next.
  var stride: Int { cellCount * MemoryLayout<Cell>.stride }

  /// Allocates a block for rows with the given columns; a row has at most 64 columns.
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

  /// Finishes the row whose values are set; columns without a bit in `columns` are null.
  package mutating func endRow(key: Int64, columns: UInt64) {
    next[-1] = Cell(bits: UInt64(bitPattern: key), count: Int(bitPattern: UInt(columns)))
    count += 1
    next += cellCount
  }

  /// A Boolean value that indicates whether the block is full; its rows must then be written.
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

  package func key(_ row: Int) -> Int64 { Int64(bitPattern: cells[row * cellCount].bits) }

  /// Returns the index after the last row in the run of ascending keys that starts at a row.
  package func risingEnd(from start: Int) -> Int {
    var end = start + 1
    while end < count, key(end) > key(end - 1) { end += 1 }
    return end
  }

  /// Sets the row at which the next search for a key starts.
  package mutating func read(from row: Int) { read = row }

  /// Binds the columns of a row that are in the bitmap `columns` to a statement.
  ///
  /// Column n is bound at position `place` + n. The bound bytes are not copied; they remain valid
  /// until the rows are removed.
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

  /// Sets an SQL result to one column of the row at an address; null values leave the result null.
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

  /// Returns the address of the row with a key, or `nil` if no row has the key.
  ///
  /// The search starts at the row that was found last, so keys must be requested in ascending
  /// order.
  mutating func row(withKey wanted: Int64) -> UnsafeRawPointer? {
    while read < count, key(read) < wanted { read += 1 }
    guard read < count, key(read) == wanted else { return nil }
    return UnsafeRawPointer(cells + read * cellCount)
  }
}

/// The bytes of the strings and blobs of a block; an address stays valid until ``removeAll()``.
struct RowBytes: ~Copyable {
  /// The initial size of the buffer in bytes.
  private static let capacityMin = 4096
  /// The maximum size in bytes of a buffer that ``removeAll()`` keeps for reuse.
  private static let capacityMax = 512 * 1024

  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// The number of used bytes in the buffer.
  private var used = 0
  /// Earlier buffers that became too small but still contain bytes of rows.
  private var full: [UnsafeMutableRawPointer] = []
  private var fullCount = 0

  init() {
    capacity = Self.capacityMin
    base = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    base.deallocate()
    for buffer in full { buffer.deallocate() }
  }

  /// The number of bytes in all buffers.
  var count: Int { used + fullCount }

  /// Copies bytes, and returns the address of the copy.
  @inline(__always)
  mutating func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    if bytes.count > capacity - used { replace(bytes.count) }
    let place = base + used
    if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
    used += bytes.count
    return place
  }

  private mutating func replace(_ wanted: Int) {
    full.append(base)
    fullCount += used
    reserve(max(capacity * 2, wanted))
  }

  private mutating func reserve(_ count: Int) {
    capacity = count
    base = .allocate(byteCount: count, alignment: 16)
    used = 0
  }

  /// Removes all bytes, and frees a buffer that has grown large.
  mutating func removeAll() {
    used = 0
    if !full.isEmpty { removeFull() }
  }

  private mutating func removeFull() {
    for buffer in full { buffer.deallocate() }
    full.removeAll()
    fullCount = 0
    guard capacity > Self.capacityMax else { return }
    base.deallocate()
    reserve(Self.capacityMin)
  }
}

/// Values by index from 0: the columns of a statement's row, or the arguments of a function.
@usableFromInline
package protocol RowValues: ~Copyable {
  borrowing func storage(_ column: Int32) -> ColumnStorage
  borrowing func int(_ column: Int32) -> Int64
  borrowing func real(_ column: Int32) -> Double
  borrowing func bytes(_ column: Int32) -> UnsafeRawBufferPointer
}

extension Statement: RowValues {}

/// The arguments of one call of an SQL function; valid until the function returns.
@usableFromInline
package struct FunctionArguments: RowValues {
  @usableFromInline
  let values: UnsafeMutablePointer<OpaquePointer?>

  init(_ values: UnsafeMutablePointer<OpaquePointer?>) { self.values = values }

  /// Returns the storage class of the argument at an index.
  @inlinable
  @inline(__always)
  package func storage(_ column: Int32) -> ColumnStorage {
    ColumnStorage(code: sqlite3_value_type(values[Int(column)]))
  }

  /// Returns the argument at an index as an integer.
  @inlinable
  @inline(__always)
  package func int(_ column: Int32) -> Int64 { sqlite3_value_int64(values[Int(column)]) }

  /// Returns the argument at an index as a double.
  @inlinable
  @inline(__always)
  package func real(_ column: Int32) -> Double { sqlite3_value_double(values[Int(column)]) }

  /// Returns the bytes of a text or blob argument by index; valid until the function returns.
  @inlinable
  @inline(__always)
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(values[Int(column)])
    return UnsafeRawBufferPointer(
      start: start,
      count: Int(sqlite3_value_bytes(values[Int(column)]))
    )
  }
}

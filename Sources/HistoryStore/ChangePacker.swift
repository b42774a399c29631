import PersistentHistory
import SQLiteStorage

/// Packs the changes of one transaction: for each the entity and type, the key as a difference to
/// the one before, the column bitmap of an update, the tombstone of a delete.
///
/// Big transactions become chunks, each of whole changes and readable by itself, so that neither a
/// write nor a fetch holds all of one in memory twice.
struct ChangePacker: ~Copyable {
  /// The version of the packed form; the first byte of every blob.
  static let version: UInt8 = 1
  /// How many bytes a blob reaches before the next change begins another.
  static let chunkBytes = 32 * 1024

  private(set) var bytes = ByteWriter(capacity: 8192)
  /// Where each chunk after the first begins.
  private(set) var chunkStarts: [Int] = []
  private(set) var count: Int64 = 0
  /// One bit for each entity that changed, by number modulo 64.
  private(set) var entities: UInt64 = 0
  private var lastKey: Int64 = 0

  mutating func begin() {
    bytes.removeAll()
    chunkStarts.removeAll(keepingCapacity: true)
    count = 0
    entities = 0
    lastKey = 0
    bytes.append(Self.version)
  }

  @inline(__always)
  mutating func insert(_ entity: Int32, _ key: Int64) {
    head(entity, .insert, key)
  }

  @inline(__always)
  mutating func update(_ entity: Int32, _ key: Int64, _ columns: UInt64) {
    head(entity, .update, key)
    bytes.append(varint: columns)
  }

  /// Packs a delete whose tombstone is in the values of a row, in the order of the entity's preserved
  /// attributes, from a position on.
  mutating func delete<Row: RowValues & ~Copyable>(
    _ entity: Int32,
    _ key: Int64,
    preserved: UInt64,
    in row: borrowing Row,
    from column: Int32
  ) {
    head(entity, .delete, key)
    guard preserved != 0 else {
      bytes.append(0)
      return
    }
    let start = bytes.count
    pack(preserved, in: row, from: column)
    insertLength(of: start)
  }

  @inline(__always)
  private mutating func head(_ entity: Int32, _ type: ChangeType, _ key: Int64) {
    if bytes.count - (chunkStarts.last ?? 0) >= Self.chunkBytes { beginChunk() }
    bytes.append(varint: UInt64(entity) << 2 | UInt64(type.rawValue))
    bytes.append(zigzag: key &- lastKey)
    lastKey = key
    count += 1
    entities |= 1 << (UInt64(entity) & 63)
  }

  private mutating func beginChunk() {
    chunkStarts.append(bytes.count)
    bytes.append(Self.version)
    lastKey = 0
  }

  private mutating func pack<Row: RowValues & ~Copyable>(
    _ preserved: UInt64,
    in row: borrowing Row,
    from first: Int32
  ) {
    var column = first
    var left = preserved
    while left != 0 {
      pack(UInt8(left.trailingZeroBitCount), in: row, column)
      left &= left - 1
      column += 1
    }
  }

  private mutating func pack<Row: RowValues & ~Copyable>(
    _ attribute: UInt8,
    in row: borrowing Row,
    _ column: Int32
  ) {
    switch row.storage(column) {
    case .null: break
    case .integer:
      bytes.append(attribute)
      bytes.append(Tombstone.Tag.integer.rawValue)
      bytes.append(zigzag: row.int(column))
    case .real:
      bytes.append(attribute)
      bytes.append(Tombstone.Tag.real.rawValue)
      bytes.append(double: row.real(column))
    case .text: pack(attribute, .text, row.bytes(column))
    case .blob: pack(attribute, .blob, row.bytes(column))
    }
  }

  private mutating func pack(
    _ attribute: UInt8,
    _ tag: Tombstone.Tag,
    _ value: UnsafeRawBufferPointer
  ) {
    bytes.append(attribute)
    bytes.append(tag.rawValue)
    bytes.append(varint: UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Moves what was packed since a position behind its length.
  private mutating func insertLength(of start: Int) {
    let length = bytes.count - start
    bytes.insert(varint: UInt64(length), at: start)
  }
}

import HistoryStore
import HistoryTypes

/// The registered objects of one entity: a hash map from their keys to packed rows in one array of bytes.
///
/// A record consists of the key, the version and the ``PackedRow`` of one object. Rows are not
/// allocated one by one, and a text is in memory once, as its bytes. A changed row that no longer fits
/// moves to the end; when a quarter of the bytes is unused, the records are moved together.
struct EntityTable: Sendable {
  private let types: [AttributeType]
  private var bytes: [UInt8] = []
  /// For each entry of the hash map, the place of a record in units of ``unit``, plus 1; 0 if it is free.
  ///
  /// The table uses linear probing, as ``SlotIndex`` does, and is at most three quarters full.
  private var entries = [UInt32](repeating: 0, count: 8)
  /// The number of bits by which a key's product is shifted to yield an entry's position.
  private var shift: UInt64 = 61
  /// The number of objects.
  private(set) var count = 0
  /// The number of bytes of removed and moved records.
  private var unusedCount = 0
  /// A buffer for one row, kept so that a save allocates no memory for each row.
  private var scratch: [UInt8] = []

  /// Records start at multiples of this number of bytes, so that 32 bits address 16 GiB.
  private static let unit = 4
  /// The least number of bytes of a version, so that a save in a store of few transactions finds room for
  /// the next version.
  private static let versionByteCountMin = 3
  /// The least number of unused bytes for which moving the records pays.
  private static let unusedMin = 256

  init(types: [AttributeType]) {
    self.types = types
  }

  /// The keys of the objects, in no particular order.
  var keys: [Int64] {
    bytes.withUnsafeBytes { bytes in
      entries.lazy.filter { $0 != 0 }.map { Record(at: $0, in: bytes).key }
    }
  }

  // A call that is not inlined would retain and release each array of the table.
  @inline(__always)
  func contains(_ key: Int64) -> Bool { entries[position(of: key)] != 0 }

  /// Returns the version of an object's row, or `nil` if the object is not registered.
  @inline(__always)
  func version(of key: Int64) -> Int64? { withRecord(of: key) { $0.version } }

  /// Returns the committed value of an attribute, or `nil` if the object is not registered.
  func value(_ attribute: Int, of key: Int64) -> Value? {
    withRecord(of: key) { PackedRow.value(attribute, in: $0.row, of: types) }
  }

  /// Returns the committed values of an object, or `nil` if the object is not registered.
  func row(of key: Int64) -> [Value]? {
    withRecord(of: key) { PackedRow.values(in: $0.row, of: types) }
  }

  /// Calls a closure with the key and the values of each object, in no particular order.
  func visitRows(_ body: (Int64, [Value]) -> Void) {
    bytes.withUnsafeBytes { bytes in
      for entry in entries where entry != 0 {
        let record = Record(at: entry, in: bytes)
        body(record.key, PackedRow.values(in: record.row, of: types))
      }
    }
  }

  // MARK: Changes

  /// Registers or refreshes an object.
  mutating func put(_ key: Int64, version: Int64, _ row: ArraySlice<Value>) {
    let start = beginRecord(key, version)
    PackedRow.append(row, of: types, to: &bytes)
    endRecord(key, from: start, at: position(of: key))
  }

  /// Replaces the rows of registered objects with those of a batch; other rows of the batch are ignored.
  mutating func refresh(_ batch: RowBatch) {
    for index in batch.keys.indices where contains(batch.keys[index]) { put(batch, index) }
  }

  /// Registers or refreshes the objects of a batch.
  ///
  /// An empty table reserves capacity for a quarter more rows, so that adding a few does not copy all rows.
  mutating func put(_ batch: RowBatch) {
    if count == 0 {
      let recordBytes = batch.bytes.count + batch.keys.count * Self.headerSize
      bytes.reserveCapacity(recordBytes + recordBytes / 4)
    }
    for index in batch.keys.indices { put(batch, index) }
  }

  /// The usual size of a record's key, version and padding, in bytes.
  private static let headerSize = 8

  private mutating func put(_ batch: RowBatch, _ index: Int) {
    let key = batch.keys[index]
    let start = beginRecord(key, batch.versions[index])
    bytes.append(contentsOf: batch.bytes[batch.byteRange(of: index)])
    endRecord(key, from: start, at: position(of: key))
  }

  /// Sets some attributes of a registered object to values, one for each bit of `columns`.
  mutating func set(_ columns: UInt64, _ given: [Value], version: Int64, of key: Int64) {
    let position = position(of: key)
    let entry = entries[position]
    guard entry != 0, !replace(columns, given, version, at: entry) else { return }
    var row: [UInt8] = []
    swap(&row, &scratch)
    row.removeAll(keepingCapacity: true)
    bytes.withUnsafeBytes { bytes in
      let old = Record(at: entry, in: bytes).row
      PackedRow.append(old, setting: columns, to: given, of: types, to: &row)
    }
    let start = beginRecord(key, version)
    bytes.append(contentsOf: row)
    swap(&row, &scratch)
    endRecord(key, from: start, at: position)
  }

  /// Sets attributes in place if the new values fit into the bytes of the old values.
  private mutating func replace(
    _ columns: UInt64,
    _ given: [Value],
    _ version: Int64,
    at entry: UInt32
  ) -> Bool {
    bytes.withUnsafeMutableBytes { bytes in
      var place = Self.address(of: entry, in: UnsafeRawBufferPointer(bytes))
      _ = PackedRow.varint(at: &place)
      let start = place
      _ = PackedRow.varint(at: &place)
      return PackedRow.replace(columns, with: given, in: .init(mutating: place), of: types)
        && PackedRow.replace(
          UnsafeMutableRawPointer(mutating: start),
          place - start,
          with: ByteWriter.zigzag(version)
        )
    }
  }

  /// Removes an object, and returns whether it was registered.
  @discardableResult
  mutating func remove(_ key: Int64) -> Bool {
    var hole = position(of: key)
    guard entries[hole] != 0 else { return false }
    unusedCount += size(of: entries[hole])
    count -= 1
    // Move up the entries whose search path crosses the hole, so that every search still finds its
    // key.
    var next = after(hole)
    while entries[next] != 0 {
      let home = home(of: self.key(of: entries[next]))
      if distance(home, next) >= distance(hole, next) {
        entries[hole] = entries[next]
        hole = next
      }
      next = after(next)
    }
    entries[hole] = 0
    compactIfNeeded()
    return true
  }

  /// Removes all objects, and frees their memory.
  mutating func removeAll() { self = EntityTable(types: types) }

  // MARK: Records

  /// One object's record in the bytes of a table.
  private struct Record {
    let key: Int64
    let version: Int64
    let row: UnsafeRawPointer

    init(at entry: UInt32, in bytes: UnsafeRawBufferPointer) {
      var place = EntityTable.address(of: entry, in: bytes)
      key = PackedRow.zigzag(at: &place)
      version = PackedRow.zigzag(at: &place)
      row = place
    }
  }

  private static func address(
    of entry: UInt32,
    in bytes: UnsafeRawBufferPointer
  ) -> UnsafeRawPointer {
    guard let start = bytes.baseAddress else {
      fatalError("An entry of a table of registered objects has no record.")
    }
    return start + (Int(entry) - 1) * unit
  }

  @inline(__always)
  private func withRecord<Result>(of key: Int64, _ body: (Record) -> Result) -> Result? {
    let entry = entries[position(of: key)]
    guard entry != 0 else { return nil }
    return bytes.withUnsafeBytes { body(Record(at: entry, in: $0)) }
  }

  private func key(of entry: UInt32) -> Int64 {
    bytes.withUnsafeBytes { bytes in
      var place = Self.address(of: entry, in: bytes)
      return PackedRow.zigzag(at: &place)
    }
  }

  /// Returns the number of bytes of a record, including those up to the next one.
  private func size(of entry: UInt32) -> Int {
    bytes.withUnsafeBytes { bytes in
      let row = Record(at: entry, in: bytes).row
      let end = row + PackedRow.byteCount(of: row, types)
      return Self.rounded(end - Self.address(of: entry, in: bytes))
    }
  }

  private static func rounded(_ count: Int) -> Int { (count + unit - 1) / unit * unit }

  /// Appends the key and the version of a record, and returns the place of the record.
  private mutating func beginRecord(_ key: Int64, _ version: Int64) -> Int {
    let start = bytes.count
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * PackedRow.numberByteCountMax) {
      room in
      guard let begin = room.baseAddress else { return }
      let end = ByteWriter.put(
        ByteWriter.zigzag(version),
        countMin: Self.versionByteCountMin,
        at: ByteWriter.put(ByteWriter.zigzag(key), at: begin)
      )
      bytes.append(contentsOf: UnsafeBufferPointer(start: begin, count: end - begin))
    }
    return start
  }

  /// Ends the record at the end of the bytes, and makes the entry at a position refer to it.
  ///
  /// A record that is as long as the object's previous record overwrites it.
  private mutating func endRecord(_ key: Int64, from start: Int, at position: Int) {
    while bytes.count % Self.unit != 0 { bytes.append(0) }
    let entry = entries[position]
    guard entry != 0 else { return add(key, start, at: position) }
    let (old, size) = ((Int(entry) - 1) * Self.unit, size(of: entry))
    if bytes.count - start == size {
      bytes.withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[old..<old + size])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start...]))
      }
      bytes.removeLast(size)
    } else {
      entries[position] = Self.entry(of: start)
      unusedCount += size
      compactIfNeeded()
    }
  }

  private static func entry(of start: Int) -> UInt32 {
    guard let entry = UInt32(exactly: start / unit + 1) else {
      fatalError(
        "The registered objects of one entity take more than 16 GiB: release some of them."
      )
    }
    return entry
  }

  private mutating func add(_ key: Int64, _ start: Int, at free: Int) {
    var position = free
    if (count + 1) * 4 > entries.count * 3 {
      grow()
      position = self.position(of: key)
    }
    entries[position] = Self.entry(of: start)
    count += 1
  }

  private mutating func compactIfNeeded() {
    if unusedCount > Self.unusedMin, unusedCount > bytes.count / 4 { compact() }
  }

  /// Closes the gaps between the records; their order stays the same.
  private mutating func compact() {
    let used = entries.indices.filter { entries[$0] != 0 }
      .sorted { entries[$0] < entries[$1] }
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count - unusedCount)
    for position in used {
      let start = (Int(entries[position]) - 1) * Self.unit
      let end = start + size(of: entries[position])
      entries[position] = Self.entry(of: kept.count)
      kept.append(contentsOf: bytes[start..<end])
    }
    bytes = kept
    unusedCount = 0
  }

  // MARK: Hashing

  /// Returns the position of a key's entry, or of the free entry where it would be added.
  @inline(__always)
  private func position(of key: Int64) -> Int {
    bytes.withUnsafeBytes { bytes in
      var position = home(of: key)
      while entries[position] != 0 {
        var place = Self.address(of: entries[position], in: bytes)
        if PackedRow.zigzag(at: &place) == key { break }
        position = after(position)
      }
      return position
    }
  }

  /// Returns the position at which the search for a key starts (multiplicative hashing, Knuth 6.4).
  private func home(of key: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  private func after(_ position: Int) -> Int { (position &+ 1) & (entries.count &- 1) }

  /// Returns the number of positions from one entry to another, wrapping around at the end.
  private func distance(_ from: Int, _ to: Int) -> Int { (to &- from) & (entries.count &- 1) }

  private mutating func grow() {
    let old = entries
    entries = [UInt32](repeating: 0, count: old.count * 2)
    shift -= 1
    for entry in old where entry != 0 {
      entries[position(of: key(of: entry))] = entry
    }
  }
}

import HistoryStore
import HistoryTypes

/// The registered objects of one entity: a hash map from their keys to packed rows in one array of bytes.
///
/// Each object has a ``PackedRecord`` in the array: rows need no allocations of their own, and text
/// is stored only as its bytes. A changed row that no longer fits into its record moves to the end
/// of the array. The table is compacted when more than a quarter of the bytes is unused.
struct EntityTable: Sendable {
  private let types: [AttributeType]
  private var bytes: [UInt8] = []
  /// The hash map: each entry locates a record in ``bytes``, and 0 marks a free entry.
  ///
  /// The value of a used entry is the record's offset in units of ``unit`` bytes, plus 1.
  ///
  /// The table uses linear probing, as ``SlotIndex`` does, and is at most three quarters full.
  private var entries = [UInt32](repeating: 0, count: 8)
  /// The number of bits by which the hash of a key is shifted to get an index of `entries`.
  private var shift: UInt64 = 61
  /// The number of objects.
  private(set) var count = 0
  /// The number of bytes of removed and moved records.
  private var unusedCount = 0
  /// A buffer for one row, kept so that a save allocates no memory for each row.
  private var scratch: [UInt8] = []

  /// Records are aligned to this number of bytes, so that 32 bits address 16 GiB.
  private static var unit: Int { PackedRecord.unit }
  /// The number of unused bytes up to which the table is not compacted.
  private static let unusedMin = 256
  /// The number of entries of the hash map below which it does not shrink.
  private static let entryMin = 1024

  init(types: [AttributeType]) {
    self.types = types
  }

  /// The keys of the objects, in no particular order.
  var keys: [Int64] {
    bytes.withUnsafeBytes { bytes in
      entries.lazy.filter { $0 != 0 }.map { Self.record($0, in: bytes).key }
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
        let record = Self.record(entry, in: bytes)
        body(record.key, PackedRow.values(in: record.row, of: types))
      }
    }
  }

  // MARK: Changes

  /// Registers or refreshes an object.
  mutating func put(_ key: Int64, version: Int64, _ row: ArraySlice<Value>) {
    let start = PackedRecord.begin(key, version, in: &bytes)
    PackedRow.append(row, of: types, to: &bytes)
    endRecord(key, from: start, at: position(of: key))
  }

  /// Replaces the rows of registered objects with those of a batch; other rows of the batch are ignored.
  mutating func refresh(_ batch: RowBatch) {
    batch.bytes.withUnsafeBytes { bytes in
      PackedRecord.visit(bytes, batch.types) { record, byteCount in
        if contains(PackedRecord.key(at: record)) { put(record, byteCount) }
      }
    }
  }

  /// Registers or refreshes the objects of a batch.
  ///
  /// An empty table takes over the batch's records without copying them.
  mutating func put(_ batch: RowBatch) {
    guard count == 0 else {
      return batch.bytes.withUnsafeBytes { PackedRecord.visit($0, batch.types) { put($0, $1) } }
    }
    bytes = batch.bytes
    unusedCount = 0
    reserve(batch.count)
    batch.bytes.withUnsafeBytes { bytes in
      var start = 0
      PackedRecord.visit(bytes, batch.types) { record, byteCount in
        let key = PackedRecord.key(at: record)
        place(key, start, at: position(of: key))
        start += byteCount
      }
    }
  }

  /// Registers or refreshes the object whose record lies in memory outside of the table.
  ///
  /// The record is copied over the object's previous record if both are equally long; otherwise it
  /// is appended.
  private mutating func put(_ record: UnsafeRawPointer, _ byteCount: Int) {
    let key = PackedRecord.key(at: record)
    let position = position(of: key)
    let entry = entries[position]
    if entry != 0, size(of: entry) == byteCount {
      bytes.withUnsafeMutableBytes { bytes in
        let old = Self.address(of: entry, in: UnsafeRawBufferPointer(bytes))
        UnsafeMutableRawPointer(mutating: old).copyMemory(from: record, byteCount: byteCount)
      }
    } else {
      let start = bytes.count
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: record, count: byteCount))
      place(key, start, at: position)
    }
  }

  /// Sets the attributes of a registered object whose bits are set in `columns`.
  ///
  /// `given` contains one value for each set bit.
  mutating func set(_ columns: UInt64, _ given: [Value], version: Int64, of key: Int64) {
    let position = position(of: key)
    let entry = entries[position]
    guard entry != 0, !replace(columns, given, version, at: entry) else { return }
    var row: [UInt8] = []
    swap(&row, &scratch)
    row.removeAll(keepingCapacity: true)
    bytes.withUnsafeBytes { bytes in
      let old = Self.record(entry, in: bytes).row
      PackedRow.append(old, setting: columns, to: given, of: types, to: &row)
    }
    let start = PackedRecord.begin(key, version, in: &bytes)
    bytes.append(contentsOf: row)
    swap(&row, &scratch)
    endRecord(key, from: start, at: position)
  }

  /// Sets attributes in place; returns `false` if a new value does not fit into the old bytes.
  private mutating func replace(
    _ columns: UInt64,
    _ given: [Value],
    _ version: Int64,
    at entry: UInt32
  ) -> Bool {
    bytes.withUnsafeMutableBytes { bytes in
      var place = Self.address(of: entry, in: UnsafeRawBufferPointer(bytes))
      place += PackedRecord.sizeByteCount
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
    defer { compactIfNeeded() }
    return removeEntry(of: key)
  }

  /// Removes some objects, and compacts the table at most once.
  mutating func remove(_ keys: some Sequence<Int64>) {
    for key in keys { removeEntry(of: key) }
    compactIfNeeded()
  }

  @discardableResult
  private mutating func removeEntry(of key: Int64) -> Bool {
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
    return true
  }

  /// Removes all objects, and frees their memory.
  mutating func removeAll() { self = EntityTable(types: types) }

  // MARK: Records

  private static func record(_ entry: UInt32, in bytes: UnsafeRawBufferPointer) -> PackedRecord {
    PackedRecord(at: address(of: entry, in: bytes))
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
  private func withRecord<Result>(of key: Int64, _ body: (PackedRecord) -> Result) -> Result? {
    let entry = entries[position(of: key)]
    guard entry != 0 else { return nil }
    return bytes.withUnsafeBytes { body(Self.record(entry, in: $0)) }
  }

  private func key(of entry: UInt32) -> Int64 {
    bytes.withUnsafeBytes { PackedRecord.key(at: Self.address(of: entry, in: $0)) }
  }

  /// Returns the number of bytes of a record, including the padding after it.
  private func size(of entry: UInt32) -> Int {
    bytes.withUnsafeBytes { PackedRecord.byteCount(at: Self.address(of: entry, in: $0), types) }
  }

  /// Finishes the last record in ``bytes``, and makes an entry of the hash map refer to it.
  ///
  /// A record that is as long as the object's previous record overwrites it.
  private mutating func endRecord(_ key: Int64, from start: Int, at position: Int) {
    PackedRecord.end(in: &bytes, from: start)
    let entry = entries[position]
    guard entry != 0 else { return add(key, start, at: position) }
    let (old, size) = ((Int(entry) - 1) * Self.unit, size(of: entry))
    guard bytes.count - start == size else { return place(key, start, at: position) }
    bytes.withUnsafeMutableBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[old..<old + size])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
    bytes.removeLast(size)
  }

  /// Makes the entry at an index of ``entries`` refer to the record at an offset in ``bytes``.
  private mutating func place(_ key: Int64, _ start: Int, at position: Int) {
    let entry = entries[position]
    guard entry != 0 else { return add(key, start, at: position) }
    unusedCount += size(of: entry)
    entries[position] = Self.entry(of: start)
    compactIfNeeded()
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
      resize(to: entries.count * 2)
      position = self.position(of: key)
    }
    entries[position] = Self.entry(of: start)
    count += 1
  }

  private mutating func compactIfNeeded() {
    if unusedCount > Self.unusedMin, unusedCount > bytes.count / 4 { compact() }
  }

  /// Closes the gaps between the records, whose order stays the same, and shrinks a large hash map.
  private mutating func compact() {
    // Shrink a sparse map, because each call of this method visits all entries.
    while entries.count > Self.entryMin, count * 8 < entries.count {
      resize(to: max(Self.entryMin, entries.count / 4))
    }
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
        if PackedRecord.key(at: Self.address(of: entries[position], in: bytes)) == key { break }
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

  /// Makes the hash map large enough for a number of objects.
  private mutating func reserve(_ objectCount: Int) {
    var capacity = entries.count
    while objectCount * 4 > capacity * 3 { capacity *= 2 }
    if capacity > entries.count { resize(to: capacity) }
  }

  /// Moves all entries to a hash map with `capacity` entries, which must be a power of two.
  private mutating func resize(to capacity: Int) {
    let old = entries
    entries = [UInt32](repeating: 0, count: capacity)
    shift = UInt64(64 - capacity.trailingZeroBitCount)
    for entry in old where entry != 0 {
      entries[position(of: key(of: entry))] = entry
    }
  }
}

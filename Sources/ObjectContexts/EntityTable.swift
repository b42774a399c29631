import HistoryStore
import HistoryTypes

/// The registered objects of one entity: a map from their keys to rows in one flat array.
///
/// Rows are not allocated one by one; the slot of a removed row is reused.
struct EntityTable: Sendable {
  private let width: Int
  private(set) var slots = SlotIndex()
  private var versions: [Int64] = []
  private var values: [Value] = []
  private var free: [Int] = []

  init(width: Int) {
    self.width = width
  }

  /// Returns the version of an object's row, or `nil` if the object is not registered.
  func version(of key: Int64) -> Int64? {
    slots[key].map { versions[$0] }
  }

  /// Returns the slot and version of an object's row, or `nil` if the object is not registered.
  func known(_ key: Int64) -> (place: Int, version: Int64)? {
    slots[key].map { ($0, versions[$0]) }
  }

  /// Returns the registered values of the given rows, with which rows read again are compared.
  func known(_ entity: Int32, _ rows: [RowToRead]) -> KnownRows {
    KnownRows(entity: entity, keys: rows.map(\.key), places: rows.map(\.place), values: values)
  }

  /// Returns the committed value of an attribute, or `nil` if the object is not registered.
  func value(_ attribute: Int, of key: Int64) -> Value? {
    slots[key].map { values[$0 * width + attribute] }
  }

  /// Returns the committed values of an object, or `nil` if the object is not registered.
  func row(of key: Int64) -> ArraySlice<Value>? {
    slots[key].map { values[$0 * width..<($0 + 1) * width] }
  }

  /// Registers or refreshes an object, and returns whether it was not registered before.
  @discardableResult
  mutating func put(_ key: Int64, version: Int64, _ row: ArraySlice<Value>) -> Bool {
    if let slot = slots[key] {
      versions[slot] = version
      values.replaceSubrange(slot * width..<(slot + 1) * width, with: row)
      return false
    }
    if let slot = free.popLast() {
      slots.insert(key, slot)
      versions[slot] = version
      values.replaceSubrange(slot * width..<(slot + 1) * width, with: row)
    } else {
      slots.insert(key, versions.count)
      versions.append(version)
      values.append(contentsOf: row)
    }
    return true
  }

  /// Replaces the rows of registered objects with those of a batch; other rows of the batch are ignored.
  mutating func refresh(_ batch: RowBatch) {
    for (index, key) in batch.keys.enumerated() where slots[key] != nil {
      put(key, version: batch.versions[index], batch.values[index * width..<(index + 1) * width])
    }
  }

  /// Sets some attributes of a registered object to values, one for each bit of `columns`.
  mutating func set(_ columns: UInt64, _ given: [Value], version: Int64, of key: Int64) {
    guard let slot = slots[key] else { return }
    versions[slot] = version
    var left = columns
    for value in given {
      values[slot * width + left.trailingZeroBitCount] = value
      left &= left - 1
    }
  }

  /// Removes an object, and returns whether it was registered.
  @discardableResult
  mutating func remove(_ key: Int64) -> Bool {
    guard let slot = slots.remove(key) else { return false }
    for attribute in 0..<width { values[slot * width + attribute] = .null }
    free.append(slot)
    return true
  }

  /// Removes all objects.
  mutating func removeAll() {
    slots.removeAll()
    versions.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
  }

  /// Registers every row of a batch.
  ///
  /// An empty table reserves capacity for a quarter more rows, so that adding a few does not copy all rows.
  mutating func put(_ batch: consuming RowBatch) {
    if versions.isEmpty { reserve(batch.keys.count + batch.keys.count / 4) }
    let places = batch.keys.indices.map { index in
      place(of: batch.keys[index], version: batch.versions[index])
    }
    let width = width
    batch.withValues { rows in
      values.withUnsafeMutableBufferPointer { values in
        for (index, place) in places.enumerated() {
          // Swapping values avoids the reference counting of a copy.
          for attribute in 0..<width {
            swap(&values[place * width + attribute], &rows[index * width + attribute])
          }
        }
      }
    }
  }

  /// Applies rows that were read again, given as their differences from the registered rows.
  mutating func put(_ differences: consuming RowDifferences) {
    let rows = differences.rows
    let places = rows.map { row in
      if row.place < 0 { return place(of: row.key, version: row.version) }
      versions[row.place] = row.version
      return row.place
    }
    let width = width
    differences.withValues { read in
      values.withUnsafeMutableBufferPointer { values in
        var next = 0
        for (row, place) in zip(rows, places) {
          var left = row.columns
          while left != 0 {
            // Swapping values avoids the reference counting of a copy.
            swap(&values[place * width + left.trailingZeroBitCount], &read[next])
            next += 1
            left &= left - 1
          }
        }
      }
    }
  }

  private mutating func reserve(_ rowCount: Int) {
    versions.reserveCapacity(rowCount)
    values.reserveCapacity(rowCount * width)
  }

  /// Sets the version of an object's row and returns its slot, adding a row of nulls if needed.
  private mutating func place(of key: Int64, version: Int64) -> Int {
    if let slot = slots[key] {
      versions[slot] = version
      return slot
    }
    if let slot = free.popLast() {
      slots.insert(key, slot)
      versions[slot] = version
      return slot
    }
    let slot = versions.count
    slots.insert(key, slot)
    versions.append(version)
    values.append(contentsOf: repeatElement(.null, count: width))
    return slot
  }
}

/// A row to read again from the store.
struct RowToRead {
  let key: Int64
  /// The slot of the registered row, or a negative number if there is none.
  let place: Int
}

/// A hash map from the keys of an entity to the slots of its rows.
///
/// Keys come from the store, mostly consecutive, so one multiplication distributes them well.
/// Swift's randomized hashing has no advantage here, and took a quarter of the time of a merge. The
/// table uses linear probing and is at most half full (Knuth, The Art of Computer Programming,
/// volume 3, 6.4, algorithms L and R).
struct SlotIndex: Sendable {
  private struct Entry {
    var key: Int64
    /// The slot of the row, or a negative number if the entry is free.
    var slot: Int

    static let free = Entry(key: 0, slot: -1)
  }

  private var entries = [Entry](repeating: .free, count: 8)
  /// The number of bits by which a key's product is shifted to yield an entry's position.
  private var shift: UInt64 = 61
  /// The number of keys.
  private(set) var count = 0

  /// The keys, in no particular order.
  var keys: some Sequence<Int64> { entries.lazy.filter { $0.slot >= 0 }.map(\.key) }

  /// The slot of a key's row, or `nil` if the key is not in the map.
  subscript(key: Int64) -> Int? {
    @inline(__always) get {
      let slot = entries[position(of: key)].slot
      return slot < 0 ? nil : slot
    }
  }

  /// Adds a key that is not in the map yet.
  mutating func insert(_ key: Int64, _ slot: Int) {
    if (count + 1) * 2 > entries.count { grow() }
    entries[position(of: key)] = Entry(key: key, slot: slot)
    count += 1
  }

  /// Removes a key, and returns its slot, or `nil` if the key is not in the map.
  mutating func remove(_ key: Int64) -> Int? {
    var hole = position(of: key)
    let slot = entries[hole].slot
    guard slot >= 0 else { return nil }
    // Move up the entries whose search path crosses the hole, so that every search still finds its
    // key.
    var next = after(hole)
    while entries[next].slot >= 0 {
      let home = home(of: entries[next].key)
      if distance(home, next) >= distance(hole, next) {
        entries[hole] = entries[next]
        hole = next
      }
      next = after(next)
    }
    entries[hole] = .free
    count -= 1
    return slot
  }

  /// Removes all keys, in time linear in their number.
  ///
  /// A map with room for far more keys than it holds is replaced by a new one instead of cleared.
  mutating func removeAll() {
    guard entries.count <= max(1024, count * 8) else {
      self = SlotIndex()
      return
    }
    for position in entries.indices { entries[position] = .free }
    count = 0
  }

  /// Returns the position of a key's entry, or of the free entry where it would be inserted.
  @inline(__always)
  private func position(of key: Int64) -> Int {
    var position = home(of: key)
    while entries[position].slot >= 0, entries[position].key != key { position = after(position) }
    return position
  }

  /// Returns the position at which the search for a key starts (multiplicative hashing, Knuth 6.4).
  @inline(__always)
  private func home(of key: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  @inline(__always)
  private func after(_ position: Int) -> Int { (position &+ 1) & (entries.count &- 1) }

  /// Returns the number of positions from one entry to another, wrapping around at the end.
  private func distance(_ from: Int, _ to: Int) -> Int { (to &- from) & (entries.count &- 1) }

  private mutating func grow() {
    let old = entries
    entries = [Entry](repeating: .free, count: old.count * 2)
    shift -= 1
    for entry in old where entry.slot >= 0 { entries[position(of: entry.key)] = entry }
  }
}

extension [MergedChange] {
  private static let digitBits: UInt64 = 11
  /// The number of elements below which a comparison sort is faster than a radix sort.
  private static let countedMin = 128

  /// Sorts by key with a radix sort, starting at the least significant digit.
  ///
  /// The keys of one merge usually differ in few digits (Knuth, The Art of Computer Programming,
  /// volume 3, 5.2.5).
  mutating func sortByKey() {
    guard count >= Self.countedMin, let first else { return sort { $0.key < $1.key } }
    var least = first.key
    var greatest = first.key
    for change in self {
      least = Swift.min(least, change.key)
      greatest = Swift.max(greatest, change.key)
    }
    let span = UInt64(bitPattern: greatest &- least)
    var other = self
    var shift: UInt64 = 0
    while shift < UInt64.bitWidth, span >> shift > 0 {
      self.distribute(into: &other, by: shift, from: least)
      swap(&self, &other)
      shift += Self.digitBits
    }
  }

  /// Sorts the elements by one digit of the key, stably (a counting sort).
  private func distribute(into sorted: inout Self, by shift: UInt64, from least: Int64) {
    let mask = 1 << Self.digitBits - 1 as UInt64
    func digit(_ change: MergedChange) -> Int {
      Int(truncatingIfNeeded: (UInt64(bitPattern: change.key &- least) &>> shift) & mask)
    }
    withUnsafeTemporaryAllocation(of: Int.self, capacity: Int(mask) + 1) { places in
      places.initialize(repeating: 0)
      for change in self { places[digit(change)] += 1 }
      var sum = 0
      for place in places.indices { (places[place], sum) = (sum, sum + places[place]) }
      for change in self {
        let digit = digit(change)
        sorted[places[digit]] = change
        places[digit] += 1
      }
    }
  }
}

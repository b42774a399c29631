/// A hash map from the keys of an entity to small numbers (slots), such as indices of an array.
///
/// Keys come from the store, mostly consecutive, so one multiplication distributes them well.
/// Swift's randomized hashing has no advantage here, and took a quarter of the time of a merge. The
/// table uses linear probing and is at most half full (Knuth, The Art of Computer Programming,
/// volume 3, 6.4, algorithms L and R).
struct SlotIndex: Sendable {
  private struct Entry {
    var key: Int64
    /// The number that the map stores for the key; negative if the entry is free.
    var slot: Int

    static let free = Entry(key: 0, slot: -1)
  }

  private var entries = [Entry](repeating: .free, count: 8)
  /// The number of bits by which a key, multiplied by a constant, is shifted to get its position.
  private var shift: UInt64 = 61
  /// The number of keys.
  private(set) var count = 0

  /// The keys, in no particular order.
  var keys: some Sequence<Int64> { entries.lazy.filter { $0.slot >= 0 }.map(\.key) }

  /// The number stored for a key, or `nil` if the key is not in the map.
  subscript(key: Int64) -> Int? {
    @inline(__always) get {
      let slot = entries[position(of: key)].slot
      return slot < 0 ? nil : slot
    }
  }

  /// Adds a key that is not in the map yet.
  mutating func insert(_ key: Int64, _ slot: Int) {
    reserve(1)
    entries[position(of: key)] = Entry(key: key, slot: slot)
    count += 1
  }

  /// Adds `number` to the number stored for a key; a missing key is inserted with `number` itself.
  ///
  /// The new number must not be negative.
  mutating func add(_ number: Int, to key: Int64) {
    reserve(1)
    let position = position(of: key)
    if entries[position].slot < 0 {
      entries[position] = Entry(key: key, slot: number)
      count += 1
    } else {
      entries[position].slot += number
    }
  }

  /// Makes room for more keys.
  mutating func reserve(_ keyCount: Int) {
    var capacity = entries.count
    while (count + keyCount) * 2 > capacity { capacity *= 2 }
    if capacity > entries.count { resize(to: capacity) }
  }

  /// Removes a key, and returns its number, or `nil` if the key is not in the map.
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
    if entries.count > 1024, count * 16 < entries.count { resize(to: entries.count / 4) }
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

  private mutating func resize(to capacity: Int) {
    let old = entries
    entries = [Entry](repeating: .free, count: capacity)
    shift = UInt64(64 - capacity.trailingZeroBitCount)
    for entry in old where entry.slot >= 0 { entries[position(of: entry.key)] = entry }
  }
}

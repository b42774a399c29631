/// Where the rows of an entity lie: a map from keys to places in an array.
///
/// Keys come from the store, mostly one after the other, so that one multiplication spreads them and
/// nothing is gained by Swift's randomized hashing, which was a quarter of a merge's own time.
/// Linear probing in a table that is at most half full (Knuth, The Art of Computer Programming,
/// volume 3, 6.4, algorithms L and R).
struct SlotIndex: Sendable {
  private struct Entry {
    var key: Int64
    /// The place, or less than 0 when the entry is free.
    var slot: Int

    static let free = Entry(key: 0, slot: -1)
  }

  private var entries = [Entry](repeating: .free, count: 8)
  /// How far a product is shifted to become the position of an entry.
  private var shift: UInt64 = 61
  /// How many keys there are.
  private(set) var count = 0

  /// The keys, in no particular order.
  var keys: some Sequence<Int64> { entries.lazy.filter { $0.slot >= 0 }.map(\.key) }

  /// The place of a key's row, or nothing.
  subscript(key: Int64) -> Int? {
    @inline(__always) get {
      let slot = entries[position(of: key)].slot
      return slot < 0 ? nil : slot
    }
  }

  /// Notes the place of a key that is not there yet.
  mutating func insert(_ key: Int64, _ slot: Int) {
    if (count + 1) * 2 > entries.count { grow() }
    entries[position(of: key)] = Entry(key: key, slot: slot)
    count += 1
  }

  /// Forgets a key, and answers the place that it had.
  mutating func remove(_ key: Int64) -> Int? {
    var hole = position(of: key)
    let slot = entries[hole].slot
    guard slot >= 0 else { return nil }
    // What was pushed behind the hole by it moves up, so that every search still ends at its key.
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

  /// Forgets every key.
  mutating func removeAll() {
    for position in entries.indices { entries[position] = .free }
    count = 0
  }

  /// The position of a key, or of the free entry where it would be.
  @inline(__always)
  private func position(of key: Int64) -> Int {
    var position = home(of: key)
    while entries[position].slot >= 0, entries[position].key != key { position = after(position) }
    return position
  }

  /// Where the search for a key begins (multiplicative hashing, Knuth 6.4).
  @inline(__always)
  private func home(of key: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  @inline(__always)
  private func after(_ position: Int) -> Int { (position &+ 1) & (entries.count &- 1) }

  /// How far one position lies behind another, round the end.
  private func distance(_ from: Int, _ to: Int) -> Int { (to &- from) & (entries.count &- 1) }

  private mutating func grow() {
    let old = entries
    entries = [Entry](repeating: .free, count: old.count * 2)
    shift -= 1
    for entry in old where entry.slot >= 0 { entries[position(of: entry.key)] = entry }
  }
}

/// A small seeded generator (splitmix64) for the random bytes that SQLite requests from its VFS.
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Fills a buffer with the next bytes.
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    var word: UInt64 = 0
    for index in buffer.indices {
      if index % 8 == 0 { word = next() }
      buffer[index] = UInt8(truncatingIfNeeded: word)
      word >>= 8
    }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

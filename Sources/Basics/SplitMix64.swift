/// A small random generator whose numbers depend on its seed alone.
///
/// The draws do not use the standard library's algorithms, so that a seed recorded today gives the
/// same numbers under a later toolchain. Source: Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  /// The difference between consecutive states: 2^64 divided by the golden ratio, made odd.
  package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// Returns the random number for a state of the generator.
  ///
  /// The function is a bijection in which every input bit affects every output bit.
  package static func mixed(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }

  /// Returns a random index in `0..<count`; `count` must be positive.
  package mutating func index(below count: Int) -> Int {
    precondition(count > 0, "index(below: \(count)): the count must be positive")
    return Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// Returns a random number in `0..<1`.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a random order of the indices `0..<count` (Fisher and Yates).
  package mutating func order(of count: Int) -> [Int] {
    var order = Array(0..<count)
    guard count > 1 else { return order }
    for last in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(last, index(below: last + 1))
    }
    return order
  }

  /// Fills a buffer with the bytes of the next random numbers, the lowest byte of each first.
  package mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    var word: UInt64 = 0
    for index in buffer.indices {
      if index % 8 == 0 { word = next() }
      buffer[index] = UInt8(truncatingIfNeeded: word)
      word >>= 8
    }
  }
}

extension Sequence<UInt8> {
  /// The FNV-1a hash of the bytes, which is the same on every machine and in every run.
  ///
  /// It is not cryptographic: other bytes with the same hash are easy to find
  /// (http://www.isthe.com/chongo/tech/comp/fnv/).
  package var stableHash: UInt64 {
    reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

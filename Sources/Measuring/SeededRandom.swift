/// A small random generator (SplitMix64) whose stream is determined by one seed.
///
/// The draws are implemented here instead of using the standard library's, so that a seed recorded
/// today gives the same order of measurements under a later toolchain.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the generator for a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns an index in `0..<count`; `count` must be positive.
  package mutating func index(below count: Int) -> Int {
    precondition(count > 0, "an index below \(count) does not exist")
    return Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// Returns a number in `0..<1`.
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
}

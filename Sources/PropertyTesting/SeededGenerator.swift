/// A seeded random number generator with the same output on every platform.
///
/// It implements xoshiro256** (Blackman and Vigna, prng.di.unimi.it), seeded through SplitMix64. It
/// is not cryptographically secure.
@frozen
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  @usableFromInline var s0: UInt64
  @usableFromInline var s1: UInt64
  @usableFromInline var s2: UInt64
  @usableFromInline var s3: UInt64

  /// Creates a generator whose output is determined by the seed; all seeds are equally good.
  public init(seed: UInt64) {
    s0 = Self.mixed(seed &+ 0x9E37_79B9_7F4A_7C15)
    s1 = Self.mixed(seed &+ 0x3C6E_F372_FE94_F82A)
    s2 = Self.mixed(seed &+ 0xDAA6_6D2C_7DDF_743F)
    s3 = Self.mixed(seed &+ 0x78DD_E6E5_FD29_F054)
  }

  /// Returns the next 64 random bits.
  @inlinable
  public mutating func next() -> UInt64 {
    let product = s1 &* 5
    let result = ((product &<< 7) | (product &>> 57)) &* 9
    let shifted = s1 &<< 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 &<< 45) | (s3 &>> 19)
    return result
  }

  /// Derives the seed of one part of a run, so that the part can be repeated alone.
  public static func seed(_ seed: UInt64, part: UInt64) -> UInt64 {
    mixed(mixed(seed) ^ mixed(part &+ 0x9E37_79B9_7F4A_7C15))
  }

  /// Returns a number in `0...bound`; the bias is below one part in 2^64 / bound.
  mutating func next(through bound: UInt64) -> UInt64 {
    guard bound < .max else { return next() }
    return next().multipliedFullWidth(by: bound &+ 1).high
  }

  /// Returns the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) for a word.
  private static func mixed(_ word: UInt64) -> UInt64 {
    var z = word
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z &>> 31)
  }
}

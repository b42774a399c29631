internal import Basics

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
    s0 = SplitMix64.mixed(seed &+ SplitMix64.increment)
    s1 = SplitMix64.mixed(seed &+ 0x3C6E_F372_FE94_F82A)
    s2 = SplitMix64.mixed(seed &+ 0xDAA6_6D2C_7DDF_743F)
    s3 = SplitMix64.mixed(seed &+ 0x78DD_E6E5_FD29_F054)
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

  /// Derives the seed of one numbered part of a run, so that the part can be repeated alone.
  package static func seed(_ seed: UInt64, part: UInt64) -> UInt64 {
    SplitMix64.mixed(SplitMix64.mixed(seed) ^ SplitMix64.mixed(part &+ SplitMix64.increment))
  }

  /// Returns a random number in `0...bound`; its bias is less than `bound` / 2^64.
  mutating func next(through bound: UInt64) -> UInt64 {
    guard bound < .max else { return next() }
    return next().multipliedFullWidth(by: bound &+ 1).high
  }
}

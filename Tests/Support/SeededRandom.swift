import Basics

/// A generator that gives the same numbers for the same seed.
package struct SeededRandom: RandomNumberGenerator {
  private var numbers: SplitMix64

  package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { numbers.next() }
}

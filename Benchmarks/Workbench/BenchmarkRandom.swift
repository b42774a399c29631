import Foundation
import Measuring

/// The random numbers of the stores that a measuring thread opens: the same in every run, whatever its
/// seed, so that what a benchmark writes, and with it what is counted, is the same too.
enum BenchmarkRandom {
  /// From what the stores follow.
  static let seed: UInt64 = 0x5eed

  private static let key = "history-lab.benchmark-random"

  /// Draws the next 64 bits: of the thread's own numbers if they have begun, else of the system's.
  static func next() -> UInt64 {
    guard let own = Thread.current.threadDictionary[key] as? OwnRandom else {
      return UInt64.random(in: .min ... .max)
    }
    return own.random.next()
  }

  /// Begins the calling thread's numbers, or begins them again, so that they do not depend on what was
  /// measured before.
  static func restart() { Thread.current.threadDictionary[key] = OwnRandom() }
}

/// A random generator that one thread alone draws from.
private final class OwnRandom {
  var random = SeededRandom(seed: BenchmarkRandom.seed)
}

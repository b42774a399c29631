import Foundation
import Measuring

/// The random numbers of the stores that a measuring thread opens.
///
/// They are the same in every run, whatever its seed, so that the bytes written and the counts are
/// the same too.
enum BenchmarkRandom {
  /// The seed of the random numbers.
  static let seed: UInt64 = 0x5eed

  private static let key = "history-lab.benchmark-random"

  /// Returns the next 64 bits of the thread's own generator, or of the system's if it has none.
  static func next() -> UInt64 {
    guard let own = Thread.current.threadDictionary[key] as? OwnRandom else {
      return UInt64.random(in: .min ... .max)
    }
    return own.random.next()
  }

  /// Restarts the calling thread's generator.
  ///
  /// Its numbers then do not depend on earlier measurements.
  static func restart() { Thread.current.threadDictionary[key] = OwnRandom() }
}

/// A random generator that only one thread uses.
private final class OwnRandom {
  var random = SeededRandom(seed: BenchmarkRandom.seed)
}

import Foundation
import Measuring

/// Decides at random when processes are killed or stopped and when guests join or retire.
struct StressNemesis {
  private var random: SeededRandom
  private let killsPerSecond: Double
  private var nextKill: ContinuousClock.Instant
  private var nextStop: ContinuousClock.Instant
  private var nextGuest: ContinuousClock.Instant

  /// A disturbance.
  enum Deed: Hashable, Sendable {
    /// Kill a process: at a place in its code or, with `nil`, at once.
    case kill(StressPlace?, visit: Int)
    /// Stop a process for a while.
    case stop(Duration)
    /// Let a guest join or retire.
    case moveGuest
  }

  /// The mean number of kills per stop; `killsPerMove` is that per join or retirement of a guest.
  private static let killsPerStop = 3.0
  private static let killsPerMove = 4.0

  init(killsPerSecond: Double, seed: UInt64) {
    random = SeededRandom(seed: seed)
    self.killsPerSecond = killsPerSecond
    let now = ContinuousClock.now
    (nextKill, nextStop, nextGuest) = (now, now, now)
    nextKill = now + pause(1)
    nextStop = now + pause(Self.killsPerStop)
    nextGuest = now + pause(Self.killsPerMove)
  }

  /// Returns the disturbances that are due.
  mutating func deeds(at now: ContinuousClock.Instant) -> [Deed] {
    guard killsPerSecond > 0 else { return [] }
    var deeds: [Deed] = []
    if nextKill <= now {
      nextKill = max(nextKill, now - .seconds(1)) + pause(1)
      deeds.append(kill())
    }
    if nextStop <= now {
      nextStop = now + pause(Self.killsPerStop)
      deeds.append(.stop(.milliseconds(Int.random(in: 30...500, using: &random))))
    }
    if nextGuest <= now {
      nextGuest = now + pause(Self.killsPerMove)
      deeds.append(.moveGuest)
    }
    return deeds
  }

  /// Returns a random element; `nil` if there is none.
  mutating func choose<Element>(_ some: [Element]) -> Element? {
    some.randomElement(using: &random)
  }

  /// Returns the time between a process's death and its next life, at most 250 ms.
  mutating func deathTime() -> Duration { .milliseconds(Int.random(in: 0...250, using: &random)) }

  /// Returns the seed of a life.
  mutating func seed() -> UInt64 { random.next() }

  /// Returns a kill: half of them at a random place, the others at once.
  private mutating func kill() -> Deed {
    guard Bool.random(using: &random), let place = choose(StressPlace.allCases) else {
      return .kill(nil, visit: 0)
    }
    let last = place == .checkpoint ? 16 : 4
    return .kill(place, visit: Int.random(in: 1...last, using: &random))
  }

  /// Returns the random time to the next event that occurs once per so many kills on average.
  private mutating func pause(_ kills: Double) -> Duration {
    guard killsPerSecond > 0 else { return .seconds(1_000_000) }
    // The pauses of a Poisson process, without the longest ones.
    let pause = -log(Double.random(in: 0.02..<1, using: &random)) * kills / killsPerSecond
    return .seconds(pause)
  }
}

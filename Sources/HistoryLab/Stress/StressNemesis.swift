import Foundation
import Measuring

/// Decides at random when somebody is killed or stopped, and when guests come and go.
struct StressNemesis {
  private var random: SeededRandom
  private let killsPerSecond: Double
  private var nextKill: ContinuousClock.Instant
  private var nextStop: ContinuousClock.Instant
  private var nextGuest: ContinuousClock.Instant

  /// What is to be done.
  enum Deed: Hashable, Sendable {
    /// Somebody is killed: at a place, or where it is.
    case kill(StressPlace?, visit: Int)
    /// Somebody stands still for a while.
    case stop(Duration)
    /// A guest joins or retires.
    case moveGuest
  }

  /// A stop takes place as often as so many kills, and so does a guest's coming or going.
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

  /// What is due.
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

  /// One of some.
  mutating func choose<Element>(_ some: [Element]) -> Element? {
    some.randomElement(using: &random)
  }

  /// How long a dead process stays so.
  mutating func deathTime() -> Duration { .milliseconds(Int.random(in: 0...250, using: &random)) }

  /// A seed for a life.
  mutating func seed() -> UInt64 { random.next() }

  /// Half of the dead are told where to die.
  private mutating func kill() -> Deed {
    guard Bool.random(using: &random), let place = choose(StressPlace.allCases) else {
      return .kill(nil, visit: 0)
    }
    let last = place == .checkpoint ? 16 : 4
    return .kill(place, visit: Int.random(in: 1...last, using: &random))
  }

  /// The time to the next of things that happen by themselves, once in so many kills.
  private mutating func pause(_ kills: Double) -> Duration {
    guard killsPerSecond > 0 else { return .seconds(1_000_000) }
    // The pauses of a Poisson process, the longest left out.
    let pause = -log(Double.random(in: 0.02..<1, using: &random)) * kills / killsPerSecond
    return .seconds(pause)
  }
}

import Foundation
import HistoryTypes

@testable import HistoryTracking

/// A clock that a test moves.
///
/// A sleep returns at once, up to a number of times, and advances the clock by its duration.
final class HandClock: @unchecked Sendable {
  private let lock = NSLock()
  private var time = Duration.zero
  private var slept: [Duration] = []
  private let sleepCountMax: Int

  init(sleepCountMax: Int = .max) {
    self.sleepCountMax = sleepCountMax
  }

  var pauses: [Duration] { lock.withLock { slept } }

  func advance(by duration: Duration) {
    lock.withLock { time += duration }
  }

  var trackerClock: TrackerClock {
    TrackerClock(
      now: { self.lock.withLock { self.time } },
      sleep: { duration in try self.pass(duration) }
    )
  }

  private func pass(_ duration: Duration) throws {
    try lock.withLock {
      guard slept.count < sleepCountMax else { throw CancellationError() }
      slept.append(duration)
      time += duration
    }
  }
}

/// A clock of a store that a test moves.
final class WallClock: @unchecked Sendable {
  private let lock = NSLock()
  private var seconds: Double

  init(_ seconds: Double = 1_000_000) {
    self.seconds = seconds
  }

  func advance(by seconds: Double) {
    lock.withLock { self.seconds += seconds }
  }

  @Sendable func read() -> Date {
    lock.withLock { Date(timeIntervalSinceReferenceDate: seconds) }
  }
}

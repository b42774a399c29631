import Foundation

@testable import HistoryTracking

/// A clock that a test moves; who sleeps is woken at once, until a number of times, and the clock
/// moves by the time that was slept.
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
      sleep: { duration in try self.sleep(duration) }
    )
  }

  private func sleep(_ duration: Duration) throws {
    try lock.withLock {
      guard slept.count < sleepCountMax else { throw CancellationError() }
      slept.append(duration)
      time += duration
    }
  }
}

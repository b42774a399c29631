/// A monotonic clock for measurements and delays of a tracker.
package struct TrackerClock: Sendable {
  /// Returns the time since a fixed but arbitrary moment.
  package var now: @Sendable () -> Duration
  /// Waits for a duration; throws if its task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The system's continuous clock, which advances while the machine sleeps.
  package static let continuous: TrackerClock = {
    let start = ContinuousClock.now
    return TrackerClock(
      now: { ContinuousClock.now - start },
      sleep: { duration in try await Task.sleep(for: duration) }
    )
  }()
}

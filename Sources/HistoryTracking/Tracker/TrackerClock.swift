/// The time that a tracker measures and waits by; it never jumps.
package struct TrackerClock: Sendable {
  /// The time since some moment.
  package var now: @Sendable () -> Duration
  /// Waits; it throws when its task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The system's clock, which goes on while the machine sleeps.
  package static let continuous: TrackerClock = {
    let start = ContinuousClock.now
    return TrackerClock(
      now: { ContinuousClock.now - start },
      sleep: { duration in try await Task.sleep(for: duration) }
    )
  }()
}

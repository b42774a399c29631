/// Measures the steps of a pass one after the other.
struct StepTimer {
  private let clock: TrackerClock
  private var last: Duration

  init(_ clock: TrackerClock) {
    self.clock = clock
    last = clock.now()
  }

  /// Adds the time since the last step to a sum.
  mutating func lap(_ sum: inout Duration) {
    let now = clock.now()
    sum += now - last
    last = now
  }
}

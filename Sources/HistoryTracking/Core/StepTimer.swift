/// Measures the consecutive steps of a pass.
struct StepTimer {
  private let clock: TrackerClock
  private var last: Duration

  init(_ clock: TrackerClock) {
    self.clock = clock
    last = clock.now()
  }

  /// Adds the time since the last lap to a sum.
  mutating func lap(_ sum: inout Duration) {
    let now = clock.now()
    sum += now - last
    last = now
  }
}

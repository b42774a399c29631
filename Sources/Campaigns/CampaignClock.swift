/// The time of a campaign: the number of seconds during which it had a worker.
///
/// Clocks of different machines are never compared. A worker writes the campaign's time into its
/// claim with every heartbeat. Before it takes a task, it reads the greatest time in any claim, and
/// then adds the time that passes on its own machine. So the clock of a worker that was started late,
/// or on another machine, is behind by at most the time between two heartbeats. While a worker runs a
/// task, its clock can fall behind by at most the duration of the task. While no worker runs, the
/// time stands still.
struct CampaignClock: Sendable {
  private var base = 0.0
  private var since: ContinuousClock.Instant

  /// Creates a clock that counts from 0 seconds at `now`, when the worker starts on its machine.
  init(now: ContinuousClock.Instant) { since = now }

  /// Returns the campaign's time: the number of seconds, up to `now`, in which it had a worker.
  func seconds(now: ContinuousClock.Instant) -> Double {
    base + Double((now - since) / .milliseconds(1)) / 1_000
  }

  /// Advances to a time that another worker has written, unless this clock is already later.
  mutating func advance(to seconds: Double, now: ContinuousClock.Instant) {
    guard seconds > self.seconds(now: now) else { return }
    (base, since) = (seconds, now)
  }
}

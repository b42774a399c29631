package import HistoryTypes
import Synchronization

/// A clock that stops until a test moves it.
package final class TestClock: Sendable {
  private let seconds: Mutex<Double>

  package init(_ seconds: Double = 1000) {
    self.seconds = Mutex(seconds)
  }

  /// Seconds since 2001-01-01 UTC.
  package var now: Double {
    get { seconds.withLock { $0 } }
    set { seconds.withLock { $0 = newValue } }
  }

  package var date: Date { Date(timeIntervalSinceReferenceDate: now) }
}

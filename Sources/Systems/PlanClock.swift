package import HistoryTypes
import Synchronization

/// The clock of a simulated run; it advances only when a plan says so.
package final class PlanClock: Sendable {
  /// The start time of every plan: an afternoon in 2026, in seconds since 2001-01-01 UTC.
  package static let start = 800_000_000.0

  private let bits = Atomic<UInt64>(PlanClock.start.bitPattern)

  package init() {}

  /// The current time, in seconds since 2001-01-01 UTC.
  package var now: Double {
    get { Double(bitPattern: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.bitPattern, ordering: .relaxed) }
  }

  /// The current time as a date.
  package var date: Date { Date(timeIntervalSinceReferenceDate: now) }
}

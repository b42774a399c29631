import Basics
package import HistoryTypes
import Synchronization

/// The clock of a simulated run, which only the plan advances.
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

/// A thread-safe ``SplitMix64`` generator; snapshots save and restore its state.
package final class RandomState: Sendable {
  private let state: Atomic<UInt64>

  package init(_ seed: UInt64) {
    state = Atomic(seed)
  }

  var value: UInt64 {
    get { state.load(ordering: .relaxed) }
    set { state.store(newValue, ordering: .relaxed) }
  }

  /// Returns the next 64 random bits.
  package func next() -> UInt64 {
    SplitMix64.mixed(state.wrappingAdd(SplitMix64.increment, ordering: .relaxed).newValue)
  }
}

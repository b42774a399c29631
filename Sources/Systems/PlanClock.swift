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

/// A thread-safe source of bits that depends only on its seed.
///
/// SplitMix64 (Steele, Lea and Flood, 2014).
package final class RandomState: Sendable {
  private let state: Atomic<UInt64>

  package init(_ seed: UInt64) {
    state = Atomic(seed)
  }

  /// The generator's state, which snapshots save and restore.
  var value: UInt64 {
    get { state.load(ordering: .relaxed) }
    set { state.store(newValue, ordering: .relaxed) }
  }

  /// Returns the next 64 bits of the sequence.
  package func next() -> UInt64 {
    var bits = state.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
    bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }
}

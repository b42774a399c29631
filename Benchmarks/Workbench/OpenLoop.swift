import Foundation
import Measuring

/// A loop that starts operations at planned times, independent of the duration of earlier ones.
///
/// Latencies include the time that an operation waits for a slow one before it. A closed loop,
/// which starts an operation when the previous one is done, does not measure this wait.
struct OpenLoop {
  /// The time between planned starts, in nanoseconds.
  let intervalNs: Double
  /// The number of planned operations.
  let count: Int
  var clock = NanosecondClock.wall
  /// Waits for a number of nanoseconds.
  var wait: (UInt64) -> Void = OpenLoop.sleep

  /// The delay of an operation's start, in nanoseconds, at which the loop counts as saturated.
  ///
  /// This delay is a quarter of the planned duration, but at least 5 ms, to allow for a hiccup of
  /// the machine.
  var backlogNsMax: Double { max(Self.hiccupNs, Double(count) * intervalNs / 4) }

  private static let hiccupNs = 5e6

  struct Outcome: Equatable {
    /// The time from the planned start to the end of each operation, in nanoseconds.
    var latencies: [Double] = []
    /// The time from the actual start to the end of each operation, in nanoseconds.
    var services: [Double] = []
    /// Whether the loop was stopped because an operation would have started too late.
    var isSaturated = false
  }

  /// Runs the operations; stops before one that would start late by more than ``backlogNsMax``.
  func run(_ operation: () throws -> Void) rethrows -> Outcome {
    var outcome = Outcome()
    let start = clock.now()
    for index in 0..<count {
      let planned = start + UInt64(Double(index) * intervalNs)
      var begun = clock.now()
      while begun < planned {
        wait(planned - begun)
        begun = clock.now()
      }
      guard Double(begun - planned) <= backlogNsMax else {
        outcome.isSaturated = true
        return outcome
      }
      try operation()
      let done = clock.now()
      outcome.latencies.append(Double(done - planned))
      outcome.services.append(Double(done - begun))
    }
    return outcome
  }

  /// Sleeps, except for the last 100 µs, because the system's timers are not precise enough.
  private static func sleep(_ nanoseconds: UInt64) {
    let stretch: UInt64 = 100_000
    if nanoseconds > stretch { usleep(UInt32((nanoseconds - stretch) / 1000)) }
  }
}

/// The work of one contender (one of the compared programs) in one measurement.
struct MeasuredWork {
  let contender: String
  /// The number of operations in one measurement.
  let operations: Int
  /// The reason why the counts of this work may differ between runs, or `nil` if they are exact.
  var varies: String?
  /// Performs the work with the stopwatch running only around the measured part.
  ///
  /// The closure restores what it changed, and returns a tally of its work.
  let measure: (inout Stopwatch) throws -> WorkTally

  /// Returns the same work under another name.
  ///
  /// Unless `keepingSum` is `true`, the work returns 0 as ``WorkTally/sum``, so that only the
  /// counts of compared programs must be equal. On stores with other data, the same work has
  /// another sum.
  func named(_ contender: String, keepingSum: Bool = false) -> MeasuredWork {
    MeasuredWork(contender: contender, operations: operations) { watch in
      let tally = try measure(&watch)
      return keepingSum ? tally : WorkTally(count: tally.count, sum: 0)
    }
  }

  /// The name in results of this library's store.
  static let store = "Store"
  /// The name in results of plain SQLite in C, which most benchmarks use as the floor (cost 1).
  static let floor = "SQLite"
  /// The name in results of C code that uses plain SQLite and keeps history as the store does.
  static let trackedFloor = "SQLite, tracked"
}

/// Two numbers about the work of a measurement, to verify that compared programs do the same work.
struct WorkTally: Hashable, Sendable {
  /// The number of rows, changes or transactions that were read or written, for example.
  var count: Int64
  /// A second number about the same work, such as the sum of the quantities of the counted rows.
  var sum: Int64

  init(count: Int64, sum: Int64) {
    self.count = count
    self.sum = sum
  }

  init(count: Int, sum: Int64) {
    self.init(count: Int64(count), sum: sum)
  }
}

import Foundation
import Measuring

/// Operations at planned moments, whatever those before them took: who waits behind a slow one is
/// counted as having waited, which a loop that only goes on when it is done never sees.
struct OpenLoop {
  /// From one planned start to the next, in nanoseconds.
  let intervalNs: Double
  /// How many operations are planned.
  let count: Int
  var clock = NanosecondClock.wall
  /// Lets some nanoseconds pass.
  var wait: (UInt64) -> Void = OpenLoop.sleep

  /// How late an operation may begin, in nanoseconds, before it is said that the plan cannot be kept: a
  /// quarter of the time of the plan, and no less than a hiccup of the machine.
  var backlogNsMax: Double { max(Self.hiccupNs, Double(count) * intervalNs / 4) }

  private static let hiccupNs = 5e6

  /// What came of it.
  struct Outcome: Equatable {
    /// From each planned start to the end, in nanoseconds.
    var latencies: [Double] = []
    /// From each real start to the end.
    var services: [Double] = []
    /// Whether the plan was given up, since the work fell further and further behind.
    var isSaturated = false
  }

  /// Does the operations, or gives up when too many of them wait.
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

  /// Sleeps, but for the last stretch, which no timer of the system keeps.
  private static func sleep(_ nanoseconds: UInt64) {
    let stretch: UInt64 = 100_000
    if nanoseconds > stretch { usleep(UInt32((nanoseconds - stretch) / 1000)) }
  }
}

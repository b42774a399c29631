import Measuring

/// The work of one contender in one measurement.
struct MeasuredWork {
  /// The name of the contender.
  let contender: String
  /// The number of operations in one measurement.
  let operations: Int
  /// The reason why its counts may differ from run to run, or `nil` if they may not.
  var varies: String?
  /// Performs the work with the watch running only around the measured part.
  ///
  /// It restores what it changed, and returns a tally of its work.
  let measure: (inout Stopwatch) throws -> WorkTally

  /// Returns the same work under another contender name.
  ///
  /// Unless `keepingSum` is `true`, only the count of its tally is compared, because other stores
  /// hold other data.
  func named(_ contender: String, keepingSum: Bool = false) -> MeasuredWork {
    MeasuredWork(contender: contender, operations: operations) { watch in
      let tally = try measure(&watch)
      return keepingSum ? tally : WorkTally(count: tally.count, sum: 0)
    }
  }

  /// The name of our contender.
  static let store = "Store"
  /// The name of the floor, whose cost counts as 1 in every ratio.
  static let floor = "SQLite"
  /// The name of the floor that keeps history as the store does.
  static let trackedFloor = "SQLite, tracked"
}

/// A tally of the work in a measurement; contenders with the same work have equal tallies.
struct WorkTally: Hashable, Sendable {
  /// The number of rows or changes.
  var count: Int64
  /// The sum of a value over all of them.
  var sum: Int64

  init(count: Int64, sum: Int64) {
    self.count = count
    self.sum = sum
  }

  init(count: Int, sum: Int64) {
    self.init(count: Int64(count), sum: sum)
  }
}

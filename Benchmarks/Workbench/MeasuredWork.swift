import Measuring

/// What one contender does in one measurement.
struct MeasuredWork {
  /// Who does it.
  let contender: String
  /// How many operations one measurement holds.
  let operations: Int
  /// Why its counts may differ from run to run, where they may.
  var varies: String?
  /// Does the work with the watch running only around what counts, puts back what it changed, and
  /// tells what it did.
  let measure: (inout Stopwatch) throws -> WorkTally

  /// The same work as a contender of another name; unless its sum is kept it is compared by how much it
  /// did alone, for other stores hold other things.
  func named(_ contender: String, keepingSum: Bool = false) -> MeasuredWork {
    MeasuredWork(contender: contender, operations: operations) { watch in
      let tally = try measure(&watch)
      return keepingSum ? tally : WorkTally(count: tally.count, sum: 0)
    }
  }

  /// The name of ours.
  static let store = "Store"
  /// The name of the floor, which is 1 in every ratio.
  static let floor = "SQLite"
  /// The name of the floor that keeps history as the store does.
  static let trackedFloor = "SQLite, tracked"
}

/// What a measurement did: contenders that did the same have equal tallies.
struct WorkTally: Hashable, Sendable {
  /// How many rows or changes.
  var count: Int64
  /// The sum of something that all of them have.
  var sum: Int64

  init(count: Int64, sum: Int64) {
    self.count = count
    self.sum = sum
  }

  init(count: Int, sum: Int64) {
    self.init(count: Int64(count), sum: sum)
  }
}

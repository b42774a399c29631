import BenchmarkFloor
import HistoryStore
import HistoryTracking
import HistoryTypes
import Measuring
import ObjectContexts

/// The cost of a member's resync after its history is gone.
enum Resyncs {
  static let all = [
    BenchmarkSubject(
      "member resync",
      part: "MemberSession.resync",
      operation: "of 10,000 objects",
      "A member moves its cursor to the head and reads all 10,000 objects into its context anew; the "
        + "floor reads the same rows in C.",
      prepare: { [try ours($0), try floor($0)] }
    ).varying([.cold]) { try ours($0) }
  ]

  private static func ours(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.store()
    let member = try MemberSession("reader", store: file.store, contexts: [], author: nil).snapshot
    return MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let store = try file.fresh()
      let context = ObjectContext(store: store, author: "reader")
      let session = MemberSession(member, store: store, contexts: [context])
      _ = try watch.time { try session.resync() }
      return try tally(of: context)
    }
  }

  /// Tallies the items that a context holds, and the sum of their quantities.
  private static func tally(of context: ObjectContext) throws -> WorkTally {
    var tally = WorkTally(count: 0 as Int64, sum: 0)
    context.forEachRegistered { _, values in
      tally.count += 1
      tally.sum += MergeData.int(values[values.startIndex + 2])
    }
    return tally
  }

  private static func floor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.floor()
    let room = [FloorRow](repeating: FloorRow(), count: SampleData.itemCount + 1)
    return MeasuredWork(contender: MeasuredWork.floor, operations: 1) { watch in
      var rows = room
      let found = try rows.withUnsafeMutableBufferPointer { rows in
        try watch.time { try file.floor.allRows(into: rows) }
      }
      return WorkTally(
        count: found,
        sum: rows.prefix(found).reduce(0) { $0 + $1.item.quantity }
      )
    }
  }
}

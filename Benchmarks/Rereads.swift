import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Measuring
import ObjectContexts

/// Tracking without history: reading all rows again to find the changes, compared with a pass.
enum Rereads {
  static let all = [
    BenchmarkSubject(
      "peers pass",
      part: "TrackerCore.pass",
      operation: "beside reading again",
      condition: "\(newCount) new",
      "A member passes over the newest \(newCount) transactions of ten changes; a context without "
        + "history reads its 10,000 objects anew, and the floor reads the same rows in C and compares "
        + "them with those that were known."
    ) { setting in
      let data = try MergeData(setting, transactionCount: newCount)
      return [Passes.pass(data), readAgain(data), try compare(data)]
    }
  ]

  private static let newCount = 100

  private static func readAgain(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: "reading again", operations: 1) { watch in
      let context = try data.staleContext()
      _ = try watch.time { try context.loadAll() }
      return try data.tally(in: context)
    }
  }

  /// Finds the differences from the rows of the unchanged copy.
  private static func compare(_ data: MergeData) throws -> MeasuredWork {
    let empty = [FloorRow](repeating: FloorRow(), count: 2 * SampleData.itemCount)
    var known = empty
    let before = try FloorDatabase(path: data.before.path)
    let count = try known.withUnsafeMutableBufferPointer { try before.allRows(into: $0) }
    known.removeLast(known.count - count)
    let floor = try FloorDatabase(path: data.path)
    return MeasuredWork(contender: MeasuredWork.floor, operations: 1) { [known] watch in
      var rows = empty
      let found = try rows.withUnsafeMutableBufferPointer { rows in
        try watch.time { try floor.compare(with: known, into: rows) }
      }
      precondition(found.gone == data.goneCount, "\(found.gone) rows are gone")
      return WorkTally(
        count: found.differing,
        sum: rows.prefix(found.differing).reduce(0) { $0 + $1.item.quantity }
      )
    }
  }
}

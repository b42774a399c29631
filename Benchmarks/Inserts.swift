import BenchmarkFloor
import HistoryStore
import Measuring

/// Batch inserts from a typed closure.
enum Inserts {
  static let all = Subjects.batchSizes.map(subject)

  private static func subject(of size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write insert \(size)",
      part: "Store.batchInsert",
      operation: "of \(size.rows)",
      "One request inserts \(size.rows); the floors (SQLite in C, cost 1), without history and with "
        + "the same history, bind and run one statement per row; two more without history run one "
        + "statement for all rows, with their values as parameters or in a virtual table.",
      at: size.batchSizes
    ) { setting in
      let batches = setting.repeats(max(8, 4000 / (size + 7)))
      let items = SampleData.items(size * batches)
      let floorItems = items.map(\.floorItem)
      let plans = try WritePlan.allCases.map { try floor(setting, floorItems, batches, by: $0) }
      return [try ours(setting, items, batches)] + plans
        + [try tracked(setting, floorItems, batches)]
    }.varying(size.batchAxes) { setting in
      let batches = setting.repeats(max(8, 4000 / (size + 7)))
      return try ours(setting, SampleData.items(size * batches), batches)
    }
  }

  private static func ours(
    _ setting: BenchmarkSetting,
    _ items: [SampleItem],
    _ batches: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let size = items.count / batches
    return MeasuredWork(contender: MeasuredWork.store, operations: batches) { watch in
      try file.side.checkpoint()
      try items.withUnsafeBufferPointer { items in
        try watch.time {
          for batch in 0..<batches {
            var next = batch * size
            let end = next + size
            _ = try file.store.batchInsert(into: SampleData.slip, by: BatchAuthor("app")) { row in
              guard next < end else { return false }
              row.set(items[next])
              next += 1
              return true
            }
          }
        }
      }
      let tally = try file.side.tally(of: SampleData.slip)
      _ = try file.store.batchDelete(SampleData.slip, by: BatchAuthor("app"))
      try file.trim()
      return tally
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ items: [FloorItem],
    _ batches: Int,
    by plan: WritePlan
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    let size = items.count / batches
    var nextKey: Int64 = 1
    return MeasuredWork(contender: plan.contender, operations: batches) { watch in
      try file.side.checkpoint()
      try items.withUnsafeBufferPointer { items in
        try watch.time {
          for batch in 0..<batches {
            try file.floor.insert(
              .init(rebasing: items[batch * size..<(batch + 1) * size]),
              firstKey: nextKey,
              version: nextKey,
              by: plan
            )
            nextKey += Int64(size)
          }
        }
      }
      let tally = try file.side.tally(of: SampleData.slip)
      try file.floor.delete(kind: 1)
      return tally
    }
  }

  private static func tracked(
    _ setting: BenchmarkSetting,
    _ items: [FloorItem],
    _ batches: Int
  ) throws -> MeasuredWork {
    let file = try setting.trackedFloor()
    let size = items.count / batches
    var nextKey: Int64 = 1
    return MeasuredWork(contender: MeasuredWork.trackedFloor, operations: batches) { watch in
      try file.side.checkpoint()
      try items.withUnsafeBufferPointer { items in
        try watch.time {
          for batch in 0..<batches {
            try file.insert(
              .init(rebasing: items[batch * size..<(batch + 1) * size]),
              firstKey: nextKey
            )
            nextKey += Int64(size)
          }
        }
      }
      let tally = try file.side.tally(of: SampleData.slip)
      try file.clear()
      return tally
    }
  }
}

extension Int {
  /// The number with its noun: `1 row`, `1000 rows`.
  var rows: String { self == 1 ? "1 row" : "\(self) rows" }
}

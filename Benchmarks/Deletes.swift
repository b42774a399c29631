import HistoryStore
import Measuring
import PersistentHistory

/// Batch deletes by predicate of every row of a table, each leaving a tombstone of sixteen bytes.
enum Deletes {
  static let all = Subjects.batchSizes.map(subject)

  private static func subject(of size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write delete \(size)",
      part: "Store.batchDelete",
      operation: "of \(size.rows)",
      "One request deletes the \(size.rows) of a table that match a predicate and keeps their names "
        + "as tombstones; the floor runs one DELETE with the same predicate, and one a row by its key."
    ) { setting in
      let requests = setting.repeats(max(8, 2000 / (size + 7)))
      return [
        try ours(setting, size, requests), try floor(setting, size, requests),
        try floorByKey(setting, size, requests),
      ]
    }
  }

  private static func ours(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    return MeasuredWork(contender: MeasuredWork.store, operations: requests) { watch in
      try file.side.checkpoint()
      var tally = WorkTally(count: 0 as Int64, sum: 0)
      for _ in 0..<requests {
        try file.fillSlips(size)
        let result = try watch.time {
          try file.store.batchDelete(
            SampleData.slip,
            where: .compare("kind", .equal, .int(1)),
            by: BatchAuthor("app")
          )
        }
        tally.count += Int64(result.count)
      }
      tally.sum = try file.side.tally(of: SampleData.slip).count
      try file.trim()
      return tally
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    return MeasuredWork(contender: MeasuredWork.floor, operations: requests) { watch in
      try file.side.checkpoint()
      var tally = WorkTally(count: 0 as Int64, sum: 0)
      for _ in 0..<requests {
        try file.fillSlips(size)
        tally.count += try watch.time { try file.floor.delete(kind: 1) }
      }
      tally.sum = try file.side.tally(of: SampleData.slip).count
      return tally
    }
  }

  private static func floorByKey(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    return MeasuredWork(contender: MeasuredWork.floorByKey, operations: requests) { watch in
      try file.side.checkpoint()
      var tally = WorkTally(count: 0 as Int64, sum: 0)
      for _ in 0..<requests {
        try file.fillSlips(size)
        let before = try file.side.tally(of: SampleData.slip).count
        try watch.time { try file.floor.deleteSlips(firstKey: 1, count: size) }
        tally.count += before
      }
      tally.sum = try file.side.tally(of: SampleData.slip).count
      tally.count -= tally.sum
      return tally
    }
  }
}

import HistoryStore
import Measuring
import PersistentHistory

/// Batch deletes of objects that a closure names, and of all that match a predicate, each leaving a
/// tombstone of sixteen bytes.
enum Deletes {
  static let all = Subjects.batchSizes.map(byKey) + [10, 1000].map(matching)

  private static func byKey(_ size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write delete \(size)",
      part: "Store.batchDelete",
      operation: "of \(size.rows)",
      "One request deletes \(size.rows), each named by a closure, and keeps their names as "
        + "tombstones; the floor steps one statement a row."
    ) { setting in
      let requests = setting.repeats(max(8, 2000 / (size + 7)))
      return [
        try ours(setting, size, requests) { store, ids in
          var next = 0
          return try store.batchDelete(SampleData.slip, by: BatchAuthor("app")) {
            next += 1
            return next <= ids.count ? ids[next - 1] : nil
          }
        },
        try floor(setting, size, requests) { try $0.deleteSlips(firstKey: 1, count: size) },
      ]
    }
  }

  private static func matching(_ size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write delete where \(size)",
      part: "Store.batchDelete",
      operation: "where a predicate matches",
      condition: size.rows,
      "One request deletes the \(size.rows) of a table that match a predicate and keeps their names "
        + "as tombstones; the floor runs one DELETE with the same predicate."
    ) { setting in
      let requests = setting.repeats(max(8, 2000 / (size + 7)))
      return [
        try ours(setting, size, requests) { store, _ in
          try store.batchDelete(
            SampleData.slip,
            where: .compare("kind", .equal, .int(1)),
            by: BatchAuthor("app")
          )
        },
        try floor(setting, size, requests) { try $0.delete(kind: 1) },
      ]
    }
  }

  private static func ours(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int,
    _ delete: @escaping (Store, [ObjectID]) throws -> BatchResult
  ) throws -> MeasuredWork {
    let file = try setting.store()
    return MeasuredWork(contender: MeasuredWork.store, operations: requests) { watch in
      try file.side.checkpoint()
      var tally = WorkTally(count: 0 as Int64, sum: 0)
      for _ in 0..<requests {
        let ids = try file.fillSlips(size)
        let result = try watch.time { try delete(file.store, ids) }
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
    _ requests: Int,
    _ delete: @escaping (FloorDatabase) throws -> Int64
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    return MeasuredWork(contender: MeasuredWork.floor, operations: requests) { watch in
      try file.side.checkpoint()
      var tally = WorkTally(count: 0 as Int64, sum: 0)
      for _ in 0..<requests {
        try file.fillSlips(size)
        tally.count += try watch.time { try delete(file.floor) }
      }
      tally.sum = try file.side.tally(of: SampleData.slip).count
      return tally
    }
  }
}

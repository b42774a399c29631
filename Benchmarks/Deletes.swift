import HistoryStore
import HistoryTypes
import Measuring

/// Batch deletes by closure and by predicate; each delete leaves a tombstone of sixteen bytes.
enum Deletes {
  static let all = Subjects.batchSizes.map(byKey) + [10, 1000].map(matching)

  // MARK: By key

  private static func byKey(_ size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write delete \(size)",
      part: "Store.batchDelete",
      operation: "of \(size.rows)",
      "One request deletes \(size.rows) of many; a closure returns the identifiers, and each row's "
        + "name stays in history as a tombstone; the floor (SQLite in C, cost 1) without history runs "
        + "one statement per row and reads no values; two more run one statement for all rows, with their "
        + "keys as parameters or in a virtual table; the floor with the same history deletes a range "
        + "of keys.",
      at: size.batchSizes
    ) { setting in
      let requests = setting.repeats(max(8, 4000 / (size + 7)))
      let plans = try WritePlan.allCases.map { try floor(setting, size, requests, by: $0) }
      return [try ours(setting, size, requests)] + plans + [try tracked(setting, size, requests)]
    }.varying(size.batchAxes) { setting in
      try ours(setting, size, setting.repeats(max(8, 4000 / (size + 7))))
    }
  }

  private static func ours(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    return MeasuredWork(contender: MeasuredWork.store, operations: requests) { watch in
      let ids = try file.fillSlips(size * requests)
      try file.side.checkpoint()
      var next = 0
      try watch.time {
        for request in 1...requests {
          _ = try file.store.batchDelete(SampleData.slip, by: BatchAuthor("app")) {
            guard next < request * size else { return nil }
            next += 1
            return ids[next - 1]
          }
        }
      }
      try file.trim()
      return WorkTally(count: next, sum: try file.side.tally(of: SampleData.slip).count)
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int,
    by plan: WritePlan
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    return MeasuredWork(contender: plan.contender, operations: requests) { watch in
      try file.fillSlips(size * requests)
      try file.side.checkpoint()
      var deleted: Int64 = 0
      try watch.time {
        for request in 0..<requests {
          let first = Int64(request * size + 1)
          deleted += try file.floor.deleteSlips(firstKey: first, count: size, by: plan)
        }
      }
      return WorkTally(count: deleted, sum: try file.side.tally(of: SampleData.slip).count)
    }
  }

  private static func tracked(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.trackedFloor()
    return MeasuredWork(contender: MeasuredWork.trackedFloor, operations: requests) { watch in
      try file.fillSlips(size * requests, firstKey: 1)
      try file.side.checkpoint()
      var deleted: Int64 = 0
      try watch.time {
        for request in 0..<requests {
          deleted += try file.delete(firstKey: Int64(request * size + 1), count: size)
        }
      }
      try file.trim()
      return WorkTally(count: deleted, sum: try file.side.tally(of: SampleData.slip).count)
    }
  }

  // MARK: By predicate

  private static func matching(_ size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write delete where \(size)",
      part: "Store.batchDelete",
      operation: "where a predicate matches",
      condition: size.rows,
      "One request deletes the \(size.rows) of a table that match a predicate; each row's name "
        + "stays in history as a tombstone; the floor (SQLite in C, cost 1) runs one DELETE with the "
        + "same predicate.",
      at: .three
    ) { setting in
      let requests = setting.repeats(max(8, 2000 / (size + 7)))
      return [
        try oursMatching(setting, size, requests), try floorMatching(setting, size, requests),
      ]
    }
  }

  private static func oursMatching(
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

  private static func floorMatching(
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
}

import HistoryStore
import Measuring
import PersistentHistory

/// Batch updates by predicate of every row of a table.
enum Updates {
  static let all = Subjects.batchSizes.map(subject)

  private static func subject(of size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write update \(size)",
      part: "Store.batchUpdate",
      operation: "of \(size.rows)",
      "One request sets two attributes of the \(size.rows) of a table that match a predicate; the "
        + "floor runs one UPDATE with the same predicate, and one a row by its key."
    ) { setting in
      let requests = setting.repeats(max(8, 4000 / (size + 7)))
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
    try file.fillSlips(size)
    return MeasuredWork(contender: MeasuredWork.store, operations: requests) { watch in
      try file.side.checkpoint()
      try watch.time {
        for request in 1...requests {
          _ = try file.store.batchUpdate(
            SampleData.slip,
            where: .compare("kind", .equal, .int(1)),
            set: ["quantity": .int(Int64(request)), "price": .double(Double(request) * 0.5)],
            by: BatchAuthor("app")
          )
        }
      }
      try file.trim()
      return try file.side.tally(of: SampleData.slip)
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    try file.fillSlips(size)
    return MeasuredWork(contender: MeasuredWork.floor, operations: requests) { watch in
      try file.side.checkpoint()
      try watch.time {
        for request in 1...requests {
          try file.floor.update(
            kind: 1,
            version: Int64(request),
            quantity: Int64(request),
            price: Double(request) * 0.5
          )
        }
      }
      return try file.side.tally(of: SampleData.slip)
    }
  }

  private static func floorByKey(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    try file.fillSlips(size)
    return MeasuredWork(contender: MeasuredWork.floorByKey, operations: requests) { watch in
      try file.side.checkpoint()
      try watch.time {
        for request in 1...requests {
          try file.floor.updateSlips(
            firstKey: 1,
            count: size,
            version: Int64(request),
            quantity: Int64(request),
            price: Double(request) * 0.5
          )
        }
      }
      return try file.side.tally(of: SampleData.slip)
    }
  }
}

extension BenchmarkStore {
  /// Inserts slips, all of kind 1.
  func fillSlips(_ count: Int) throws {
    let items = SampleData.items(count)
    var next = 0
    _ = try store.batchInsert(into: SampleData.slip, by: BatchAuthor("app")) { row in
      guard next < items.count else { return false }
      row.set(items[next])
      next += 1
      return true
    }
  }
}

extension BenchmarkFloorFile {
  /// Inserts slips, all of kind 1.
  func fillSlips(_ count: Int, firstKey: Int64 = 1) throws {
    try SampleData.items(count).map(\.floorItem).withUnsafeBufferPointer {
      try floor.insert($0, firstKey: firstKey, version: 1)
    }
  }
}

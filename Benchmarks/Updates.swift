import HistoryStore
import HistoryTypes
import Measuring

/// Batch updates by typed closure and by predicate.
enum Updates {
  static let all = Subjects.batchSizes.map(byKey) + [10, 1000].map(matching)

  // MARK: By key

  private static func byKey(_ size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write update \(size)",
      part: "Store.batchUpdate",
      operation: "of \(size.rows)",
      "One request sets two attributes of \(size.rows), and a closure names each attribute; the "
        + "floors (SQLite in C, cost 1), without history and with the same history, bind and run one "
        + "statement per row; two more without history run one statement for all rows, with their values "
        + "as parameters or in a virtual table.",
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
    let ids = try file.fillSlips(size)
    return MeasuredWork(contender: MeasuredWork.store, operations: requests) { watch in
      try file.side.checkpoint()
      try watch.time {
        for request in 1...requests {
          var next = 0
          _ = try file.store.batchUpdate(
            SampleData.slip,
            setting: ["quantity", "price"],
            by: BatchAuthor("app")
          ) { row in
            guard next < ids.count else { return nil }
            row.set(request, at: 2)
            row.set(Double(request) * 0.5, at: 3)
            next += 1
            return ids[next - 1]
          }
        }
      }
      try file.trim()
      return try file.side.tally(of: SampleData.slip)
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int,
    by plan: WritePlan
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    try file.fillSlips(size)
    return MeasuredWork(contender: plan.contender, operations: requests) { watch in
      try file.side.checkpoint()
      try watch.time {
        for request in 1...requests {
          try file.floor.updateSlips(
            firstKey: 1,
            count: size,
            version: Int64(request),
            quantity: Int64(request),
            price: Double(request) * 0.5,
            by: plan
          )
        }
      }
      return try file.side.tally(of: SampleData.slip)
    }
  }

  private static func tracked(
    _ setting: BenchmarkSetting,
    _ size: Int,
    _ requests: Int
  ) throws -> MeasuredWork {
    let file = try setting.trackedFloor()
    try file.fillSlips(size, firstKey: 1)
    return MeasuredWork(contender: MeasuredWork.trackedFloor, operations: requests) { watch in
      try file.side.checkpoint()
      try watch.time {
        for request in 1...requests {
          try file.update(
            firstKey: 1,
            count: size,
            quantity: Int64(request),
            price: Double(request) * 0.5
          )
        }
      }
      try file.trim()
      return try file.side.tally(of: SampleData.slip)
    }
  }

  // MARK: By predicate

  private static func matching(_ size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "write update where \(size)",
      part: "Store.batchUpdate",
      operation: "where a predicate matches",
      condition: size.rows,
      "One request sets two attributes of the \(size.rows) of a table that match a predicate; the "
        + "floor (SQLite in C, cost 1) runs one UPDATE with the same predicate.",
      at: .three
    ) { setting in
      let requests = setting.repeats(max(8, 4000 / (size + 7)))
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

  private static func floorMatching(
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
}

extension BenchmarkStore {
  /// Inserts `Slip` objects, all of kind 1.
  @discardableResult
  func fillSlips(_ count: Int) throws -> [ObjectID] {
    let items = SampleData.items(count)
    var next = 0
    let result = try store.batchInsert(
      into: SampleData.slip,
      by: BatchAuthor("app"),
      result: .objectIDs
    ) { row in
      guard next < items.count else { return false }
      row.set(items[next])
      next += 1
      return true
    }
    return result.objectIDs
  }
}

extension BenchmarkFloorFile {
  /// Inserts `Slip` objects, all of kind 1, with keys from 1 on.
  func fillSlips(_ count: Int) throws {
    try SampleData.items(count).map(\.floorItem).withUnsafeBufferPointer {
      try floor.insert($0, firstKey: 1, version: 1)
    }
  }
}

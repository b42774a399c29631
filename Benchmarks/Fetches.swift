import BenchmarkFloor
import HistoryStore
import Measuring
import PersistentHistory

/// Fetches of what is new after a token.
enum Fetches {
  static let all = [subject(of: 10, repeats: 300), subject(of: 1000, repeats: 12)]

  private static func subject(of count: Int, repeats: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "fetch newest \(count)",
      part: "Store.fetch",
      operation: "after token",
      condition: "\(count) new",
      "The newest \(count) transactions of ten changes are read and unpacked into one page; the "
        + "floor unpacks the same bytes in C."
    ) { setting in
      let fetches = setting.repeats(repeats)
      return [try ours(setting, count, fetches), try floor(setting, count, fetches)]
    }
  }

  private static func ours(
    _ setting: BenchmarkSetting,
    _ count: Int,
    _ fetches: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let token = try file.token(try file.side.head() - Int64(count))
    return MeasuredWork(contender: MeasuredWork.store, operations: fetches) { watch in
      let request = HistoryRequest(after: token, transactionCountMax: count)
      try watch.time {
        for _ in 0..<fetches { _ = try file.store.fetch(request) }
      }
      return WorkTally(try file.store.fetch(request))
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ count: Int,
    _ fetches: Int
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    let after = try file.side.head() - Int64(count)
    return MeasuredWork(contender: MeasuredWork.floor, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches { try file.floor.fetch(after: after, limit: count) { _ in } }
      }
      return try file.floor.fetch(after: after, limit: count) { WorkTally($0) }
    }
  }
}

extension WorkTally {
  /// The changes of a page, and the sum of all their numbers.
  init(_ page: HistoryPage) {
    self.init(
      count: page.changes.count,
      sum: page.changeRecords.reduce(0) {
        $0 &+ $1.key &+ Int64($1.columns) &+ Int64($1.tombstoneLength) &+ Int64($1.type.rawValue)
      } &+ page.tombstones.reduce(0) { $0 &+ Int64($1) }
    )
  }

  /// The same of a page that C has read.
  init(_ page: borrowing FloorPage) {
    let changes = UnsafeBufferPointer(start: page.changes, count: Int(page.change_count))
    let tombstones = UnsafeBufferPointer(start: page.tombstones, count: Int(page.tombstone_count))
    self.init(
      count: changes.count,
      sum: changes.reduce(0) {
        $0 &+ $1.key &+ Int64($1.columns) &+ Int64($1.tombstone_length) &+ Int64($1.type)
      } &+ tombstones.reduce(0) { $0 &+ Int64($1) }
    )
  }
}

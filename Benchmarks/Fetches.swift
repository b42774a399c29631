import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Measuring

/// Fetches of the transactions after a token, and of the whole history.
enum Fetches {
  static let all = [
    subject(of: 10, repeats: 300),
    subject(of: 100, repeats: 80).varying(BenchmarkAxis.allCases) { try ours($0, 100, 80) },
    subject(of: 1000, repeats: 12),
    everything.long,
  ]

  private static func subject(of count: Int, repeats: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "fetch newest \(count)",
      part: "Store.fetch",
      operation: "after token",
      condition: "\(count) new",
      "The newest \(count) transactions of ten changes are read and unpacked into one page; the "
        + "floor unpacks the same bytes in C."
    ) { setting in
      [try ours(setting, count, repeats), try floor(setting, count, repeats)]
    }.needing(count)
  }

  private static func ours(
    _ setting: BenchmarkSetting,
    _ count: Int,
    _ repeats: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let fetches = setting.repeats(repeats)
    let token = try file.token(try file.side.head() - Int64(count))
    return MeasuredWork(contender: MeasuredWork.store, operations: fetches) { watch in
      let request = HistoryRequest(after: token, transactionCountMax: count)
      let store = try file.fresh()
      try watch.time {
        for _ in 0..<fetches { _ = try store.fetch(request) }
      }
      return WorkTally(try store.fetch(request))
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ count: Int,
    _ repeats: Int
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    let fetches = setting.repeats(repeats)
    let after = try file.side.head() - Int64(count)
    return MeasuredWork(contender: MeasuredWork.floor, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches { try file.floor.fetch(after: after, limit: count) { _ in } }
      }
      return try file.floor.fetch(after: after, limit: count) { WorkTally($0) }
    }
  }

  // MARK: Whole history

  private static let pageSize = 1000

  private static let everything = BenchmarkSubject(
    "fetch everything",
    part: "Store.fetch",
    operation: "of everything",
    "All of the history is read and unpacked, a thousand transactions a page; the floor unpacks the "
      + "same bytes in C, page by page."
  ) { setting in
    let file = try setting.store()
    let floor = try FloorDatabase(path: file.store.path)
    return [
      MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
        try watch.time { try readAll(file.store) }
      },
      MeasuredWork(contender: MeasuredWork.floor, operations: 1) { watch in
        try watch.time { try readAll(floor) }
      },
    ]
  }

  /// Reads all pages, and returns the number of changes and the number of the last transaction.
  private static func readAll(_ store: Store) throws -> WorkTally {
    var tally = WorkTally(count: 0 as Int64, sum: 0)
    var request = HistoryRequest(after: nil, transactionCountMax: pageSize)
    var page: HistoryPage
    repeat {
      page = try store.fetch(request)
      tally.count += Int64(page.changes.count)
      tally.sum = page.records.last?.number ?? tally.sum
      request = request.next(after: page)
    } while page.hasMore
    return tally
  }

  private static func readAll(_ floor: FloorDatabase) throws -> WorkTally {
    var tally = WorkTally(count: 0 as Int64, sum: 0)
    var hasMore = true
    while hasMore {
      let page = try floor.fetch(after: tally.sum, limit: pageSize) { page in
        (changes: page.change_count, transactions: Int(page.transaction_count), last: page.last)
      }
      tally.count += page.changes
      tally.sum = page.last ?? tally.sum
      hasMore = page.transactions == pageSize
    }
    return tally
  }
}

extension FloorPage {
  /// The number of the newest transaction of the page.
  fileprivate var last: Int64? {
    UnsafeBufferPointer(start: transactions, count: Int(transaction_count)).last?.number
  }
}

extension WorkTally {
  /// Tallies the changes of a page, and the sum of all their numbers.
  init(_ page: HistoryPage) {
    self.init(
      count: page.changes.count,
      sum: page.changeRecords.reduce(0) {
        $0 &+ $1.key &+ Int64($1.columns) &+ Int64($1.tombstoneLength) &+ Int64($1.type.rawValue)
      } &+ page.tombstones.reduce(0) { $0 &+ Int64($1) }
    )
  }

  /// Tallies the same values of a page that was read in C.
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

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
      "The newest \(count) transactions of ten changes are read and unpacked into one page; the floor "
        + "(SQLite in C, cost 1) unpacks the same bytes in C."
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
    "All of the history is read and unpacked, a thousand transactions a page; the floor (SQLite in C, "
      + "cost 1) unpacks the same bytes in C, page by page."
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
  /// Counts the changes of a page, and computes a checksum of them.
  ///
  /// The checksum adds up each change's key, column bit mask, type number and tombstone length, and
  /// the bytes of all tombstones.
  init(_ page: HistoryPage) {
    self.init(
      count: page.changes.count,
      sum: page.changeRecords.reduce(0) {
        $0 &+ $1.key &+ Int64($1.columns) &+ Int64($1.tombstoneLength) &+ Int64($1.type.rawValue)
      } &+ page.tombstones.reduce(0) { $0 &+ Int64($1) }
    )
  }

  /// Counts the changes of a page read in C, and computes the same checksum as for a `HistoryPage`.
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

/// Fetches of the transactions after a token, filtered by author or by entity.
enum Filters {
  static let all = [
    author.varying([.oneAuthor, .manyAuthors, .coreData]) { try ofAuthor($0) },
    entity,
  ]

  /// The number of matching transactions that are fetched.
  private static let count = 50
  private static let repeats = 80

  // MARK: By author

  private static let writer = "app"
  /// The number of new transactions: enough for each of up to sixteen authors to have written `count`.
  private static let newCount = Int64(16 * count)

  private static let author = BenchmarkSubject(
    "fetch by author",
    part: "Store.fetch",
    operation: "of one author",
    condition: "\(count) of \(newCount) new",
    "The first \(count) of one author's transactions after a token are read and unpacked; the floor "
      + "(SQLite in C, cost 1) asks for the same author and unpacks the same bytes in C."
  ) { setting in
    [try ofAuthor(setting), try floorOfAuthor(setting)]
  }.needing(Int(newCount))

  private static func ofAuthor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.store()
    let token = try file.token(try file.side.head() - newCount)
    let fetches = setting.repeats(repeats)
    return MeasuredWork(contender: MeasuredWork.store, operations: fetches) { watch in
      let request = HistoryRequest(
        after: token,
        filter: .author(writer),
        transactionCountMax: count
      )
      try watch.time {
        for _ in 0..<fetches { _ = try file.store.fetch(request) }
      }
      return WorkTally(try file.store.fetch(request))
    }
  }

  private static func floorOfAuthor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.floor()
    let after = try file.side.head() - newCount
    let fetches = setting.repeats(repeats)
    return MeasuredWork(contender: MeasuredWork.floor, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches {
          try file.floor.fetch(author: writer, after: after, limit: count) { _ in }
        }
      }
      return try file.floor.fetch(author: writer, after: after, limit: count) { WorkTally($0) }
    }
  }

  // MARK: By entity

  /// The number of transactions that change `Item` rows, before each one that inserts a `Slip` row.
  private static let itemCount = 19

  private static let entity = BenchmarkSubject(
    "fetch by entity",
    part: "Store.fetch",
    operation: "of one entity",
    condition: "\(count) of \(count * (itemCount + 1)) new",
    "Of the new transactions the \(count) that changed one entity are read and unpacked; the floor "
      + "(SQLite in C, cost 1) selects the same transactions by the entity's bit and unpacks the same "
      + "bytes in C."
  ) { setting in
    let file = try setting.store()
    let start = try file.store.currentToken()
    var writer = try HistoryWriter(file.store, seed: 1)
    for _ in 0..<count {
      try writer.append(itemCount)
      try file.store.insertSlip()
    }
    return [ofEntity(file, start, setting), try floorOfEntity(file, start, setting)]
  }

  private static func ofEntity(
    _ file: BenchmarkStore,
    _ start: HistoryToken,
    _ setting: BenchmarkSetting
  ) -> MeasuredWork {
    let fetches = setting.repeats(repeats)
    let request = HistoryRequest(
      after: start,
      filter: .entity(SampleData.slip),
      transactionCountMax: count
    )
    return MeasuredWork(contender: MeasuredWork.store, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches { _ = try file.store.fetch(request) }
      }
      return WorkTally(try file.store.fetch(request))
    }
  }

  private static func floorOfEntity(
    _ file: BenchmarkStore,
    _ start: HistoryToken,
    _ setting: BenchmarkSetting
  ) throws -> MeasuredWork {
    let floor = try FloorDatabase(path: file.store.path)
    let entity = file.store.model.number(of: SampleData.slip) ?? 0
    let fetches = setting.repeats(repeats)
    return MeasuredWork(contender: MeasuredWork.floor, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches {
          try floor.fetch(entity: entity, after: start.number, limit: count) { _ in }
        }
      }
      return try floor.fetch(entity: entity, after: start.number, limit: count) { WorkTally($0) }
    }
  }
}

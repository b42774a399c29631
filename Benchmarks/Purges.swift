import HistoryStore
import HistoryTypes
import Measuring

/// Purges of history that every member has merged.
enum Purges {
  static let all = [
    BenchmarkSubject(
      "purge 1000",
      part: "Store.purge",
      operation: "of 1000 transactions",
      "The oldest 1000 transactions of ten changes, which the one member has merged, are purged; the "
        + "floor (SQLite in C, cost 1) deletes the same rows with one statement."
    ) { setting in
      [try ours(setting), try floor(setting)]
    }.needing(count).varying([.oneAuthor, .manyAuthors, .coreData, .full]) { try ours($0) },
    BenchmarkSubject(
      "purge held up",
      part: "Store.purge",
      operation: "with a lagging actor",
      "A purge deletes no transaction, because one member has merged none; the floor (SQLite in C, "
        + "cost 1) reads the least cursor within a write."
    ) { setting in
      let times = setting.repeats(200)
      let (file, floor) = (try setting.store(), try setting.floor())
      for path in [file.store.path, floor.path] { try addLaggingMember(path) }
      return [try heldUp(file, times), heldUp(floor, times)]
    },
    BenchmarkSubject(
      "purge nearly all",
      part: "Store.purge",
      operation: "of all but 100 transactions",
      "All history except the newest 100 transactions is purged, in chunks of a thousand per write "
        + "and, for comparison, in one piece; the floor (SQLite in C, cost 1) deletes the same rows "
        + "with one statement.",
      at: .moderate
    ) { setting in
      [
        try nearlyAll(setting), try nearlyAll(setting, inOnePiece: true),
        nearlyAllOfFloor(setting),
      ]
    }.long,
    BenchmarkSubject(
      "purge lock",
      part: "Store.purge",
      operation: "of nearly all history",
      "All history except the newest 1000 transactions is purged at once; each sample is a time for "
        + "which the purge held the write lock; the floor (SQLite in C, cost 1) is not measured, "
        + "because one statement holds the lock for its whole duration."
    ) { setting in
      let path = try setting.copy()
      let kept = min(1000, setting.historySize / 10)
      let bound = try BenchmarkStore(path: path, historySize: setting.historySize).token(back: kept)
      let store = try Store(path: path, configuration: try LockWatch.configuration())
      let start = NanosecondClock.wall.now()
      var result: PurgeResult?
      let holds = try LockWatch.holds { result = try store.purge(before: bound) }
      let ns = Double(NanosecondClock.wall.now() - start)
      precondition(result?.transactionCount == setting.historySize - kept, "purged otherwise")
      return [
        SampledRow(contender: LockWatch.contender, metric: .wall, outcome: .samples(holds)),
        SampledRow(contender: MeasuredWork.store, metric: .wall, outcome: .samples([ns])),
      ]
    },
  ]

  // MARK: A thousand

  static let count = 1000

  /// Returns the work of purging `count` transactions.
  ///
  /// Before each purge, outside the timed part, the work appends `count` transactions.
  static func ours(
    _ setting: BenchmarkSetting,
    _ count: Int = count
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let member = try file.store.join(MemberID("reader"))
    return MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let first = try file.side.prepareForPurge(of: count)
      // Reads the transactions to be purged into the cache, as a pass would.
      _ = try file.store.fetch(HistoryRequest(after: nil, transactionCountMax: count))
      try file.store.record(member, through: try file.store.currentToken())
      let bound = try file.token(first + Int64(count))
      let result = try watch.time { try file.store.purge(before: bound) }
      return WorkTally(
        count: result.transactionCount,
        sum: try file.side.firstNumber() - first
      )
    }
  }

  private static func floor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.floor()
    return MeasuredWork(contender: MeasuredWork.floor, operations: 1) { watch in
      let first = try file.side.prepareForPurge(of: count)
      try file.floor.fetch(after: 0, limit: count) { _ in }
      let deleted = try watch.time {
        try file.floor.purge(through: first + Int64(count) - 1)
      }
      return WorkTally(count: deleted, sum: try file.side.firstNumber() - first)
    }
  }

  // MARK: With a lagging actor

  /// Registers a member that has merged everything, and one that is at the oldest transaction.
  private static func addLaggingMember(_ path: String) throws {
    let store = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
    _ = try store.join(MemberID("reader"))
    let lagging = try store.join(MemberID("lagging"))
    let side = try SideConnection(path: path)
    let first = try side.firstNumber()
    let mark = try side.mark(of: first)
    // SQL sets the cursor to the oldest transaction, because no method of the store can move this
    // cursor back. The file is then as if all later history had been written after the member joined.
    try side.execute(
      """
      UPDATE history_member SET cursor = \(first), mark = \(mark)
      WHERE id = '\(lagging.member.name)'
      """
    )
  }

  private static func heldUp(_ file: BenchmarkStore, _ times: Int) throws -> MeasuredWork {
    let first = try file.side.firstNumber()
    try file.store.purge()
    return MeasuredWork(contender: MeasuredWork.store, operations: times) { watch in
      var watermark: Int64 = 0
      var count = 0
      try watch.time {
        for _ in 0..<times {
          let result = try file.store.purge()
          watermark = result.watermark.rawValue
          count += result.transactionCount
        }
      }
      return WorkTally(count: count, sum: watermark - first)
    }
  }

  private static func heldUp(_ file: BenchmarkFloorFile, _ times: Int) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.floor, operations: times) { watch in
      var watermark: Int64 = 0
      try watch.time {
        for _ in 0..<times { watermark = try file.floor.watermark() }
      }
      return WorkTally(count: 0 as Int64, sum: watermark - (try file.side.firstNumber()))
    }
  }

  // MARK: Nearly all

  private static let keptCount = 100

  private static func nearlyAll(
    _ setting: BenchmarkSetting,
    inOnePiece: Bool = false
  ) throws -> MeasuredWork {
    let contender = inOnePiece ? "Store, in one piece" : MeasuredWork.store
    return MeasuredWork(contender: contender, operations: 1) { watch in
      let path = try setting.copy()
      var configuration = setting.configuration
      if inOnePiece { configuration.purgeChunkCount = .max / 2 }
      let store = try Store(path: path, configuration: configuration)
      let side = try SideConnection(path: path)
      let first = try side.head() - Int64(keptCount) + 1
      let bound = HistoryToken(store: store.id, number: first, mark: try side.mark(of: first))
      let result = try watch.time { try store.purge(before: bound) }
      return WorkTally(count: result.transactionCount, sum: try side.firstNumber())
    }
  }

  private static func nearlyAllOfFloor(_ setting: BenchmarkSetting) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.floor, operations: 1) { watch in
      let file = try setting.floor()
      let last = try file.side.head() - Int64(keptCount)
      let deleted = try watch.time { try file.floor.purge(through: last) }
      return WorkTally(count: deleted, sum: try file.side.firstNumber())
    }
  }
}

extension BenchmarkStore {
  /// Returns the position of the `count`-th newest transaction.
  fileprivate func token(back count: Int) throws -> HistoryToken {
    try token(try side.head() - Int64(count) + 1)
  }
}

extension SideConnection {
  /// Appends `count` transactions before a purge of `count` transactions, and checkpoints the log.
  ///
  /// History thus keeps its size.
  ///
  /// - Returns: the number of the oldest transaction.
  func prepareForPurge(of count: Int) throws -> Int64 {
    try repeatNewest(count)
    try checkpoint()
    return try firstNumber()
  }
}

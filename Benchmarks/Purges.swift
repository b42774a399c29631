import HistoryStore
import Measuring
import PersistentHistory

/// Purges of what every member has merged.
enum Purges {
  static let all = [
    BenchmarkSubject(
      "purge 1000",
      part: "Store.purge",
      operation: "of 1000 transactions",
      "The oldest 1000 transactions of ten changes, which the one member has merged, are purged; the "
        + "floor deletes the same rows with one statement."
    ) { setting in
      [try ours(setting), try floor(setting)]
    },
    BenchmarkSubject(
      "purge lock",
      part: "Store.purge",
      operation: "of nearly all history",
      "All of the history but its newest 1000 transactions is purged at once; each sample is the time "
        + "for which the purge held the write lock; the floor is missing, for one statement holds the "
        + "lock for as long as it takes."
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

  private static let count = 1000

  private static func ours(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.store()
    let member = try file.store.join(ActorID("reader"))
    return MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let first = try file.side.prepareForPurge(of: count)
      // The pages of what goes are in the cache, as they are after a pass.
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
}

extension BenchmarkStore {
  /// The position of the oldest of so many newest transactions.
  fileprivate func token(back count: Int) throws -> HistoryToken {
    try token(try side.head() - Int64(count) + 1)
  }
}

extension SideConnection {
  /// Writes as many transactions as will go, so that history keeps its size, and empties the log.
  ///
  /// - Returns: the number of the first transaction.
  fileprivate func prepareForPurge(of count: Int) throws -> Int64 {
    try repeatNewest(count)
    try checkpoint()
    return try firstNumber()
  }

  fileprivate func firstNumber() throws -> Int64 {
    try integer("SELECT min(number) FROM history_transaction")
  }
}

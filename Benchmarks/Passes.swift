import BenchmarkFloor
import HistoryStore
import HistoryTracking
import HistoryTypes
import Measuring
import ObjectContexts

/// The cost of a pass, which fetches and merges new transactions and records the cursor.
///
/// The cost is compared with the cost of the unavoidable work: fetching the transactions, and
/// reading the changed rows.
enum Passes {
  /// The contender that only fetches the transactions and reads the changed rows.
  static let floor = "fetch and refetch"

  static let all = [
    BenchmarkSubject(
      "pass 1000",
      part: "TrackerCore.pass",
      operation: "over 1000 transactions",
      "A member that is 1000 transactions of ten changes behind fetches, merges and records them, "
        + "with a context of 10,000 objects and without hooks; the floor (cost 1) is the same fetch, "
        + "and the reading of the rows that changed by their sorted keys.",
      floor: floor
    ) { setting in
      let data = try MergeData(setting)
      return [pass(data), fetchAndRefetch(data)]
    }.varying([.coreData, .cold, .full, .captured]) { pass(try MergeData($0)) }
  ]

  /// Returns the work of fetching and merging all new transactions and recording the cursor.
  static func pass(
    _ data: MergeData,
    _ contender: String = MeasuredWork.store
  ) -> MeasuredWork {
    MeasuredWork(contender: contender, operations: 1) { watch in
      let store = try data.file.fresh()
      let context = try data.staleContext(on: store)
      let session = MemberSession(data.member, store: store, contexts: [context])
      var configuration = TrackerConfiguration()
      configuration.strategy = .none
      configuration.logLevel = nil
      let core = TrackerCore(session, configuration)
      let report = watch.time { core.pass(launching: false) }
      if let failure = report.failure { throw failure }
      return try data.tally(in: context)
    }
  }

  private static func fetchAndRefetch(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: floor, operations: 1) { watch in
      let rows = try watch.time {
        _ = try data.file.store.fetch(data.request)
        return try data.file.store.rows(data.entity, sortedKeys: data.changedKeys)
      }
      return WorkTally(
        count: rows.count,
        sum: rows.reduce(0) { $0 + MergeData.int($1.values[2]) }
      )
    }
  }
}

/// Merges of new history into contexts, and their costliest part, the refetch of changed rows.
enum Merges {
  static let all = [
    BenchmarkSubject(
      "merge 1000",
      part: "ObjectContext.merge",
      operation: "of 1000 transactions",
      "A page of 1000 transactions of ten changes is merged into a context of 10,000 objects; the "
        + "floor (SQLite in C, cost 1) only reads the rows that changed, by their sorted keys."
    ) { setting in
      let data = try MergeData(setting)
      return [merge(data), try floor(data)]
    },
    BenchmarkSubject(
      "merge four contexts",
      part: "ObjectContext.merge",
      operation: "into four contexts",
      condition: "1000 transactions",
      "A page of 1000 transactions of ten changes is merged into four contexts of 10,000 objects "
        + "one after the other; the floor (cost 1) is the merge into one context.",
      floor: oneContext
    ) { setting in
      let data = try MergeData(setting)
      return [mergeIntoFour(data), merge(data, oneContext)]
    },
    BenchmarkSubject(
      "merge refetch",
      part: "Store.rows",
      operation: "by sorted keys",
      "The rows that 1000 transactions changed are read into memory; the floor (SQLite in C, cost 1) "
        + "joins the table with an array of the keys."
    ) { setting in
      let data = try MergeData(setting)
      return [refetch(data), try floor(data)]
    },
  ]

  /// The contender that merges into one context, for comparison with four.
  private static let oneContext = "Store, one context"

  private static func merge(
    _ data: MergeData,
    _ contender: String = MeasuredWork.store
  ) -> MeasuredWork {
    MeasuredWork(contender: contender, operations: 1) { watch in
      let context = try data.staleContext()
      let delta = try watch.time { try context.merge(data.page.transactions) }
      return try data.tally(of: delta.inserted + delta.updated, in: context)
    }
  }

  private static func mergeIntoFour(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let contexts = try (0..<4).map { _ in try data.staleContext() }
      try watch.time {
        for context in contexts { try context.merge(data.page.transactions) }
      }
      let tallies = try contexts.map { try data.tally(in: $0) }
      precondition(Set(tallies).count == 1, "contexts that merged the same transactions differ")
      return tallies[0]
    }
  }

  private static func refetch(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let rows = try watch.time {
        try data.file.store.rows(data.entity, sortedKeys: data.changedKeys)
      }
      return WorkTally(
        count: rows.count,
        sum: rows.reduce(0) { $0 + MergeData.int($1.values[2]) }
      )
    }
  }

  private static func floor(_ data: MergeData) throws -> MeasuredWork {
    let file = try BenchmarkFloorFile(path: data.path)
    let room = [FloorRow](repeating: FloorRow(), count: data.changedKeys.count)
    return MeasuredWork(contender: MeasuredWork.floor, operations: 1) { watch in
      var rows = room
      let found = try rows.withUnsafeMutableBufferPointer { rows in
        try watch.time { try file.floor.rows(data.changedKeys, into: rows) }
      }
      return WorkTally(
        count: found,
        sum: rows.prefix(found).reduce(0) { $0 + $1.item.quantity }
      )
    }
  }
}

/// Tracking without history: reading all rows again to find the changes.
///
/// The cost is compared with a pass, which fetches and merges new transactions.
enum Rereads {
  static let all = [
    BenchmarkSubject(
      "peers pass",
      part: "TrackerCore.pass",
      operation: "beside reading again",
      condition: "\(newCount) new",
      "A member passes over the newest \(newCount) transactions of ten changes; a context without "
        + "history reads its 10,000 objects again, and the floor (SQLite in C, cost 1) reads the same "
        + "rows in C and compares them with those that were known."
    ) { setting in
      let data = try MergeData(setting, transactionCount: newCount)
      return [Passes.pass(data), readAgain(data), try compare(data)]
    }
  ]

  private static let newCount = 100

  private static func readAgain(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: "reading again", operations: 1) { watch in
      let context = try data.staleContext()
      _ = try watch.time { try context.loadAll() }
      return try data.tally(in: context)
    }
  }

  /// Reads all rows in C, and compares them with the rows from before the new transactions.
  private static func compare(_ data: MergeData) throws -> MeasuredWork {
    let empty = [FloorRow](repeating: FloorRow(), count: 2 * SampleData.itemCount)
    var known = empty
    let before = try FloorDatabase(path: data.before.path)
    let count = try known.withUnsafeMutableBufferPointer { try before.allRows(into: $0) }
    known.removeLast(known.count - count)
    let floor = try FloorDatabase(path: data.path)
    return MeasuredWork(contender: MeasuredWork.floor, operations: 1) { [known] watch in
      var rows = empty
      let found = try rows.withUnsafeMutableBufferPointer { rows in
        try watch.time { try floor.compare(with: known, into: rows) }
      }
      precondition(
        found.gone == data.goneCount,
        "the floor found \(found.gone) deleted rows, not \(data.goneCount)"
      )
      return WorkTally(
        count: found.differing,
        sum: rows.prefix(found.differing).reduce(0) { $0 + $1.item.quantity }
      )
    }
  }
}

import HistoryStore
import HistoryTracking
import Measuring
import ObjectContexts
import PersistentHistory

/// What a pass costs above what it cannot do without.
enum Passes {
  /// The work that no pass can do without.
  static let floor = "fetch and refetch"

  static let all = [
    BenchmarkSubject(
      "pass 1000",
      part: "MemberSession.pass",
      operation: "over 1000 transactions",
      "A member that is 1000 transactions of ten changes behind fetches, merges and records them, with "
        + "a context of 10,000 objects and without hooks; the floor is the same fetch, and the "
        + "reading of the rows that changed by their sorted keys.",
      floor: floor
    ) { setting in
      let data = try MergeData(setting)
      return [pass(data), fetchAndRefetch(data)]
    }
  ]

  private static func pass(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let context = try data.staleContext()
      let session = MemberSession(data.member, store: data.store.store, contexts: [context])
      var report = PassReport()
      try watch.time { try session.pass(purging: false, &report) }
      let ids = data.changedKeys.map { ObjectID(entity: data.entity, key: $0) }
      return try data.tally(of: ids, in: context)
    }
  }

  private static func fetchAndRefetch(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: floor, operations: 1) { watch in
      let rows = try watch.time {
        _ = try data.store.store.fetch(data.request)
        return try data.store.store.rows(data.entity, sortedKeys: data.changedKeys)
      }
      return WorkTally(
        count: rows.keys.count,
        sum: rows.keys.indices.reduce(0) {
          $0 + MergeData.int(rows.values[$1 * rows.width + 2])
        }
      )
    }
  }
}

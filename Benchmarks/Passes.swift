import HistoryStore
import HistoryTracking
import HistoryTypes
import Measuring
import ObjectContexts

/// The cost of a pass compared with that of its unavoidable work.
enum Passes {
  /// The contender that performs only the unavoidable work.
  static let floor = "fetch and refetch"

  static let all = [
    BenchmarkSubject(
      "pass 1000",
      part: "TrackerCore.pass",
      operation: "over 1000 transactions",
      "A member that is 1000 transactions of ten changes behind fetches, merges and records them, with "
        + "a context of 10,000 objects and without hooks; the floor is the same fetch, and the "
        + "reading of the rows that changed by their sorted keys.",
      floor: floor
    ) { setting in
      let data = try MergeData(setting)
      return [pass(data), fetchAndRefetch(data)]
    }.varying([.coreData, .cold, .full, .captured]) { pass(try MergeData($0)) }
  ]

  /// Creates a pass over all new transactions, which records its cursor in each measurement.
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
        count: rows.keys.count,
        sum: rows.keys.indices.reduce(0) {
          $0 + MergeData.int(rows.values[$1 * rows.width + 2])
        }
      )
    }
  }
}

import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Measuring
import ObjectContexts

/// Merges of new history into contexts, and their costliest part, the refetch of changed rows.
enum Merges {
  static let all = [
    BenchmarkSubject(
      "merge 1000",
      part: "ObjectContext.merge",
      operation: "of 1000 transactions",
      "A page of 1000 transactions of ten changes is merged into a context of 10,000 objects; the "
        + "floor only reads the rows that changed, by their sorted keys."
    ) { setting in
      let data = try MergeData(setting)
      return [merge(data), try floor(data)]
    },
    BenchmarkSubject(
      "merge four contexts",
      part: "ObjectContext.merge",
      operation: "into four contexts",
      condition: "1000 transactions",
      "A page of 1000 transactions of ten changes is merged into four contexts of 10,000 objects one "
        + "after the other; instead of the floor stands the merge into one context.",
      floor: oneContext
    ) { setting in
      let data = try MergeData(setting)
      return [mergeIntoFour(data), merge(data, oneContext)]
    },
    BenchmarkSubject(
      "merge refetch",
      part: "Store.rows",
      operation: "by sorted keys",
      "The rows that 1000 transactions changed are read into memory; the floor joins the table with "
        + "an array of the keys."
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
      precondition(Set(tallies).count == 1, "contexts that merged the same hold something else")
      return tallies[0]
    }
  }

  private static func refetch(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let rows = try watch.time {
        try data.file.store.rows(data.entity, sortedKeys: data.changedKeys)
      }
      let width = rows.width
      return WorkTally(
        count: rows.keys.count,
        sum: rows.keys.indices.reduce(0) { $0 + MergeData.int(rows.values[$1 * width + 2]) }
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

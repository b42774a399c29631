import BenchmarkFloor
import HistoryStore
import Measuring
import ObjectContexts
import PersistentHistory

/// Merges of new history into a context, and their costliest part: reading changed rows again.
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

  private static func merge(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let context = try data.staleContext()
      let delta = try watch.time { try context.merge(data.page.transactions) }
      return try data.tally(of: delta.inserted + delta.updated, in: context)
    }
  }

  private static func refetch(_ data: MergeData) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.store, operations: 1) { watch in
      let rows = try watch.time {
        try data.store.store.rows(data.entity, sortedKeys: data.changedKeys)
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

/// A context that is a thousand transactions behind, as often as it is needed.
private final class MergeData {
  static let transactionCount = 1000

  let store: BenchmarkStore
  let path: String
  let page: HistoryPage
  let entity: Int32
  /// The rows that a merge reads again, sorted.
  private(set) var changedKeys: [Int64] = []
  /// The store as it was before.
  private let before: Store

  init(_ setting: BenchmarkSetting) throws {
    before = try Store(path: try setting.copy(), configuration: StoreTemplate.configuration)
    path = try setting.copy()
    store = try BenchmarkStore(path: path, historySize: setting.historySize)
    entity = store.store.model.number(of: SampleData.item) ?? 0
    let start = try store.store.currentToken()
    var writer = try HistoryWriter(store.store, seed: 1)
    try writer.append(Self.transactionCount)
    page = try store.store.fetch(
      HistoryRequest(after: start, transactionCountMax: Self.transactionCount)
    )
    let delta = try staleContext().merge(page.transactions)
    changedKeys = (delta.inserted + delta.updated).map(\.key).sorted()
  }

  /// A context that holds the data as it was before the page, alone: nothing in it is shared with
  /// another context, so that a merge copies nothing.
  func staleContext() throws -> ObjectContext {
    let context = ObjectContext(store: before, author: "reader")
    try context.loadAll()
    return ObjectContext(store: store.store, memory: context.memory)
  }

  /// The objects that a merge read, and the sum of their quantities.
  func tally(of ids: [ObjectID], in context: ObjectContext) throws -> WorkTally {
    let sum = try ids.reduce(0 as Int64) {
      $0 + Self.int(try context.object($1)?["quantity"] ?? .null)
    }
    return WorkTally(count: ids.count, sum: sum)
  }

  static func int(_ value: Value) -> Int64 {
    if case .int(let number) = value { number } else { 0 }
  }
}

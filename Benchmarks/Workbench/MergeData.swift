import HistoryStore
import HistoryTracking
import ObjectContexts
import PersistentHistory

/// A store with new transactions, and contexts that have not merged them.
final class MergeData {
  let file: BenchmarkStore
  let path: String
  /// The request for the new transactions.
  let request: HistoryRequest
  let page: HistoryPage
  let entity: Int32
  /// The keys of the rows that a merge refetches, sorted.
  private(set) var changedKeys: [Int64] = []
  /// The number of objects that a merge removes.
  private(set) var goneCount = 0
  /// The state of a member that has merged none of the new transactions.
  let member: MemberSession.Memory
  /// The store without the new transactions.
  let before: Store

  /// Appends a number of transactions to the store's history.
  init(_ setting: BenchmarkSetting, transactionCount: Int = 1000) throws {
    before = try Store(path: try setting.copy(), configuration: setting.configuration)
    path = try setting.copy()
    file = try BenchmarkStore(path: path, setting)
    entity = file.store.model.number(of: SampleData.item) ?? 0
    let session = try MemberSession("reader", store: file.store, contexts: [], author: nil)
    member = session.memory
    request = HistoryRequest(
      after: session.registration.cursor,
      transactionCountMax: transactionCount
    )
    var writer = try HistoryWriter(
      file.store,
      seed: 1,
      authorCount: setting.axis?.shape.authorCount ?? StoreShape.base.authorCount
    )
    try writer.append(transactionCount)
    page = try file.store.fetch(request)
    let delta = try staleContext().merge(page.transactions)
    changedKeys = (delta.inserted + delta.updated).map(\.key).sorted()
    goneCount = delta.deleted.count
  }

  /// Returns a context with the data before the new transactions.
  ///
  /// It shares no data with another context, so that a merge copies nothing.
  func staleContext() throws -> ObjectContext { try staleContext(on: file.store) }

  /// Returns such a context on another connection to the store.
  func staleContext(on store: Store) throws -> ObjectContext {
    let context = ObjectContext(store: before, author: "reader")
    try context.loadAll()
    return ObjectContext(store: store, memory: context.memory)
  }

  /// Tallies the objects that a merge reads, and the sum of their quantities in a context.
  func tally(in context: ObjectContext) throws -> WorkTally {
    try tally(of: changedKeys.map { ObjectID(entity: entity, key: $0) }, in: context)
  }

  /// Tallies the given objects, and the sum of their quantities in a context.
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

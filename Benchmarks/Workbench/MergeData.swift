import HistoryStore
import HistoryTracking
import ObjectContexts
import PersistentHistory

/// A context that is some transactions behind, as often as it is needed.
final class MergeData {
  let file: BenchmarkStore
  let path: String
  /// What is new for the context.
  let request: HistoryRequest
  let page: HistoryPage
  let entity: Int32
  /// The rows that a merge reads again, sorted.
  private(set) var changedKeys: [Int64] = []
  /// How many objects a merge forgets.
  private(set) var goneCount = 0
  /// A member that has merged nothing of it.
  let member: MemberSession.Memory
  /// The store as it was before.
  let before: Store

  /// Makes the store's history longer by so many transactions.
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

  /// A context that holds the data as it was before the page, alone: nothing in it is shared with
  /// another context, so that a merge copies nothing.
  func staleContext() throws -> ObjectContext { try staleContext(on: file.store) }

  /// The same on another connection to the store.
  func staleContext(on store: Store) throws -> ObjectContext {
    let context = ObjectContext(store: before, author: "reader")
    try context.loadAll()
    return ObjectContext(store: store, memory: context.memory)
  }

  /// The objects that a merge reads, and the sum of their quantities in a context.
  func tally(in context: ObjectContext) throws -> WorkTally {
    try tally(of: changedKeys.map { ObjectID(entity: entity, key: $0) }, in: context)
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

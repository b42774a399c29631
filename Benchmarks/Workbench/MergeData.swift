import HistoryStore
import HistoryTracking
import ObjectContexts
import PersistentHistory

/// A context that is a thousand transactions behind, as often as it is needed.
final class MergeData {
  static let transactionCount = 1000

  let store: BenchmarkStore
  let path: String
  /// What is new for the context.
  let request: HistoryRequest
  let page: HistoryPage
  let entity: Int32
  /// The rows that a merge reads again, sorted.
  private(set) var changedKeys: [Int64] = []
  /// A member that has merged nothing of it.
  let member: MemberSession.Memory
  /// The store as it was before.
  private let before: Store

  init(_ setting: BenchmarkSetting) throws {
    before = try Store(path: try setting.copy(), configuration: StoreTemplate.configuration)
    path = try setting.copy()
    store = try BenchmarkStore(path: path, historySize: setting.historySize)
    entity = store.store.model.number(of: SampleData.item) ?? 0
    let session = try MemberSession("reader", store: store.store, contexts: [], author: nil)
    member = session.memory
    request = HistoryRequest(
      after: session.registration.cursor,
      transactionCountMax: Self.transactionCount
    )
    var writer = try HistoryWriter(store.store, seed: 1)
    try writer.append(Self.transactionCount)
    page = try store.store.fetch(request)
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

import Basics
import BenchmarkFloor
import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import Measuring
import ObjectContexts

/// The data of all benchmarks: rows of seven columns and about 55 bytes, with key and version.
enum SampleData {
  /// The entity whose objects fill the store, and whose changes are the history.
  static let item = "Item"
  /// The entity whose rows the benchmarks of batch requests insert and delete.
  static let slip = "Slip"
  /// The number of items in a store, whatever the size of its history.
  static let itemCount = 10_000
  /// The bit mask of the columns `quantity` and `price`, which updates set.
  static let updatedColumns: UInt64 = 0b1100

  static func model() throws -> Model {
    let attributes = [
      Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
      Attribute("kind", .int), Attribute("quantity", .int), Attribute("price", .double),
      Attribute("changed", .date),
    ]
    return try Model([Entity(item, attributes), Entity(slip, attributes)])
  }

  /// Returns the rows to be written, the same for every contender.
  static func items(_ count: Int) -> [SampleItem] { (0..<count).map(SampleItem.init) }
}

/// The values of one row, without key and version.
struct SampleItem {
  var name: String
  var kind: Int64 = 1
  var quantity: Int64
  var price: Double
  var changed: Date

  /// Creates the row for a number; the name has sixteen letters, too many for an inline `String`.
  init(_ number: Int) {
    let mixed = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    let digits = String(mixed, radix: 16)
    name = String(repeating: "0", count: 16 - digits.count) + digits
    quantity = Int64(number & 1023)
    price = Double(number) * 0.25
    changed = Date(timeIntervalSinceReferenceDate: 7e8 + Double(number))
  }

  /// The values in the order of the attributes.
  var values: [Value] {
    [.string(name), .int(kind), .int(quantity), .double(price), .date(changed)]
  }

  /// The values of the row as a C struct.
  var floorItem: FloorItem {
    var item = FloorItem()
    withUnsafeMutableBytes(of: &item.name) { $0.copyBytes(from: name.utf8) }
    item.kind = kind
    item.quantity = quantity
    item.price = price
    item.changed = changed.timeIntervalSinceReferenceDate
    return item
  }
}

/// A store with new transactions, and contexts that have not merged them.
final class MergeData {
  let file: BenchmarkStore
  let path: String
  /// The request for the transactions that the initializer appended to ``file``.
  let request: HistoryRequest
  let page: HistoryPage
  let entity: Int32
  /// The keys of the rows that a merge refetches, sorted.
  private(set) var changedKeys: [Int64] = []
  /// The number of objects that a merge removes.
  private(set) var goneCount = 0
  /// The state of a member that has merged none of the transactions of ``request``.
  let member: MemberSession.Snapshot
  /// A second store, on another copy of the template, without the transactions of ``request``.
  let before: Store

  /// Appends a number of transactions to the store's history.
  init(_ setting: BenchmarkSetting, transactionCount: Int = 1000) throws {
    before = try Store(path: try setting.copy(), configuration: setting.configuration)
    path = try setting.copy()
    file = try BenchmarkStore(path: path, setting)
    entity = file.store.model.number(of: SampleData.item) ?? 0
    let session = try MemberSession("reader", store: file.store, contexts: [], author: nil)
    member = session.snapshot
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

  /// Returns a context with all objects, which has not merged the transactions of ``request``.
  ///
  /// The context shares no data with another context, so that a merge copies no data.
  func staleContext() throws -> ObjectContext { try staleContext(on: file.store) }

  /// Returns a context on the given store, with the same objects as that of ``staleContext()``.
  func staleContext(on store: Store) throws -> ObjectContext {
    let context = ObjectContext(store: before, author: "reader")
    try context.loadAll()
    return ObjectContext(store: store, snapshot: context.snapshot)
  }

  /// Returns the number of objects that a merge reads, and the sum of their quantities.
  func tally(in context: ObjectContext) throws -> WorkTally {
    try tally(of: changedKeys.map { ObjectID(entity: entity, key: $0) }, in: context)
  }

  /// Returns the number of the given objects, and the sum of their quantities in a context.
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

/// The random numbers of the stores that a measuring thread opens.
///
/// The numbers are the same in every run, whatever its seed, so that the bytes written and the
/// counts are the same too.
enum BenchmarkRandom {
  static let seed: UInt64 = 0x5eed

  private static let key = "history-lab.benchmark-random"

  /// Returns 64 random bits from the thread's generator; before `restart()`, from the system's.
  static func next() -> UInt64 {
    guard let own = Thread.current.threadDictionary[key] as? OwnRandom else {
      return UInt64.random(in: .min ... .max)
    }
    return own.random.next()
  }

  /// Restarts the calling thread's generator.
  ///
  /// Its numbers then do not depend on earlier measurements.
  static func restart() { Thread.current.threadDictionary[key] = OwnRandom() }
}

/// A random generator that only one thread uses.
private final class OwnRandom {
  var random = SplitMix64(seed: BenchmarkRandom.seed)
}

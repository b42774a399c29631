import Basics
import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Measuring

/// A writer of history with transactions of one shape.
///
/// Each transaction inserts two items, updates six and deletes the two oldest, so that the history
/// grows and the data does not.
struct HistoryWriter {
  static let changesPerTransaction = 10
  private static let insertCount = 2
  private static let updateCount = 6
  /// Returns the names of the authors that take turns, such as `app`, `widget` and `extension 4`.
  static func authors(_ count: Int) -> [String] {
    let known = ["app", "widget", "share", "watch"]
    return (0..<count).map { $0 < known.count ? known[$0] : "extension \($0)" }
  }

  private struct LiveItem {
    var key: Int64
    var version: Int64
  }

  private let store: Store
  private let entity: Int32
  private let writer: WriterID
  private let authors: [String]
  private var random: SplitMix64
  /// The items in the order of their age, as a ring.
  private var live: [LiveItem]
  private var oldest = 0
  private var count = 0

  /// Creates a writer that continues with the items in a store.
  init(_ store: Store, seed: UInt64, authorCount: Int = StoreShape.base.authorCount) throws {
    self.store = store
    authors = Self.authors(authorCount)
    entity = store.model.number(of: SampleData.item) ?? 0
    writer = store.makeWriter()
    random = SplitMix64(seed: seed)
    live = try store.rows(entity).map { LiveItem(key: $0.key, version: $0.version) }
  }

  mutating func append(_ transactions: Int) throws {
    for _ in 0..<transactions { try appendOne() }
  }

  private mutating func appendOne() throws {
    let updated = drawUpdated()
    let edits = try inserts() + updates(of: updated) + deletes()
    let request = SaveRequest(
      edits: edits,
      author: authors[count % authors.count],
      contextName: "view",
      writer: writer,
      policy: .error
    )
    guard let number = try store.save(request).transaction?.token.number else { return }
    for slot in updated { live[slot].version = number }
    for offset in 0..<Self.insertCount {
      live[oldest] = LiveItem(key: edits[offset].id.key, version: number)
      oldest = (oldest + 1) % live.count
    }
    count += 1
  }

  /// Draws distinct indices of ``live``, except the indices of the items about to be deleted.
  private mutating func drawUpdated() -> [Int] {
    var drawn: [Int] = []
    while drawn.count < Self.updateCount {
      let age = Self.insertCount + random.index(below: live.count - Self.insertCount)
      let slot = (oldest + age) % live.count
      if !drawn.contains(slot) { drawn.append(slot) }
    }
    return drawn
  }

  private func inserts() throws -> [ObjectEdit] {
    try (0..<Self.insertCount).map { _ in
      let id = try store.makeObjectID(SampleData.item)
      return ObjectEdit(.insert, id, values: SampleItem(Int(id.key)).values)
    }
  }

  private mutating func updates(of slots: [Int]) -> [ObjectEdit] {
    slots.map { slot in
      let item = live[slot]
      let quantity = Int64(random.index(below: 1024))
      return ObjectEdit(
        .update,
        ObjectID(entity: entity, key: item.key),
        columns: SampleData.updatedColumns,
        version: item.version,
        values: [.int(quantity), .double(Double(quantity) * 0.5)]
      )
    }
  }

  private func deletes() -> [ObjectEdit] {
    (0..<Self.insertCount).map { offset in
      let item = live[(oldest + offset) % live.count]
      return ObjectEdit(
        .delete,
        ObjectID(entity: entity, key: item.key),
        version: item.version
      )
    }
  }
}

/// A writer of objects in batches: our store or SQLite in C, with or without history.
///
/// To be comparable, all writers write the same objects of the sample entity `Slip`.
protocol SlipWriter: AnyObject {
  var contender: String { get }
  var side: SideConnection { get }

  /// Inserts objects of the entity `Slip` with the given numbers in one transaction.
  func insert(_ numbers: Range<Int>) throws

  /// Looks up the identifiers of the existing objects, for updates and deletes.
  func findSlips() throws

  /// Sets quantity and price of the objects with the given numbers in one transaction.
  func update(_ numbers: Range<Int>) throws

  /// Deletes the objects with the given numbers in one transaction.
  func delete(_ numbers: Range<Int>) throws

  /// Returns the number of changes recorded since the last call, or `nil` without a history.
  func takeRecordedCount() throws -> Int64?

  /// Deletes the remaining objects and their history.
  func clear() throws
}

/// The quantity and price that updates set.
///
/// No object is inserted with these values, so that each update changes both.
enum SlipUpdate {
  static let quantity: Int64 = -1
  static let price = -0.5
}

/// A writer of objects of the sample entity `Slip`, with the public batch requests of a store.
final class StoreSlips: SlipWriter {
  let contender = MeasuredWork.store
  private let file: BenchmarkStore
  private let items: [SampleItem]
  private var ids: [ObjectID] = []
  private var start: HistoryToken

  init(_ setting: BenchmarkSetting, _ items: [SampleItem]) throws {
    file = try setting.store()
    self.items = items
    start = try file.store.currentToken()
  }

  var side: SideConnection { file.side }

  func insert(_ numbers: Range<Int>) throws {
    var next = numbers.lowerBound
    try items.withUnsafeBufferPointer { items in
      _ = try file.store.batchInsert(into: SampleData.slip, by: BatchAuthor("app")) { row in
        guard next < numbers.upperBound else { return false }
        row.set(items[next])
        next += 1
        return true
      }
    }
  }

  func findSlips() throws {
    let entity = file.store.model.number(of: SampleData.slip) ?? 0
    ids = try file.store.rows(entity).keys.map { ObjectID(entity: entity, key: $0) }
  }

  func update(_ numbers: Range<Int>) throws {
    var next = numbers.lowerBound
    let result = try file.store.batchUpdate(
      SampleData.slip,
      setting: ["quantity", "price"],
      by: BatchAuthor("app")
    ) { row in
      guard next < numbers.upperBound else { return nil }
      row.set(SlipUpdate.quantity, at: 2)
      row.set(SlipUpdate.price, at: 3)
      next += 1
      return ids[next - 1]
    }
    precondition(result.count == numbers.count, "\(result.count) of \(numbers.count) updated")
  }

  func delete(_ numbers: Range<Int>) throws {
    var next = numbers.lowerBound
    let result = try file.store.batchDelete(SampleData.slip, by: BatchAuthor("app")) {
      next += 1
      return next <= numbers.upperBound ? ids[next - 1] : nil
    }
    precondition(result.count == numbers.count, "\(result.count) of \(numbers.count) deleted")
  }

  func takeRecordedCount() throws -> Int64? {
    var request = HistoryRequest(after: start)
    request.contents = .changesOnly
    let count = try file.store.count(request)
    start = try file.store.currentToken()
    return Int64(count)
  }

  func clear() throws {
    _ = try file.store.batchDelete(SampleData.slip, by: BatchAuthor("app"))
    try file.trim()
    start = try file.store.currentToken()
  }
}

/// Raw SQLite in C that writes `Slip` objects.
///
/// A peer (an alternative to this library, such as SQL triggers) may record their history.
final class FloorSlips: SlipWriter {
  let contender: String
  private let file: BenchmarkFloorFile
  private let items: [FloorItem]
  private let hasPeer: Bool
  private var version: Int64 = 0
  private var counted: Int64 = 0

  init(_ setting: BenchmarkSetting, _ items: [FloorItem]) throws {
    contender = MeasuredWork.floor
    file = try setting.floor()
    self.items = items
    hasPeer = false
  }

  init(
    _ setting: BenchmarkSetting,
    _ items: [FloorItem],
    _ peer: (kind: PeerKind, name: String)
  ) throws {
    contender = peer.name
    file = try setting.floor()
    self.items = items
    hasPeer = true
    try file.floor.attach(peer.kind, to: SampleData.slip)
  }

  var side: SideConnection { file.side }

  func insert(_ numbers: Range<Int>) throws {
    version += 1
    try items.withUnsafeBufferPointer {
      try file.floor.insert(
        .init(rebasing: $0[numbers]),
        firstKey: Int64(numbers.lowerBound + 1),
        version: version
      )
    }
  }

  func findSlips() {}

  func update(_ numbers: Range<Int>) throws {
    version += 1
    try file.floor.updateSlips(
      firstKey: Int64(numbers.lowerBound + 1),
      count: numbers.count,
      version: version,
      quantity: SlipUpdate.quantity,
      price: SlipUpdate.price
    )
  }

  func delete(_ numbers: Range<Int>) throws {
    _ = try file.floor.deleteSlips(
      firstKey: Int64(numbers.lowerBound + 1),
      count: numbers.count
    )
  }

  func takeRecordedCount() throws -> Int64? {
    guard hasPeer else { return nil }
    let all = try file.floor.fetchRecorded(after: 0) { $0.change_count }
    defer { counted = all }
    return all - counted
  }

  func clear() throws {
    try file.floor.delete(kind: 1)
    if hasPeer { try file.floor.clearRecorded() }
    counted = 0
  }
}

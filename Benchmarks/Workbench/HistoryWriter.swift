import HistoryStore
import Measuring
import PersistentHistory

/// A writer of history with transactions of one shape.
///
/// Each transaction inserts two items, updates six and deletes the two oldest, so that the history
/// grows and the data does not.
struct HistoryWriter {
  /// The number of changes in one transaction.
  static let changesPerTransaction = 10
  private static let insertCount = 2
  private static let updateCount = 6
  /// Returns the names of the authors that take turns; those after the fourth are numbered.
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
  private var random: SeededRandom
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
    random = SeededRandom(seed: seed)
    let rows = try store.rows(entity)
    live = zip(rows.keys, rows.versions).map { LiveItem(key: $0, version: $1) }
  }

  /// Appends transactions.
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
    guard let number = try store.save(request).transaction?.number else { return }
    for slot in updated { live[slot].version = number }
    for offset in 0..<Self.insertCount {
      live[oldest] = LiveItem(key: edits[offset].id.key, version: number)
      oldest = (oldest + 1) % live.count
    }
    count += 1
  }

  /// Draws distinct slots of the ring, except those of the items about to be deleted.
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

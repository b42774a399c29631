import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import Measuring
import ObjectContexts

/// How costs grow with quantities other than history: members, entities, attributes, bytes, contexts
/// and rows.
enum Growth {
  static let all = [members, entities, attributes, values, contexts, rows].map(\.subject)

  // MARK: Members

  private static let members = GrowthDirection(
    name: "members",
    unit: "members",
    sentence:
      "they have merged all history of a store; one of them records its position or launches "
      + "again, and a purge deletes ten transactions",
    sizes: [1, 3, 10, 30, 100, 300, 1000],
    quickSizes: [1, 5, 25]
  ) { setting in
    let store = try setting.store(try SampleData.model())
    try store.insertSlip()
    var members = try (0..<setting.size).map { try store.join(MemberID("member \($0)")) }
    var head = try store.currentToken()
    func recordAll() throws {
      head = try store.currentToken()
      for member in members { try store.record(member, through: head) }
    }
    return try setting.usual(store, insert: store.insertSlip) + [
      setting.work(
        "record of a position",
        times: 100,
        before: { head = try store.currentToken() },
        measuring: { try store.record(members[0], through: head) }
      ),
      setting.work("launch of a known member", times: 50) {
        members[0] = try store.join(MemberID("member 0"))
      },
      setting.work(
        "purge of 10 transactions",
        times: 1,
        before: {
          // Purges all history but the newest transaction, so that the timed purge deletes ten.
          try recordAll()
          try store.purge()
          for _ in 0..<10 { try store.insertSlip() }
          try recordAll()
        },
        measuring: { try store.purge() }
      ),
    ]
  }

  // MARK: The model

  private static let entities = GrowthDirection(
    name: "entities",
    unit: "entities",
    sentence:
      "a store's model has this many, each with five attributes; rows of one entity are written, "
      + "and the store is opened again",
    sizes: [2, 5, 10, 30, 100, 250, 500],
    quickSizes: [2, 5, 10]
  ) { setting in
    let base = try SampleData.model()
    let attributes = base.entities[0].attributes
    let others = (0..<setting.size - base.entities.count).map { Entity("Other\($0)", attributes) }
    let store = try setting.store(try Model(base.entities + others))
    try store.insertSlip()
    return try setting.usual(store, insert: store.insertSlip) + [
      try save(setting, ObjectContext(store: store, author: "app"), SampleData.slip, "quantity"),
      setting.work("opening", times: 5) {
        _ = try Store(path: store.path, configuration: store.configuration).currentToken()
      },
    ]
  }

  private static let attributes = GrowthDirection(
    name: "attributes",
    unit: "attributes",
    sentence:
      "rows of integers are inserted, one attribute of a row is set, and rows are deleted whose "
      + "values all stay in history as tombstones",
    sizes: [1, 2, 5, 10, 20, 40, 60],
    quickSizes: [1, 5, 10]
  ) { setting in
    let attributes = (1...setting.size).map {
      Attribute("value\($0)", .int, preservesValueInHistoryOnDeletion: true)
    }
    let store = try setting.store(try Model([Entity(entity, attributes)]))
    return try operations(setting, store, "value1") { row in
      for place in 0..<setting.size { row.set(place + 1_000_000, at: place) }
    }
  }

  private static let values = GrowthDirection(
    name: "values",
    unit: "bytes",
    sentence:
      "rows with a value of this size are inserted, another attribute of a row is set, and rows "
      + "are deleted whose value stays in history as a tombstone",
    sizes: [8, 64, 512, 4096, 32_768, 262_144, 1_048_576],
    quickSizes: [8, 512, 4096]
  ) { setting in
    let attributes = [
      Attribute("count", .int), Attribute("bytes", .data, preservesValueInHistoryOnDeletion: true),
    ]
    let store = try setting.store(try Model([Entity(entity, attributes)]))
    let bytes = Data(repeating: 0x5e, count: setting.size)
    return try operations(setting, store, "count") { row in
      row.set(1, at: 0)
      row.set(bytes, at: 1)
    }
  }

  private static let entity = "Thing"

  /// Returns the measured operations on rows of one entity; `fill` sets the values of each new row.
  private static func operations(
    _ setting: GrowthSetting,
    _ store: Store,
    _ attribute: String,
    fill: @escaping (inout RowWriter) -> Void
  ) throws -> [MeasuredWork] {
    func insert(_ count: Int) throws {
      var left = count
      _ = try store.batchInsert(into: entity, by: BatchAuthor("app")) { row in
        guard left > 0 else { return false }
        fill(&row)
        left -= 1
        return true
      }
    }
    try insert(1)
    let context = ObjectContext(store: store, author: "app")
    let saving = try save(setting, context, entity, attribute)
    let kept = try context.objects(entity, limit: 1).map(\.id)
    var ids: [ObjectID] = []
    return try setting.usual(store) { try insert(1) } + [
      saving,
      setting.work(
        "delete of 10 rows",
        times: 1,
        before: {
          // Also deletes the rows of other measurements: the table does not grow from round to round.
          let number = store.model.number(of: entity) ?? 0
          ids = try store.rows(number).keys.map { ObjectID(entity: number, key: $0) }
            .filter { !kept.contains($0) }
          try delete(&ids, store)
          try store.purge(before: try store.currentToken())
          try insert(10)
          ids = try store.rows(number).keys.map { ObjectID(entity: number, key: $0) }
            .filter { !kept.contains($0) }
        },
        measuring: { try delete(&ids, store) }
      ),
    ]
  }

  private static func delete(_ ids: inout [ObjectID], _ store: Store) throws {
    _ = try store.batchDelete(entity, by: BatchAuthor("app")) { ids.popLast() }
  }

  /// Returns a save of one attribute of the first object of an entity.
  private static func save(
    _ setting: GrowthSetting,
    _ context: ObjectContext,
    _ entity: String,
    _ attribute: String
  ) throws -> MeasuredWork {
    let objects = try context.objects(entity, limit: 1)
    var turn: Int64 = 0
    return setting.work("save of 1 attribute", times: 50) {
      turn += 1
      try objects[0].set(.int(turn), for: attribute)
      try context.save()
    }
  }

  // MARK: Contexts and rows

  private static let contexts = GrowthDirection(
    name: "contexts",
    unit: "contexts",
    sentence:
      "a tracker with contexts of 100 objects each fetches, merges and records ten transactions "
      + "of ten changes",
    sizes: [1, 2, 4, 8, 16, 32, 64],
    quickSizes: [1, 2, 4]
  ) { setting in
    let store = try setting.store(try SampleData.model())
    var items = SampleData.items(100)
    _ = try store.batchInsert(into: SampleData.item, by: BatchAuthor("app")) { row in
      guard let item = items.popLast() else { return false }
      row.set(item)
      return true
    }
    let contexts = (0..<setting.size).map { _ in ObjectContext(store: store, author: "reader") }
    let session = try MemberSession("reader", store: store, contexts: contexts, author: "reader")
    var configuration = TrackerConfiguration()
    configuration.strategy = .none
    configuration.logLevel = nil
    let core = TrackerCore(session, configuration)
    var writer = try HistoryWriter(store, seed: 1)
    return [
      setting.work(
        "pass over 10 transactions",
        times: 1,
        before: { try writer.append(10) },
        measuring: {
          if let failure = core.pass(launching: false).failure { throw failure }
        }
      )
    ]
  }

  private static let rows = GrowthDirection(
    name: "rows",
    unit: "rows",
    sentence:
      "a table has this many, and an index over two attributes; a row is inserted, one attribute "
      + "of a row is set, and ten rows are found by the index",
    sizes: [1000, 10_000, 100_000, 1_000_000, 10_000_000],
    quickSizes: [1000, 3000, 10_000]
  ) { setting in
    let attributes = try SampleData.model().entities[0].attributes
    let model = try Model([Entity(SampleData.slip, attributes, indexes: [["quantity", "price"]])])
    let store = try setting.store(model)
    try fill(store, setting.size)
    let context = ObjectContext(store: store, author: "app")
    return try setting.usual(store, insert: store.insertSlip) + [
      try save(setting, context, SampleData.slip, "kind"),
      setting.work("query of 10 by an index", times: 50) {
        let found = try context.objects(
          SampleData.slip,
          where: .compare("quantity", .equal, 500),
          sortedBy: ["price"],
          limit: 10
        )
        guard !found.isEmpty else { throw MissingRows() }
      },
    ]
  }

  /// Inserts rows, in transactions of at most 100,000, and purges their history.
  private static func fill(_ store: Store, _ count: Int) throws {
    var number = 0
    while number < count {
      let end = min(count, number + 100_000)
      _ = try store.batchInsert(into: SampleData.slip, by: BatchAuthor("app")) { row in
        guard number < end else { return false }
        row.set(SampleItem(number))
        number += 1
        return true
      }
      try store.purge(before: try store.currentToken())
    }
  }

  /// An error for a query that finds no row although rows match; its time is not valid.
  private struct MissingRows: Error, CustomStringConvertible {
    let description = "the query by an index found no row: the store has a bug."
  }
}

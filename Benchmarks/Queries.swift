import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Measuring
import ObjectContexts

/// Queries that use an index: single fetches, and live queries, whose results stay current.
enum Queries {
  static let all = [query, live]

  /// The contender that fetches one object, for comparison with a live query.
  static let oneObject = "fetch of one object"

  /// Returns the path of a copy of the store in which the entity of items has indexes.
  private static func indexedCopy(_ setting: BenchmarkSetting) throws -> String {
    let path = try setting.copy()
    _ = try open(path, setting)
    return path
  }

  private static func open(_ path: String, _ setting: BenchmarkSetting) throws -> Store {
    var entities = try SampleData.model().entities
    entities[0] = Entity(
      SampleData.item,
      entities[0].attributes,
      indexes: [["quantity"], ["price"]]
    )
    let model = try Model(entities, version: 2)
    return try Store(path: path, model: model, configuration: setting.configuration)
  }

  // MARK: One result

  private static let resultCount = 1000
  private static let leastQuantity: Int64 = 300

  private static let query = BenchmarkSubject(
    "query 1000",
    part: "ObjectContext.objects",
    operation: "of 1000 by an index",
    "A new context fetches the 1000 objects of 10,000 with the least quantities from \(leastQuantity) "
      + "on, by an index; the floor (SQLite in C, cost 1) reads the same rows by the same index into an "
      + "array.",
    at: .largest
  ) { setting in
    let path = try indexedCopy(setting)
    let fetches = setting.repeats(20)
    return [try ours(path, setting, fetches), try floor(path, fetches)]
  }

  private static func ours(
    _ path: String,
    _ setting: BenchmarkSetting,
    _ fetches: Int
  ) throws -> MeasuredWork {
    let store = try open(path, setting)
    func fetch() throws -> [StoredObject] {
      try ObjectContext(store: store, author: "app").objects(
        SampleData.item,
        where: .compare("quantity", .greaterOrEqual, .int(leastQuantity)),
        sortedBy: ["quantity"],
        limit: resultCount
      )
    }
    return MeasuredWork(contender: MeasuredWork.store, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches { _ = try fetch() }
      }
      let found = try fetch()
      return WorkTally(
        count: found.count,
        sum: try found.reduce(0) { $0 + MergeData.int(try $1["quantity"] ?? .null) }
      )
    }
  }

  private static func floor(_ path: String, _ fetches: Int) throws -> MeasuredWork {
    let file = try BenchmarkFloorFile(path: path)
    let room = [FloorRow](repeating: FloorRow(), count: resultCount)
    return MeasuredWork(contender: MeasuredWork.floor, operations: fetches) { watch in
      var rows = room
      let found = try rows.withUnsafeMutableBufferPointer { rows in
        try watch.time {
          var found = 0
          for _ in 0..<fetches { found = try file.floor.rows(from: leastQuantity, into: rows) }
          return found
        }
      }
      return WorkTally(count: found, sum: rows.prefix(found).reduce(0) { $0 + $1.item.quantity })
    }
  }

  // MARK: A live query

  private static let rowCount = 100_000
  private static let windowCount = 20

  private static let live = BenchmarkSubject(
    "live query",
    part: "LiveObjects",
    operation: "after a foreign update",
    condition: "20 of 100,000 objects",
    "Another connection moves an object into or out of the first \(windowCount) of 100,000 objects in "
      + "the order of an index; a context merges that transaction and computes the new result; the "
      + "floor (cost 1) is another context's fetch of one object by the same index.",
    floor: oneObject,
    at: .largest
  ) { setting in
    let data = try LiveData(path: try indexedCopy(setting), setting)
    return [live(data, setting), oneObject(data, setting)]
  }

  /// A store with many items, and those of them whose prices the measured updates change.
  private final class LiveData {
    let reading: Store
    let writing: ObjectContext
    /// The objects that updates move into the result of the live query, and out of it again.
    let objects: [StoredObject]

    init(path: String, _ setting: BenchmarkSetting) throws {
      reading = try Queries.open(path, setting)
      let store = try Queries.open(path, setting)
      var numbers = (0..<setting.repeats(rowCount)).makeIterator()
      _ = try store.batchInsert(into: SampleData.item, by: BatchAuthor("app")) { row in
        guard let number = numbers.next() else { return false }
        var item = SampleItem(number)
        item.price = Queries.firstPrice + Double(number)
        row.set(item)
        return true
      }
      writing = ObjectContext(store: store, author: "app")
      objects = try writing.objects(
        SampleData.item,
        where: .compare("price", .greaterOrEqual, .double(Queries.firstPrice + 500)),
        sortedBy: ["price"],
        limit: setting.repeats(100)
      )
    }

    /// Sets the price of an object, and returns the transaction as the reading connection fetches it.
    func move(_ object: StoredObject, to price: Double) throws -> HistoryPage {
      let start = try reading.currentToken()
      try object.set(.double(price), for: "price")
      try writing.save()
      return try reading.fetch(HistoryRequest(after: start))
    }
  }

  /// The least price that a live query matches; the store's other items have a lower price.
  private static let firstPrice = 1e9

  private static func live(_ data: LiveData, _ setting: BenchmarkSetting) -> MeasuredWork {
    MeasuredWork(contender: MeasuredWork.store, operations: 2 * data.objects.count) { watch in
      let context = ObjectContext(store: data.reading, author: "reader", mergePolicy: .objectWins)
      let query = try context.liveObjects(
        SampleData.item,
        where: .compare("price", .greaterOrEqual, .double(firstPrice)),
        sortedBy: ["price"],
        limit: windowCount
      )
      guard let reader = query.makeAsyncIterator().reader else { throw Unchanged() }
      _ = try reader.evaluate()
      var tally = WorkTally(count: 0 as Int64, sum: 0)
      for object in data.objects {
        let price = try object["price"]?.double ?? 0
        for place in [firstPrice + 0.5, price] {
          let page = try data.move(object, to: place)
          let outcome = try watch.time {
            try context.merge(page.transactions)
            return try reader.evaluate()
          }
          guard case .result(let result) = outcome,
            result.objectIDs.contains(object.id) == (place < price)
          else { throw Unchanged() }
          tally.count += 1
          tally.sum += MergeData.int(try context.object(object.id)?["quantity"] ?? .null)
        }
      }
      return tally
    }
  }

  private static func oneObject(_ data: LiveData, _ setting: BenchmarkSetting) -> MeasuredWork {
    MeasuredWork(contender: oneObject, operations: 2 * data.objects.count) { watch in
      var tally = WorkTally(count: 0 as Int64, sum: 0)
      for object in data.objects {
        let price = try object["price"]?.double ?? 0
        for _ in 0..<2 {
          let context = ObjectContext(store: data.reading, author: "reader")
          let found = try watch.time {
            try context.objects(
              SampleData.item,
              where: .compare("price", .greaterOrEqual, .double(price)),
              sortedBy: ["price"],
              limit: 1
            )
          }
          tally.count += Int64(found.count)
          tally.sum += MergeData.int(try found.first?["quantity"] ?? .null)
        }
      }
      return tally
    }
  }

  /// An error that ends a measurement because the live query did not report a moved object.
  private struct Unchanged: Error, CustomStringConvertible {
    let description = "the live query did not report a moved object: the store has a bug."
  }
}

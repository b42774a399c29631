import Foundation
import HistoryStore
import HistoryTypes

extension PublicOperation {
  /// The operations that read a store's history.
  static var reading: [PublicOperation] {
    [
      PublicOperation("Store.fetch(_: HistoryRequest)") { world in
        try world.store.fetch(HistoryRequest(after: nil)).transactions.summary
      },
      PublicOperation("Store.fetch(_: HistoryRequest, by: Registration)") { world in
        let request = HistoryRequest(after: world.token(3))
        return try world.store.fetch(request, by: world.member).transactions.summary
      },
      PublicOperation("Store.count(_: HistoryRequest)") { world in
        "\(try world.store.count(HistoryRequest(after: world.token(2))))"
      },
      PublicOperation("Store.objectIDs(_: HistoryRequest)") { world in
        "\(try world.store.objectIDs(HistoryRequest(after: nil, filter: .author("app"))))"
      },
      PublicOperation("Store.hasHistory(_: HistoryRequest)") { world in
        "\(try world.store.hasHistory(HistoryRequest(after: world.token(5))))"
      },
      PublicOperation("Store.transaction(_: TransactionNumber)") { world in
        try world.store.transaction(4).map { [$0].summary } ?? "-"
      },
      PublicOperation("Store.transaction(at: HistoryToken)") { world in
        try world.store.transaction(at: world.token(5)).map { [$0].summary } ?? "-"
      },
      PublicOperation("Store.currentToken()") { world in
        "\(try world.store.currentToken().number)"
      },
      PublicOperation("Store.query(_: String)") { world in
        "\(try world.store.query("SELECT number, type FROM history_changes").rows)"
      },
      PublicOperation("Store.reader(_: HistoryRequest)") { world in
        var reader = try world.store.reader(HistoryRequest(after: nil))
        return try reader.next()?.transactions.summary ?? "-"
      },
      PublicOperation(
        "HistoryReader.next()",
        on: { OperationBox(try $0.store.reader(HistoryRequest(after: nil))) },
        { try $0.value.next()?.transactions.summary ?? "-" }
      ),
      PublicOperation(
        "HistoryPages.next()",
        on: { OperationBox($0.store.pages(HistoryRequest(after: nil)).makeAsyncIterator()) },
        { try await $0.value.next()?.transactions.summary ?? "-" }
      ),
      PublicOperation("Store.historySize()") { world in
        "\(try world.store.historySize().historyBytes > 0)"
      },
      PublicOperation("Store.logSize()", takesNoLock: true) { world in
        "\(try world.store.logSize().bytes > 0)"
      },
      PublicOperation("Store.url(of: ObjectID)", isQuiet: true) { world in
        try world.store.url(of: ObjectID(entity: 1, key: 2)).absoluteString
      },
      PublicOperation("Store.objectID(for: URL)", isQuiet: true) { world in
        let id = ObjectID(entity: 1, key: 2)
        return "\(try world.store.objectID(for: world.store.url(of: id)) == id)"
      },
      PublicOperation("Store.modelSkew()") { world in
        try world.store.modelSkew().map { "\($0)" } ?? "-"
      },
    ]
  }

  /// Opening by the first process or a later one.
  static var opening: [PublicOperation] {
    [
      PublicOperation("Store.init(path: String, model: Model)") { world in
        try opened(
          Store(
            path: OperationWorld.path,
            model: world.model,
            configuration: world.configuration
          )
        )
      },
      PublicOperation("Store.init(path: String, model: Model)") { world in
        try opened(
          Store(path: "fresh", model: world.model, configuration: world.configuration)
        )
      },
      PublicOperation("Store.init(path: String, model: Model)") { world in
        let (item, others) = (world.model.entities[0], world.model.entities.dropFirst())
        let rating = Attribute("rating", .int, defaultValue: 5)
        let newer = try Model(
          [Entity(item.name, [rating] + item.attributes)] + others,
          version: 2
        )
        return try opened(
          Store(path: OperationWorld.path, model: newer, configuration: world.configuration)
        )
      },
      PublicOperation("Store.init(path: String)") { world in
        try opened(Store(path: OperationWorld.path, configuration: world.configuration))
      },
    ]
  }

  private static func opened(_ store: Store) throws -> String {
    "\(store.model.entities.map(\.name)) \(try store.currentToken().number)"
  }

  /// Batch requests.
  static var batches: [PublicOperation] {
    [
      PublicOperation(
        "Store.batchInsert(into: String, by: BatchAuthor, _: (inout RowWriter) throws -> Bool)"
      ) { world in
        var left = 100
        let result = try world.store.batchInsert(into: "Item", by: BatchAuthor("new author")) {
          row in
          left -= 1
          row.set(String(repeating: "z", count: 300), at: 0)
          return left >= 0
        }
        return "\(result.count)"
      },
      PublicOperation(
        "Store.batchInsert(into: String, _: some Sequence<[String: Value]>, by: BatchAuthor)"
      ) { world in
        let rows: [[String: Value]] = [["title": .string("n")], ["count": .int(4)]]
        return "\(try world.store.batchInsert(into: "Item", rows, by: BatchAuthor("app")).count)"
      },
      PublicOperation("Store.batchUpdate(_: String, set: [String: Value], by: BatchAuthor)") {
        world in
        let by = BatchAuthor("app", contextName: "new context")
        return "\(try world.store.batchUpdate("Item", set: ["count": .int(9)], by: by).count)"
      },
      PublicOperation("Store.batchDelete(_: String, by: BatchAuthor)") { world in
        let matching = ObjectPredicate.like("title", "a%")
        return
          "\(try world.store.batchDelete("Item", where: matching, by: BatchAuthor("app")).count)"
      },
      PublicOperation(
        "Store.batchUpdate(_: String, setting: [String], by: BatchAuthor, "
          + "_: (inout RowWriter) throws -> ObjectID?)"
      ) { world in
        var keys = (1...4 as ClosedRange<Int64>).makeIterator()
        let by = BatchAuthor("app")
        let result = try world.store.batchUpdate("Item", setting: ["count"], by: by) { row in
          row.set(7, at: 1)
          return keys.next().map { ObjectID(entity: 1, key: $0) }
        }
        return "\(result.count)"
      },
      PublicOperation(
        "Store.batchDelete(_: String, by: BatchAuthor, _: () throws -> ObjectID?)"
      ) { world in
        var keys = (1...4 as ClosedRange<Int64>).makeIterator()
        let result = try world.store.batchDelete("Item", by: BatchAuthor("app")) {
          keys.next().map { ObjectID(entity: 1, key: $0) }
        }
        return "\(result.count)"
      },
    ]
  }

  /// Manual purges.
  static var purging: [PublicOperation] {
    [
      PublicOperation("Store.purge()") { world in
        "through \(try world.store.purge().purgedThrough)"
      },
      PublicOperation("Store.purge()") { world in
        let limits = RetentionLimits(age: .seconds(1), transactionCount: 1, byteCount: 1)
        let result = try world.store.purge(when: .whenLargerThan(share: 0), retaining: limits)
        return "through \(result.purgedThrough)"
      },
      PublicOperation("Store.purge(by: Registration)") { world in
        let head = try world.store.currentToken()
        return "through \(try world.store.purge(by: world.member, recording: head).purgedThrough)"
      },
      PublicOperation("Store.purge(before: HistoryToken)") { world in
        "through \(try world.store.purge(before: world.token(3)).purgedThrough)"
      },
      PublicOperation("Store.purge(before: HistoryTransaction)") { world in
        "through \(try world.store.purge(before: world.history[2]).purgedThrough)"
      },
      PublicOperation("Store.purge(before: Date)") { world in
        let result = try world.store.purge(before: .distantFuture, cuttingOff: true)
        return "through \(result.purgedThrough)"
      },
      PublicOperation("Store.purge(filter: PurgeFilter)") { world in
        "through \(try world.store.purge(filter: PurgeFilter(authors: ["app"])).purgedThrough)"
      },
    ]
  }
}

extension Collection<HistoryTransaction> {
  /// The transactions as text.
  var summary: String {
    map { transaction in
      let changes = transaction.changes.map { change in
        "\(change.type) \(change.objectID) \(change.updatedProperties.sorted())"
      }
      return "#\(transaction.number) \(transaction.author ?? "-") \(changes)"
    }.joined(separator: "; ")
  }
}

package import HistoryStore
package import HistoryTypes
package import SQLiteStorage
package import TestSupport
import Testing

/// A folder with one store file, and how tests write to it and read its history.
package struct StoreFixture {
  package let folder: TemporaryFolder
  package let clock = TestClock()
  package var configuration = StoreConfiguration()

  package init() throws {
    folder = try TemporaryFolder()
    let clock = clock
    configuration.clock = { clock.date }
    configuration.busyTimeout = .zero
    configuration.layout = LayoutTrait.layout
  }

  /// The layout of history in the file.
  package var layout: HistoryLayout { configuration.layout }

  package var path: String { folder.path("store") }

  /// `Item` has an attribute of every type; tombstones preserve all except `note`.
  package static func model() throws -> Model {
    try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int, preservesValueInHistoryOnDeletion: true),
          Attribute("ratio", .double, preservesValueInHistoryOnDeletion: true),
          Attribute("body", .data, preservesValueInHistoryOnDeletion: true),
          Attribute("due", .date, preservesValueInHistoryOnDeletion: true),
          Attribute("done", .bool, preservesValueInHistoryOnDeletion: true),
          Attribute("code", .uuid, preservesValueInHistoryOnDeletion: true),
          Attribute("note", .string),
        ]
      ),
      Entity("Tag", [Attribute("name", .string)]),
    ])
  }

  package func open() throws -> Store {
    try Store(path: path, model: Self.model(), configuration: configuration)
  }

  /// A direct connection to the file that bypasses the store.
  package func connection() throws -> Connection {
    try Connection(path: path)
  }

  /// Executes SQL directly on the file.
  package func execute(_ sql: String) throws {
    try connection().execute(sql)
  }
}

extension Store {
  /// Inserts one item for each title as one transaction.
  @discardableResult
  package func add(
    _ titles: [String],
    by author: String? = "app",
    context: String? = nil
  ) throws
    -> BatchResult
  {
    var rest = titles[...]
    let by = BatchAuthor(author, contextName: context)
    return try batchInsert(into: "Item", by: by, result: .objectIDs) { row in
      guard let title = rest.popFirst() else { return false }
      row.set(title, at: 0)
      return true
    }
  }

  /// Inserts one item, and returns its transaction's number.
  @discardableResult
  package func add(
    _ title: String,
    by author: String? = "app",
    context: String? = nil
  ) throws -> Int64 {
    try #require(try add([title], by: author, context: context).transaction).number.rawValue
  }

  /// The numbers of the transactions that a request returns in one page.
  package func numbers(
    after token: HistoryToken? = nil,
    _ filter: HistoryFilter? = nil
  ) throws -> [Int64] {
    try fetch(HistoryRequest(after: token, filter: filter)).transactions.map(\.number.rawValue)
  }

  /// The numbers of the transactions after a time, in seconds.
  package func numbers(afterSeconds seconds: Double) throws -> [Int64] {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    return try fetch(HistoryRequest(after: date)).transactions.map(\.number.rawValue)
  }

  /// The position right after a kept transaction.
  package func token(_ number: Int64) throws -> HistoryToken {
    let page = try fetch(HistoryRequest(after: nil, transactionCountMax: .max))
    return try #require(page.transactions.first { $0.number.rawValue == number }).token
  }

  /// The titles of all items, in key order.
  package func titles() throws -> [Value] {
    try rows(1).column(0)
  }

  /// Saves some edits, and returns the result.
  @discardableResult
  package func save(
    _ edits: [ObjectEdit],
    _ policy: MergePolicy = .error,
    by author: String? = "app"
  ) throws
    -> SaveResult
  {
    try save(
      SaveRequest(
        edits: edits,
        author: author,
        contextName: nil,
        writer: WriterID(rawValue: 77),
        policy: policy
      )
    )
  }

  /// Inserts an item through a save.
  package func insertItem(_ values: [Value] = []) throws -> ObjectID {
    let id = try makeObjectID("Item")
    try save([
      ObjectEdit(.insert, id, values: values + Array(repeating: .null, count: 8 - values.count))
    ])
    return id
  }
}

extension RowBatch {
  /// The versions of the rows.
  package var versions: [Int64] { map(\.version) }

  /// The number of values of a row.
  package var width: Int { types.count }

  /// The values of all rows, concatenated.
  package var values: [Value] { flatMap(\.values) }

  /// The values of one attribute, in key order.
  package func column(_ index: Int) -> [Value] {
    map { $0.values[index] }
  }
}

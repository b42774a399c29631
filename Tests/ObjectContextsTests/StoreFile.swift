import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import TestSupport

/// A store file in a temporary folder, for any number of connections.
struct StoreFile {
  let folder: TemporaryFolder
  let model: Model

  init() throws {
    folder = try TemporaryFolder()
    model = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int), Attribute("price", .double), Attribute("due", .date),
        ]
      ),
      Entity("Tag", [Attribute("name", .string)]),
    ])
  }

  /// Opens the file, as a process does.
  func open(busyTimeout: Duration = .seconds(5)) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    configuration.busyTimeout = busyTimeout
    return try Store(path: folder.path("test.store"), model: model, configuration: configuration)
  }

  /// A context on a new connection, as if in another process.
  ///
  /// It retains what it has read, so that a test needs no references, unless `retains` is `false`.
  func context(
    _ author: String? = "app",
    name: String? = "view",
    _ policy: MergePolicy = .error,
    retains: Bool = true
  ) throws -> ObjectContext {
    ObjectContext(
      store: try open(),
      author: author,
      name: name,
      mergePolicy: policy,
      retainsRegisteredObjects: retains
    )
  }
}

extension Store {
  /// All transactions of history.
  func history() throws -> [HistoryTransaction] {
    Array(try fetch(HistoryRequest(after: nil, transactionCountMax: .max)).transactions)
  }
}

extension ObjectContext {
  /// Inserts an item and saves it.
  func savedItem(_ title: String, count: Int64 = 0) throws -> ObjectID {
    let object = try insert("Item", ["title": .string(title), "count": .int(count)])
    try save()
    return object.id
  }

  /// Sets one attribute of an object and saves it.
  func save(_ value: Value, for attribute: String, of id: ObjectID) throws {
    try object(id)?.set(value, for: attribute)
    try save()
  }

  /// The title and the count of an item, or `nil` if it does not exist.
  func item(_ id: ObjectID) throws -> [Value?]? {
    try object(id).map { [try $0["title"], try $0["count"]] }
  }
}

import Faults
import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import SQLiteStorage

/// A store on the lab's file system, with history and two members, restored before every attempt.
///
/// Use it from one thread at a time.
final class OperationWorld: @unchecked Sendable {
  /// A store's content, as another connection sees it.
  struct Holding: Equatable {
    var rows: [[Value]]
    var keys: [[Int64]]
    var transactions: [String]
    var members: [String]
  }

  let files = HeapFileSystem(seed: 1)
  let model: Model
  let configuration: StoreConfiguration
  /// The store under test.
  let store: Store
  /// The store of another process.
  let writer: Store
  /// A consumer that has not read the last two transactions.
  let member: Registration
  /// The initial transactions.
  let history: [HistoryTransaction]
  private let observer: Store
  private let image: FileSystemImage
  static let path = "world"

  init(_ layout: HistoryLayout, _ durability: StoreConfiguration.Durability = .full) throws {
    var configuration = StoreConfiguration()
    configuration.vfs = files.name
    configuration.busyTimeout = .zero
    configuration.durability = durability
    configuration.layout = layout
    configuration.memberLocks = .none
    configuration.clock = { Date(timeIntervalSinceReferenceDate: 1000) }
    model = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int),
        ]
      ),
      Entity(
        "Tag",
        [
          Attribute("name", .string), Attribute("item", to: "Item", orderedBy: "place"),
          Attribute("place", .double),
        ]
      ),
      Entity("Note", [Attribute("item", to: "Item", deleteRule: .cascade)]),
      Entity(
        "Link",
        linking: ("from", to: "Item"),
        with: ("to", to: "Item"),
        orderedBy: "place"
      ),
    ])
    self.configuration = configuration
    func open(_ model: Model) throws(HistoryError) -> Store {
      try Store(path: Self.path, model: model, configuration: configuration)
    }
    store = try open(model)
    writer = try open(model)
    observer = try open(model)
    for title in ["a", "b", "c"] { try store.insertItems([title, title + title], by: "app") }
    // A delete of the second or third item has effects on others.
    let tags: [[String: Value]] = [["name": .string("x"), "item": 2], ["item": 3]]
    try store.batchInsert(into: "Tag", tags, by: BatchAuthor("widget"))
    try store.batchInsert(into: "Note", [["item": 2], ["item": 3]], by: BatchAuthor("app"))
    member = try store.join("mirror", kind: .consumer)
    try store.insertItems(["later"], by: "widget")
    try store.batchUpdate("Item", set: ["count": .int(1)], by: BatchAuthor("app"))
    history = Array(try store.fetch(HistoryRequest(after: nil)).transactions)
    image = files.snapshot()
  }

  /// Restores the initial files.
  func putBack() throws {
    files.restore(image)
    for store in [store, writer, observer] { try store.discardCache() }
  }

  func holding() throws -> Holding {
    let rows = try observer.snapshot().rows
    let page = try observer.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
    return Holding(
      rows: rows.map { $0.flatMap(\.values) },
      keys: rows.map(\.keys),
      transactions: page.transactions.map { transaction in
        let changes = transaction.changes.map { "\($0.type) \($0.objectID) \($0.columns)" }
        return "\(transaction.number) \(transaction.author ?? "-") \(changes)"
      },
      members: try observer.members().map { "\($0.id) \($0.state) \($0.cursor)" }
    )
  }

  /// Returns the result of SQLite's integrity check, or `nil` if the file is sound.
  func damage() throws -> String? {
    var options = ConnectionOptions()
    options.vfs = files.name
    let found = try Connection(path: Self.path, options).text("PRAGMA integrity_check")
    return found == "ok" ? nil : found
  }

  // MARK: Fixtures of operations

  /// Returns the position after an initial transaction.
  func token(_ number: Int) -> HistoryToken { history[number - 1].token }

  /// A context that has loaded everything.
  func loadedContext(_ author: String = "app") throws -> ObjectContext {
    let context = ObjectContext(store: store, author: author, mergePolicy: .objectWins)
    try context.loadAll()
    return context
  }

  /// A context with an unsaved insert, update and delete.
  func editedContext() throws -> ObjectContext {
    let context = try loadedContext()
    let items = try context.registeredObjects("Item")
    try context.insert("Item", ["title": .string("new")])
    try items[0].set(.string("edited"), for: "title")
    items[1].delete()
    return context
  }

  /// Writes as another process, and returns the new transactions.
  @discardableResult
  func writeAsOthers() throws -> [HistoryTransaction] {
    let head = try writer.currentToken()
    try writer.insertItems(["theirs"], by: "share")
    try writer.batchUpdate("Item", set: ["count": .int(2)], by: BatchAuthor("share"))
    try writer.batchDelete(
      "Item",
      where: .compare("title", .equal, .string("b")),
      by: BatchAuthor("share")
    )
    return Array(try writer.fetch(HistoryRequest(after: head)).transactions)
  }

  /// A tracker with a view that neither follows nor logs.
  func tracker() -> HistoryTracker {
    var configuration = TrackerConfiguration(currentAuthor: "app")
    configuration.logLevel = nil
    configuration.executor = executor
    configuration.signals = { _ in AsyncStream { _ in } }
    let view = ObjectContext(store: store, author: "app", name: "view")
    return HistoryTracker("app", store: store, contexts: [view], configuration: configuration)
  }

  /// A started tracker that has not passed since others wrote.
  func startedTracker() async throws -> HistoryTracker {
    let tracker = tracker()
    try await tracker.start()
    try writeAsOthers()
    return tracker
  }

  /// Runs all jobs of an attempt one after another on the test's thread.
  let executor = ScheduledExecutor(seed: 1)

  private struct NeverEnded: Error {}

  /// Runs a body to its end.
  func run<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws -> Answer
  ) throws -> Answer {
    let answer = OperationBox<Result<Answer, any Error>?>(nil)
    executor.start {
      do { answer.value = .success(try await body()) } catch { answer.value = .failure(error) }
    }
    executor.runUntilIdle()
    guard let result = answer.value else { throw NeverEnded() }
    return try result.get()
  }
}

extension Store {
  /// Inserts one item for each title as one transaction.
  @discardableResult
  func insertItems(_ titles: [String], by author: String?) throws(HistoryError) -> BatchResult {
    try batchInsert(into: "Item", titles.map { ["title": .string($0)] }, by: BatchAuthor(author))
  }
}

extension ObjectContext {
  /// The context's objects as text.
  var knowledge: String {
    get throws {
      try ["Item", "Tag"].flatMap { entity in
        try registeredObjects(entity).map { object in
          let names = entity == "Item" ? ["title", "count"] : ["name"]
          let values = try names.map { "\(try object[$0] ?? .null)" }
          return "\(object.id) \(values.joined(separator: " "))"
        }
      }.joined(separator: "; ")
    }
  }
}

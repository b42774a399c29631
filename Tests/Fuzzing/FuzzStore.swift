import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage

/// A folder with one small store file whose history has every kind of change.
///
/// The bytes are the same in every run, so that findings are reproducible.
final class FuzzStore: Sendable {
  let folder: URL
  let layout: HistoryLayout

  /// Creates the file in a new folder, in memory if the machine supports it.
  init(layout: HistoryLayout = .packed) throws {
    self.layout = layout
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    folder = (isThere ? memory : FileManager.default.temporaryDirectory)
      .appendingPathComponent("history-fuzz-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try open()
    var titles = ["a", "b", "c"][...]
    let ids = try store.batchInsert(
      into: "Item",
      by: BatchAuthor("app", contextName: "view"),
      result: .objectIDs
    ) { row in
      guard let title = titles.popFirst() else { return false }
      row.set(title, at: 0)
      return true
    }.objectIDs
    try save(
      ids.map { ObjectEdit(.update, $0, columns: 0b11, version: 1, values: ["d", 1]) },
      store
    )
    try save(ids.map { ObjectEdit(.delete, $0, version: 2) }, store)
  }

  private func save(_ edits: [ObjectEdit], _ store: Store) throws {
    let request = SaveRequest(
      edits: edits,
      author: "app",
      contextName: nil,
      writer: WriterID(rawValue: 1),
      policy: .error
    )
    _ = try store.save(request)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      print("\(folder.path) could not be removed: \(error)")
    }
  }

  var path: String { folder.appendingPathComponent("store").path }

  /// Opens the store; deleted objects of `Item` leave their values in tombstones.
  func open() throws -> Store {
    let model = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int, preservesValueInHistoryOnDeletion: true),
        ]
      )
    ])
    return try Store(path: path, model: model, configuration: configuration)
  }

  /// The same random numbers and times in every run.
  var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.layout = layout
    configuration.busyTimeout = .zero
    configuration.signalsChanges = false
    configuration.clock = { Date(timeIntervalSinceReferenceDate: 700_000_000) }
    configuration.random = { 0x5eed }
    return configuration
  }

  /// A direct connection to the file that bypasses the store.
  func connection() throws -> Connection { try Connection(path: path) }

  /// The bytes of the file while no connection is open.
  func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  /// Replaces the file by other bytes, without a log.
  func replace(with bytes: [UInt8]) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name != "store" {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}

extension HistoryPage {
  /// Reads every property of the page.
  func readAll() {
    for transaction in transactions {
      _ = (transaction.author, transaction.contextName, transaction.processID, transaction.token)
      for change in transaction.changes {
        _ = (change.id, change.objectID, change.entityName, change.columnNumbers)
        _ = (change.updatedProperties, change.tombstone)
      }
    }
  }
}

import HistoryStore
import HistoryTypes
import ObjectContexts
import SQLiteStorage
import StoreFixtures
import TestSupport

@testable import HistoryTracking

/// A store shared by several processes, with two entities and trackers that pass only on request.
struct TrackedStore {
  let folder: TemporaryFolder
  let model: Model
  var path: String { folder.path("shared.store") }

  init() throws {
    folder = try TemporaryFolder()
    model = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int),
          Attribute("due", .date, preservesValueInHistoryOnDeletion: true),
          Attribute("token", .uuid, preservesValueInHistoryOnDeletion: true),
        ]
      ),
      Entity("Person", [Attribute("name", .string), Attribute("age", .int)]),
    ])
  }

  /// Opens a connection as another process; it gets no signals.
  func open(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    configuration.signalsChanges = false
    configuration.changePollInterval = .seconds(3600)
    change(&configuration)
    return try Store(path: path, model: model, configuration: configuration)
  }

  /// Returns a tracker with contexts on a new connection; it neither logs nor follows.
  func tracker(
    _ member: MemberID,
    contexts: Int = 1,
    on store: Store? = nil,
    _ change: (inout TrackerConfiguration) -> Void = { _ in }
  ) throws -> HistoryTracker {
    var configuration = TrackerConfiguration(currentAuthor: member.name)
    configuration.logger = RecordingLogger()
    configuration.signals = { _ in AsyncStream { _ in } }
    change(&configuration)
    let store = try store ?? open()
    return HistoryTracker(
      member,
      store: store,
      contexts: (0..<contexts).map { index in
        ObjectContext(store: store, author: member.name, name: "view \(index)")
      },
      configuration: configuration
    )
  }

  /// A tracker that has started.
  func started(
    _ member: MemberID,
    contexts: Int = 1,
    on store: Store? = nil,
    _ change: (inout TrackerConfiguration) -> Void = { _ in }
  ) async throws -> HistoryTracker {
    let tracker = try tracker(member, contexts: contexts, on: store, change)
    try await tracker.start()
    return tracker
  }

  /// A context of a process without a tracker.
  func writer(_ author: String?) throws -> ObjectContext {
    ObjectContext(store: try open(), author: author, name: "writer")
  }

  /// Resets history and cursors to the start, as restoring a backup does.
  func beginHistoryAgain() throws {
    let connection = try Connection(path: path)
    switch LayoutTrait.layout {
    case .packed: try connection.execute("DELETE FROM history_transaction")
    case .coreData: try connection.execute("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    }
    try connection.execute("UPDATE history_member SET cursor = 0, mark = 0")
  }

  /// The numbers of the kept transactions.
  func held() throws -> [Int64] { try open().heldNumbers() }

  /// The registered cursor of an active member.
  func cursor(_ member: MemberID) throws -> Int64? {
    try open().members().first { $0.id == member && $0.state == .active }?.cursor.rawValue
  }
}

extension HistoryTracker {
  /// The first context.
  nonisolated var view: ObjectContext { contexts[0] }

  /// The messages that the tracker has logged.
  nonisolated var messages: [String] {
    (configuration.logger as? RecordingLogger)?.messages ?? []
  }
}

public import PersistentHistory
import SQLiteStorage

/// A store with persistent history: objects in one SQLite file, and a transaction in history for
/// every save and batch request, written together or not at all.
///
/// A store may be used from any thread; one request runs at a time. Several stores, in one process
/// or many, may be open on one file: that is what history is for.
public final class Store: Sendable {
  private let lock = ConnectionLock()
  // Only touched while the lock is held.
  nonisolated(unsafe) private let core: StoreCore
  /// The watcher that all who watch the store share.
  let watcherSlot = WatcherSlot()

  /// The file.
  public let path: String
  /// The file's absolute path, which the files beside it are named after.
  let filePath: String
  /// The store's identity, kept in the file.
  public let id: StoreID
  /// The entities of the store.
  public let model: Model
  /// How the store was opened.
  public let configuration: StoreConfiguration
  /// Whether the file is only read, and nothing beside it may change.
  public let isForReading: Bool

  /// Opens a store, creating the file when it is not there.
  ///
  /// - Throws: ``HistoryError`` when the file cannot be opened, is no store, is newer than this
  ///   library, or holds another model; the file is untouched then.
  public convenience init(
    path: String,
    model: Model,
    configuration: StoreConfiguration = .init()
  ) throws(HistoryError) {
    try self.init(opening: path, model: model, configuration)
  }

  /// Opens a store that is there, with the model that the file holds.
  ///
  /// - Throws: ``HistoryError`` as ``init(path:model:configuration:)``.
  public convenience init(
    path: String,
    configuration: StoreConfiguration = .init()
  ) throws(HistoryError) {
    try self.init(opening: path, model: nil, configuration)
  }

  private convenience init(
    opening path: String,
    model: Model?,
    _ configuration: StoreConfiguration
  ) throws(HistoryError) {
    do {
      let opened = try FileHeader.open(path: path, model: model, configuration: configuration)
      try self.init(path: path, configuration, opened)
    } catch {
      throw HistoryError(error)
    }
  }

  /// Works with a file that is open.
  init(
    path: String,
    _ configuration: StoreConfiguration,
    _ opened: consuming OpenedFile
  ) throws {
    let core = try StoreCore(path: path, configuration: configuration, opened: opened)
    self.core = core
    self.path = path
    self.filePath = core.connection.filePath
    self.id = core.id
    self.model = core.model
    self.configuration = configuration
    isForReading = core.reading != nil
  }

  /// Lets a closure work with the core while nobody else does, and turns what it throws into the
  /// store's own error.
  func locked<Result>(
    _ body: (StoreCore) throws -> Result
  ) throws(HistoryError) -> Result {
    do {
      return try lock.withLock { try core.perform { try body(core) } }
    } catch {
      throw HistoryError(error)
    }
  }

  /// Lets a closure work with the history as ``locked(_:)`` does.
  ///
  /// - Throws: ``HistoryError/untracked(path:)`` besides when the store keeps none.
  func lockedHistory<Result>(
    _ body: (StoreCore) throws -> Result
  ) throws(HistoryError) -> Result {
    guard configuration.tracksHistory else { throw .untracked(path: path) }
    return try locked(body)
  }

  /// The position of the newest transaction
  /// (Core Data: `NSPersistentStoreCoordinator.currentPersistentHistoryToken`).
  ///
  /// - Complexity: one query of one row.
  public func currentToken() throws(HistoryError) -> HistoryToken {
    try lockedHistory { core in try core.headToken() }
  }

  /// Forgets what was remembered of the file, as if it were opened anew: the lab puts other content
  /// under a connection and saves the time of opening one.
  package func forget() throws(HistoryError) {
    try locked { core in core.forget() }
  }

  /// A fresh identity for a context of this store.
  package func makeWriter() -> WriterID {
    WriterID(rawValue: Int64(bitPattern: configuration.random() >> 1 | 1))
  }
}

extension Store {
  /// The version of the SQLite library that stores run on.
  public static var sqliteVersion: String { Connection.libraryVersion }
}

public import HistoryTypes
import SQLiteStorage

/// A store with persistent history: objects in one SQLite file, and a history of their changes.
///
/// Every save and batch request writes its objects and its history transaction atomically. A store
/// may be used from any thread; one request runs at a time. Several stores, in one process or many,
/// may have the same file open, and each can read the others' changes from the history.
public final class Store: Sendable {
  private let lock = ConnectionLock()
  // This property is accessed only while the lock is held; `nil` while the file is closed.
  nonisolated(unsafe) private var core: StoreCore?
  private let header: FileHeader
  /// Whether the store is suspended; every request checks this state.
  let suspension = Suspension()
  /// The separate ``Store`` objects for the same file from which pinned contexts read.
  ///
  /// Each of these objects reads one snapshot of the file.
  let pins = PinnedStores()
  /// The locks that mark members as running through this store object.
  let memberHolds = MemberHolds()
  /// The file watcher that all watches of the store share, while any watch exists.
  let watcherSlot = WatcherSlot()

  /// The path of the file, as given when the store was opened.
  public let path: String
  /// The file's absolute path, with which the paths of its signal and lock files start.
  let filePath: String
  /// The store's ID, recorded in the file.
  public let id: StoreID
  /// The model that the store was opened with, with its entities in the order of the file.
  ///
  /// Entities that only a newer program's model has are included as undeclared, so that each entity
  /// has the same number in every program.
  public let model: Model
  /// The configuration that the store was opened with.
  public let configuration: StoreConfiguration
  /// Whether the store was opened for reading only; it then changes neither the file nor its folder.
  public let isForReading: Bool

  /// Opens a store, creating the file when it does not exist.
  ///
  /// If the file has an older version of the model, the lightweight differences are applied to the
  /// file in one transaction, even while other programs have the file open. If the file has a newer
  /// version, the store reads and writes the entities and attributes of its own model. See
  /// <doc:ChangingTheModel>.
  ///
  /// - Parameters:
  ///   - path: The path of the file, in a folder that exists.
  ///   - model: The model of the program, which may be older or newer than that of the file.
  ///   - configuration: The options of the store. The defaults suit an app with extensions.
  /// - Throws: ``HistoryError`` when the file cannot be opened, is not a store, has a newer format
  ///   than this library, or contains a model that does not fit; the file is not changed then.
  /// - Complexity: linear in the size of the model. A newer model also takes time linear in the objects
  ///   of entities with a new index or constraint, or with an attribute that is no longer required.
  public convenience init(
    path: String,
    model: Model,
    configuration: StoreConfiguration = .init()
  ) throws(HistoryError) {
    try self.init(opening: path, model: model, configuration)
  }

  /// Opens an existing store, with the model that the file contains.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - configuration: The options of the store. The defaults suit an app with extensions.
  /// - Throws: ``HistoryError``, as ``init(path:model:configuration:)`` does.
  /// - Complexity: linear in the size of the model.
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
      var opened = try FileHeader.open(path: path, model: model, configuration: configuration)
      while let newer = opened.header.upgrade {
        let core = try StoreCore(path: path, configuration: configuration, opened: opened)
        try core.upgrade(to: newer)
        opened = try FileHeader.open(path: path, model: model, configuration: configuration)
      }
      try self.init(path: path, configuration, opened)
    } catch {
      throw HistoryError(error)
    }
  }

  /// Creates and opens a file with a model that was read from another file.
  convenience init(
    creating path: String,
    _ stored: StoredModel,
    _ configuration: StoreConfiguration
  ) throws {
    let opened = try FileHeader.open(path: path, creating: stored, configuration: configuration)
    try self.init(path: path, configuration, opened)
  }

  /// Creates a store with an opened file.
  init(
    path: String,
    _ configuration: StoreConfiguration,
    _ opened: consuming OpenedFile
  ) throws {
    let header = opened.header
    let found = header.foreignWrites
    let core = try StoreCore(path: path, configuration: configuration, opened: opened)
    if let wanted = configuration.foreignWrites, core.canWriteHistory {
      try core.adopt(wanted, instead: found)
    } else if found != .unwatched {
      try core.checkForeignSchema()
    }
    core.connection.endWaits(with: suspension.interruption)
    self.core = core
    self.header = header
    self.path = path
    self.filePath = core.connection.filePath
    self.id = core.id
    self.model = core.model
    self.configuration = configuration
    isForReading = core.reading != nil
  }

  /// Runs a closure with exclusive access to the core, and converts its errors to ``HistoryError``.
  func locked<Result>(
    _ body: (StoreCore) throws -> Result
  ) throws(HistoryError) -> Result {
    do {
      while true {
        let result = try lock.withLock { () throws -> Result? in
          guard let core, !suspension.isClosed || core.isInRequest else { return nil }
          do {
            return try core.perform { try body(core) }
          } catch {
            throw suspension.explains(error)
              ? HistoryError.suspended(path: path) : core.explained(error)
          }
        }
        if let result { return result }
        try suspension.waitForResume(path: path)
      }
    } catch {
      throw HistoryError(error)
    }
  }

  /// Opens another connection to the file; reuses the header that this store has read.
  func openAgain() throws -> OpenedFile {
    try FileHeader.reopen(path: filePath, header, configuration)
  }

  /// Throws if this thread is inside a request of the store: waiting for that request would deadlock.
  ///
  /// - Throws: ``HistoryError/Code/insideRequest``.
  func checkIsOutsideRequest() throws(HistoryError) {
    guard lock.withLockIfFree({ core?.isInRequest }) != true else {
      throw .insideRequest(path: path)
    }
  }

  /// Waits until the request in progress has ended, and closes the file.
  ///
  /// - Parameter interrupting: Called every millisecond with the connection until the request has ended.
  func close(interrupting: (borrowing Connection) -> Void) {
    // The suspension's lock is held, so no other thread replaces the core.
    let current = core
    let interrupt = { if let current { interrupting(current.connection) } }
    lock.withLock(whileTaken: interrupt) {
      guard let current else { return }
      // A file that is only read is not locked: the store reads it as immutable, or reads a private copy.
      guard !isForReading else { return }
      current.prepareToClose()
      core = nil
    }
  }

  /// Reopens the file after ``close(interrupting:)``.
  ///
  /// - Throws: the errors of opening the file; the store then stays closed.
  func reopen() throws(HistoryError) {
    do {
      try lock.withLock {
        guard core == nil else { return }
        let opened = try openAgain()
        let core = try StoreCore(path: path, configuration: configuration, opened: opened)
        try core.noticeForeignWrites()
        core.connection.endWaits(with: suspension.interruption)
        self.core = core
      }
    } catch {
      throw HistoryError(error)
    }
  }

  /// Runs a closure as ``locked(_:)`` does, after it checks that the store keeps history.
  ///
  /// - Throws: ``HistoryError/Code/untracked`` when the store keeps no history, and the errors of
  ///   ``locked(_:)``.
  func lockedHistory<Result>(
    _ body: (StoreCore) throws -> Result
  ) throws(HistoryError) -> Result {
    guard configuration.tracksHistory else { throw .untracked(path: path) }
    return try locked(body)
  }

  /// Returns the token of the newest transaction.
  ///
  /// Core Data: `NSPersistentStoreCoordinator.currentPersistentHistoryToken`.
  ///
  /// - Throws: ``HistoryError/Code/untracked`` if the store keeps no history, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: one query of one row.
  public func currentToken() throws(HistoryError) -> HistoryToken {
    try lockedHistory { core in
      // A file that is open for reading is checked for changes after each read transaction.
      try core.reading == nil && !core.schema.capturesForeignWrites
        ? core.headToken() : core.read { try core.headToken() }
    }
  }

  /// Returns a new ID for a context of this store.
  package func makeWriter() -> WriterID {
    WriterID(rawValue: Int64(bitPattern: configuration.random() >> 1 | 1))
  }
}

extension Store {
  /// The version of SQLite that this library uses.
  public static var sqliteVersion: String { Connection.libraryVersion }
}

import HistoryTypes
import SQLiteStorage

/// A connection that only reads the newest transaction of a store.
///
/// The watching thread owns one, so that it never waits for a long request of the store.
final class HeadReader {
  /// The identity of the file that is read.
  let identity: FileIdentity?
  private let connection: Connection
  private let head: Statement
  private var store: StoreID
  private let path: String

  /// Opens an existing store.
  ///
  /// - Throws: ``SQLiteError``, or ``HistoryError`` when the file is not a store.
  init(_ file: WatchedFile) throws {
    var options = ConnectionOptions()
    options.access = .readWrite
    options.busyTimeoutMs = file.configuration.busyTimeout.clampedMilliseconds
    options.cacheSizeKiB = 64
    options.vfs = file.configuration.vfs
    let before = FileIdentity(file.path)
    let connection = try Connection(path: file.path, options)
    let store = try Self.store(connection, path: file.path)
    let layout = try Self.layout(connection, path: file.path)
    let sql = StoreStatement.head.sql(layout)
    let head = try Statement(connection, sql)
    // A file that was replaced while it was opened has an unknown identity, and is opened again.
    identity = FileIdentity(file.path) == before ? before : nil
    path = file.path
    self.store = store
    self.connection = connection
    self.head = head
  }

  /// Returns the token of the newest committed transaction.
  ///
  /// - Complexity: one query of one row.
  func token() throws -> HistoryToken {
    defer { head.reset() }
    guard try head.step() else { return .beginning(of: store) }
    return HistoryToken(store: store, number: head.int(0), mark: head.int(2))
  }

  /// Reads the store's ID from the file again, whose content may have been replaced.
  func readStore() throws {
    store = try Self.store(connection, path: path)
  }

  private static func layout(
    _ connection: borrowing Connection,
    path: String
  ) throws -> HistoryLayout {
    let sql = "SELECT value FROM history_metadata WHERE name = 'layout'"
    guard let layout = try connection.text(sql).flatMap(HistoryLayout.init) else {
      throw HistoryError.damaged(path: path, what: "its header cannot be read")
    }
    return layout
  }

  private static func store(
    _ connection: borrowing Connection,
    path: String
  ) throws -> StoreID {
    let sql = "SELECT value FROM history_metadata WHERE name = 'store'"
    guard let text = try connection.text(sql), let id = StoreID(text) else {
      throw HistoryError.damaged(path: path, what: "its header cannot be read")
    }
    return id
  }
}

package import HistoryTypes
import SQLiteStorage

extension Store {
  /// Opens the file on another connection, which keeps reading the snapshot that is current now.
  ///
  /// The connection keeps one read transaction open. Writers and purges do not wait for it. The
  /// write-ahead log keeps all commits after the snapshot, and grows: a checkpoint can neither copy
  /// later commits into the file nor restart the log (https://sqlite.org/wal.html#ckpt).
  ///
  /// Suspending this store ends the read transaction. ``movePin()`` moves the connection to the
  /// current snapshot.
  ///
  /// - Throws: ``HistoryError/Code/openForReading``, ``HistoryError/Code/suspended`` and the errors of
  ///   opening the file.
  package func pinned() throws(HistoryError) -> Store {
    guard !isForReading else { throw .openForReading(path: path) }
    // A suspension waits for this request, and then closes the new connection, too.
    return try locked { _ in
      var configuration = configuration
      configuration.foreignWrites = nil
      configuration.signalsChanges = false
      configuration.isPinned = true
      let store = try Store(path: path, configuration, openAgain())
      pins.add(store)
      return store
    }
  }

  /// Moves a store that ``pinned()`` returned to the snapshot that is current at this call.
  ///
  /// - Returns: The position in history of the snapshot, or `nil` if the store keeps no history.
  /// - Complexity: one query of one row.
  @discardableResult
  package func movePin() throws(HistoryError) -> HistoryToken? {
    try locked { core in
      try core.movePin()
      return configuration.tracksHistory ? try core.headToken() : nil
    }
  }
}

extension StoreCore {
  /// Throws if SQLite has ended the read transaction that keeps a pinned store at its snapshot.
  ///
  /// Some failures make SQLite end a transaction (https://sqlite.org/lang_transaction.html).
  ///
  /// - Throws: ``HistoryError/Code/snapshotLost``.
  func checkPin() throws {
    guard connection.isInTransaction else { throw HistoryError.snapshotLost(path: path) }
  }

  /// Starts a new read transaction, and runs a query so that SQLite takes the current snapshot.
  fileprivate func movePin() throws {
    if connection.isInTransaction { transactions.rollBack(connection) }
    try connection.execute("BEGIN")
    _ = try metadata("store")
  }
}

/// Weak references to the stores that ``Store/pinned()`` returned; they do not keep the stores open.
final class PinnedStores: Sendable {
  private struct Pin: Sendable {
    weak let store: Store?
  }

  private let lock = ConnectionLock()
  // This property is accessed only while the lock is held.
  nonisolated(unsafe) private var pins: [Pin] = []

  fileprivate func add(_ store: Store) {
    lock.withLock { pins = pins.filter { $0.store != nil } + [Pin(store: store)] }
  }

  /// The pinned stores that are open.
  var open: [Store] { lock.withLock { pins.compactMap(\.store) } }
}

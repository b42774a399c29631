package import HistoryTypes
import SQLiteStorage

extension Store {
  /// Opens the file on another connection, which reads at the current moment until it is moved.
  ///
  /// The connection is in one read transaction all the time. Writers and purges do not wait for it. The
  /// write-ahead log keeps everything that was committed since its moment, and grows: a checkpoint cannot
  /// copy what a reader may not see, nor restart the log (https://sqlite.org/wal.html#ckpt).
  ///
  /// The suspension of this store ends the moment.
  ///
  /// - Throws: ``HistoryError/Code/openForReading`` and the errors of opening the file.
  package func pinned() throws(HistoryError) -> Store {
    guard !isForReading else { throw .openForReading(path: path) }
    do {
      var configuration = configuration
      configuration.foreignWrites = nil
      configuration.signalsChanges = false
      configuration.isPinned = true
      let store = try Store(path: path, configuration, openAgain())
      pins.add(store)
      return store
    } catch {
      throw HistoryError(error)
    }
  }

  /// Lets a pinned store read at the current moment from now on.
  ///
  /// - Returns: The position in history of the moment, or `nil` if the store keeps no history.
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
  /// Throws if a pinned store has lost its moment.
  ///
  /// SQLite ends the read transaction after some failures (https://sqlite.org/lang_transaction.html).
  ///
  /// - Throws: ``HistoryError/Code/momentLost``.
  func checkPin() throws {
    guard connection.isInTransaction else { throw HistoryError.momentLost(path: path) }
  }

  /// Starts another read transaction, whose snapshot SQLite takes at the first query.
  fileprivate func movePin() throws {
    if connection.isInTransaction { transactions.rollBack(connection) }
    try connection.execute("BEGIN")
    _ = try metadata("store")
  }
}

/// The pinned stores of a store, which it does not keep open.
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

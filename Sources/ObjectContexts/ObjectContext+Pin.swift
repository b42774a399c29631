public import HistoryStore
public import HistoryTypes

extension ObjectContext {
  /// Pins the context to the current snapshot of the store.
  ///
  /// The call reads the registered objects again. From then on, everything that the context reads
  /// comes from this snapshot, regardless of later commits: queries, aggregates, live queries and
  /// released objects. A merge, a save, ``refreshAll()``, ``loadAll()``, ``reset()`` and another call
  /// of this method move the context to the snapshot that is then current. With a tracker, the context
  /// therefore stays at one snapshot from one merge to the next, unless one of the other calls moves
  /// it. ``unpin()`` ends the pinning.
  ///
  /// The context reads through a connection of its own. Other connections write and purge as
  /// before. As long as the context stays at its snapshot, the write-ahead log grows with every
  /// commit, as ``HistoryStore/Store/logSize()`` shows. After a suspension of the store, reads
  /// throw ``HistoryStore/HistoryError/Code/snapshotLost`` until the context moves to another snapshot
  /// or is unpinned.
  ///
  /// Core Data: `NSManagedObjectContext.setQueryGenerationFrom(_:)` with `.current`.
  ///
  /// - Returns: The position in history of the snapshot, or `nil` if the store keeps no history.
  /// - Throws: ``HistoryError/Code/openForReading``, ``HistoryError/Code/sqlite`` and the errors of
  ///   opening a store; the context is then unchanged.
  /// - Complexity: one statement for each entity with registered objects; the first call also opens
  ///   a connection.
  @discardableResult
  public func pin() throws(HistoryError) -> HistoryToken? {
    try state.withLock { state throws(HistoryError) in
      let isNew = state.pinned == nil
      if isNew { state.pinned = try store.pinned() }
      do throws(HistoryError) { try refreshAll(&state) } catch {
        if isNew { state.unpin() }
        throw error
      }
      return state.moment
    }
  }

  /// Ends the pinning: later reads use the current state of the store, not the pinned snapshot.
  ///
  /// The call closes the connection that the pinned context used. Registered objects are not read
  /// again.
  ///
  /// - Complexity: no query.
  public func unpin() {
    state.withLock { $0.unpin() }
  }

  /// The position in history of the pinned snapshot, or `nil` if the context is not pinned.
  ///
  /// If this position stays behind ``HistoryStore/Store/currentToken()``, the context has not moved to
  /// a newer snapshot for some time, and the write-ahead log keeps growing: see ``pin()``.
  public var pinnedAt: HistoryToken? { state.withLock { $0.moment } }
}

extension ContextState {
  mutating func unpin() {
    pinned = nil
    moment = nil
  }
}

public import HistoryStore
public import HistoryTypes

extension ObjectContext {
  /// Lets the context read at one moment, the current one, or moves it there if it does already.
  ///
  /// From then on, everything that the context reads is of this moment: objects that were released,
  /// queries, aggregates and live queries agree, whatever others commit. Registered objects are read
  /// again. A merge, a save, ``refreshAll()``, ``loadAll()`` and ``reset()`` move the context to the
  /// current moment: with a tracker, the context reads the state that its last pass has merged.
  ///
  /// The context reads through a connection of its own. Other connections write and purge as before. As
  /// long as the context stays at its moment, the write-ahead log grows with every commit, which
  /// ``HistoryStore/Store/logSize()`` shows. Suspending the store ends the moment.
  ///
  /// Core Data: `NSManagedObjectContext.setQueryGenerationFrom(_:)` with `.current`.
  ///
  /// - Returns: The position in history of the moment, or `nil` if the store keeps no history.
  /// - Throws: ``HistoryError/Code/openForReading``, ``HistoryError/Code/sqlite`` and the errors of
  ///   opening a store; the context is then unchanged.
  /// - Complexity: opening a connection at first, and one statement for each entity with registered objects.
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

  /// Lets the context read the current state of the store again, and closes the connection.
  ///
  /// Registered objects stay as they are.
  public func unpin() {
    state.withLock { $0.unpin() }
  }

  /// The position in history at which the context reads, or `nil` if it is not pinned.
  ///
  /// Compare it with ``HistoryStore/Store/currentToken()`` to find a context that stays behind.
  public var pinnedAt: HistoryToken? { state.withLock { $0.moment } }
}

extension ContextState {
  mutating func unpin() {
    pinned = nil
    moment = nil
  }
}

public import HistoryStore
public import ObjectContexts
public import PersistentHistory

extension HistoryTracker {
  /// Creates a tracker for one member on the store of a container.
  ///
  /// The store is that of the first context. Without contexts it is the only store of the container
  /// that keeps history.
  ///
  /// - Throws: Without contexts, ``HistoryError/severalStores(_:)`` if several stores keep history,
  ///   or ``HistoryError/untracked(path:)`` if none does.
  public init(
    _ member: ActorID,
    container: StoreContainer,
    contexts: [ObjectContext]? = nil,
    configuration: TrackerConfiguration = TrackerConfiguration()
  ) throws(HistoryError) {
    let store =
      if let context = contexts?.first { context.store } else {
        try container.trackedStore()
      }
    self.init(member, store: store, contexts: contexts, configuration: configuration)
  }
}

extension StoreContainer {
  /// Returns the only store of the container that keeps history.
  fileprivate func trackedStore() throws(HistoryError) -> Store {
    let tracked = stores.filter(\.configuration.tracksHistory)
    guard let store = tracked.first else { throw .untracked(path: stores.first?.path ?? "") }
    guard tracked.count == 1 else { throw .severalStores(tracked.map(\.path)) }
    return store
  }
}

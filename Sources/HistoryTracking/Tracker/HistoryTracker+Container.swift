public import HistoryStore
public import ObjectContexts
public import PersistentHistory

extension HistoryTracker {
  /// Creates a tracker for one actor on the store of a container that keeps history, or on the one that
  /// its contexts are on.
  ///
  /// - Throws: ``HistoryError/severalStores(_:)`` when several stores keep history and no context names
  ///   one, ``HistoryError/untracked(path:)`` when none does.
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
  /// The one store that keeps history.
  fileprivate func trackedStore() throws(HistoryError) -> Store {
    let tracked = stores.filter(\.configuration.tracksHistory)
    guard let store = tracked.first else { throw .untracked(path: stores.first?.path ?? "") }
    guard tracked.count == 1 else { throw .severalStores(tracked.map(\.path)) }
    return store
  }
}

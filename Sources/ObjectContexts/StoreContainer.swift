public import HistoryStore
public import PersistentHistory

/// How one store of a container is opened (Core Data: `NSPersistentStoreDescription`).
public struct StoreDescription: Sendable {
  /// The file.
  public var path: String
  /// The entities that lie in this store.
  public var model: Model
  /// How it is opened, with or without history.
  public var configuration: StoreConfiguration

  /// Describes a store.
  public init(path: String, model: Model, configuration: StoreConfiguration = .init()) {
    self.path = path
    self.model = model
    self.configuration = configuration
  }
}

/// Several stores, each with its own entities and with history or without
/// (Core Data: `NSPersistentContainer` with several configurations).
///
/// Each store is its own file: a context works in one of them, and its save is atomic there.
public final class StoreContainer: Sendable {
  /// The stores, in the order of their descriptions.
  public let stores: [Store]
  private let places: [String: Int]

  /// Opens every store, creating the files that are not there.
  ///
  /// - Throws: ``HistoryError/entityTwice(_:)`` before any file is touched, and what opening a store
  ///   throws.
  public init(_ descriptions: [StoreDescription]) throws(HistoryError) {
    var places: [String: Int] = [:]
    for (place, description) in descriptions.enumerated() {
      for entity in description.model.entities {
        guard places.updateValue(place, forKey: entity.name) == nil else {
          throw .entityTwice(entity.name)
        }
      }
    }
    var stores: [Store] = []
    for store in descriptions {
      stores.append(
        try Store(path: store.path, model: store.model, configuration: store.configuration)
      )
    }
    self.stores = stores
    self.places = places
  }

  /// The store that holds an entity.
  ///
  /// - Throws: ``HistoryError/unknownEntity(_:)``.
  public func store(of entity: String) throws(HistoryError) -> Store {
    guard let place = places[entity] else { throw .unknownEntity(entity) }
    return stores[place]
  }

  /// The store with an identity, which a token names, or nothing.
  public func store(_ id: StoreID) -> Store? {
    stores.first { $0.id == id }
  }

  /// The newest positions of the stores that keep history
  /// (Core Data: `NSPersistentStoreCoordinator.currentPersistentHistoryToken(fromStores:)`).
  ///
  /// - Complexity: one query a store.
  public func currentTokens() throws(HistoryError) -> [HistoryToken] {
    var tokens: [HistoryToken] = []
    for store in stores where store.configuration.tracksHistory {
      tokens.append(try store.currentToken())
    }
    return tokens
  }

  /// Creates a context on the store that holds an entity.
  ///
  /// - Throws: ``HistoryError/unknownEntity(_:)``.
  public func context(
    for entity: String,
    author: String? = nil,
    name: String? = nil,
    mergePolicy: MergePolicy = .error
  ) throws(HistoryError) -> ObjectContext {
    ObjectContext(
      store: try store(of: entity),
      author: author,
      name: name,
      mergePolicy: mergePolicy
    )
  }
}

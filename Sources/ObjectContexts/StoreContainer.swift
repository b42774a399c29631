public import HistoryStore
public import HistoryTypes

/// The location, model and options of one store (Core Data: `NSPersistentStoreDescription`).
public struct StoreDescription: Sendable {
  /// The path of the store's file.
  public var path: String
  /// The entities in this store.
  public var model: Model
  /// The options of the store, with or without history.
  public var configuration: StoreConfiguration

  /// Creates the description of a store.
  ///
  /// - Parameters:
  ///   - path: The path of the store's file.
  ///   - model: The entities in this store.
  ///   - configuration: The options of the store. The default keeps history.
  public init(path: String, model: Model, configuration: StoreConfiguration = .init()) {
    self.path = path
    self.model = model
    self.configuration = configuration
  }
}

/// A set of stores, each with its own entities, with or without history.
///
/// Each store is a separate file. A context uses one store, and its saves are atomic within that
/// store.
///
/// Core Data: `NSPersistentContainer` with several configurations.
public final class StoreContainer: Sendable {
  /// The stores, in the order of their descriptions.
  public let stores: [Store]
  private let places: [String: Int]

  /// Opens all stores, creating missing files.
  ///
  /// - Throws: ``HistoryError/Code/entityTwice`` if two stores contain the same entity, before any
  ///   file is opened, and the errors of opening a store.
  /// - Complexity: that of opening each store.
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

  /// Returns the store that contains an entity.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity`` if no store contains the entity.
  /// - Complexity: constant; no query.
  public func store(of entity: String) throws(HistoryError) -> Store {
    guard let place = places[entity] else {
      throw .unknownEntity(entity, known: places.keys.sorted())
    }
    return stores[place]
  }

  /// Returns the store with an identity, such as ``HistoryToken/store``, or `nil` if there is none.
  ///
  /// - Complexity: linear in the number of stores; no query.
  public func store(_ id: StoreID) -> Store? {
    stores.first { $0.id == id }
  }

  /// Returns the newest positions of the stores that keep history.
  ///
  /// Core Data: `NSPersistentStoreCoordinator.currentPersistentHistoryToken(fromStores:)`.
  ///
  /// - Throws: ``HistoryError/Code/sqlite``.
  /// - Complexity: one query for each store.
  public func currentTokens() throws(HistoryError) -> [HistoryToken] {
    var tokens: [HistoryToken] = []
    for store in stores where store.configuration.tracksHistory {
      tokens.append(try store.currentToken())
    }
    return tokens
  }

  /// Suspends all stores, as ``HistoryStore/Store/suspend(within:calls:)`` does.
  ///
  /// The time limit applies to the requests of all stores together, not to each store in turn.
  ///
  /// - Parameters:
  ///   - limit: The time that requests in progress have before they are interrupted. The default is
  ///     1 second.
  ///   - calls: Whether calls fail or wait until the stores are resumed. The default is `fail`.
  /// - Throws: ``HistoryError/Code/insideRequest`` if called inside a request of one of the stores;
  ///   all other stores are suspended nevertheless.
  /// - Complexity: that of suspending each store.
  public func suspend(
    within limit: Duration = .seconds(1),
    calls: CallsWhileSuspended = .fail
  ) throws(HistoryError) {
    let deadline = ContinuousClock.now + limit
    try forEach { store throws(HistoryError) in try store.suspend(until: deadline, calls) }
  }

  /// Resumes all stores, as ``HistoryStore/Store/resume()`` does.
  ///
  /// - Throws: the first error if some stores cannot be resumed; all other stores are resumed.
  /// - Complexity: that of resuming each store.
  public func resume() throws(HistoryError) {
    try forEach { store throws(HistoryError) in try store.resume() }
  }

  /// Runs a closure for all stores, even if it fails for some, and then throws the first error, if any.
  private func forEach(_ body: (Store) throws(HistoryError) -> Void) throws(HistoryError) {
    var first: HistoryError?
    for store in stores {
      do throws(HistoryError) { try body(store) } catch { first = first ?? error }
    }
    if let first { throw first }
  }

  /// Creates a context on the store that contains an entity.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - author: The author of the context's transactions. The default is `nil`, for none.
  ///   - name: The context name of the transactions. The default is `nil`, for none.
  ///   - mergePolicy: The handling of saved objects that another writer changed. The default is
  ///     ``HistoryStore/MergePolicy/error``.
  ///   - retainsRegisteredObjects: Whether objects stay registered without a reference to them. The
  ///     default is `false`.
  /// - Returns: A context without registered objects.
  /// - Throws: ``HistoryError/Code/unknownEntity`` if no store contains the entity.
  /// - Complexity: no query.
  public func context(
    for entity: String,
    author: String? = nil,
    name: String? = nil,
    mergePolicy: MergePolicy = .error,
    retainsRegisteredObjects: Bool = false
  ) throws(HistoryError) -> ObjectContext {
    ObjectContext(
      store: try store(of: entity),
      author: author,
      name: name,
      mergePolicy: mergePolicy,
      retainsRegisteredObjects: retainsRegisteredObjects
    )
  }
}

extension Store {
  /// Creates a context for background work.
  ///
  /// Core Data: `NSPersistentContainer.newBackgroundContext()`.
  ///
  /// - Parameters:
  ///   - author: The author of the context's transactions. The default is `nil`, for none.
  ///   - name: The context name of the transactions. The default is `background`.
  ///   - mergePolicy: The handling of saved objects that another writer changed. The default is
  ///     ``HistoryStore/MergePolicy/error``.
  ///   - retainsRegisteredObjects: Whether objects stay registered without a reference to them. The
  ///     default is `false`.
  /// - Returns: A context without registered objects.
  public func backgroundContext(
    author: String? = nil,
    name: String? = "background",
    mergePolicy: MergePolicy = .error,
    retainsRegisteredObjects: Bool = false
  ) -> ObjectContext {
    ObjectContext(
      store: self,
      author: author,
      name: name,
      mergePolicy: mergePolicy,
      retainsRegisteredObjects: retainsRegisteredObjects
    )
  }

  /// Runs a closure with a new context, off the caller's executor.
  ///
  /// Edits that the closure does not save are discarded.
  ///
  /// Core Data: `NSPersistentContainer.performBackgroundTask(_:)`.
  ///
  /// - Parameters:
  ///   - author: The author of the context's transactions. The default is `nil`, for none.
  ///   - name: The context name of the transactions. The default is `background`.
  ///   - mergePolicy: The handling of saved objects that another writer changed. The default is
  ///     ``HistoryStore/MergePolicy/error``.
  ///   - retainsRegisteredObjects: Whether objects stay registered without a reference to them. The
  ///     default is `false`.
  ///   - body: The closure, which receives the context.
  /// - Returns: The result of the closure.
  /// - Throws: The errors of the closure.
  @concurrent
  public func performInBackground<Result: Sendable, Failure: Error>(
    author: String? = nil,
    name: String? = "background",
    mergePolicy: MergePolicy = .error,
    retainsRegisteredObjects: Bool = false,
    _ body: @Sendable (ObjectContext) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try body(
      backgroundContext(
        author: author,
        name: name,
        mergePolicy: mergePolicy,
        retainsRegisteredObjects: retainsRegisteredObjects
      )
    )
  }
}

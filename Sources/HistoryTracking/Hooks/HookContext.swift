public import PersistentHistory

/// One object that a transaction changed, as an observer is told about it.
///
/// It is a view into the page that was fetched: names and values are made only when asked for.
public struct HookContext: Sendable {
  /// What identifies a delivery: an observer that has seen the key before is told again, after a crash
  /// or a pass that failed.
  public struct Key: Hashable, Sendable, Codable {
    /// The actor that is told.
    public let actor: ActorID
    /// The number of the transaction.
    public let number: Int64

    /// Creates the key of a transaction's delivery to an actor.
    public init(actor: ActorID, number: Int64) {
      self.actor = actor
      self.number = number
    }
  }

  /// What happened, as history holds it.
  public let change: HistoryChange
  /// The transaction that it belongs to.
  public let transaction: HistoryTransaction
  let actor: ActorID

  /// The key for idempotence.
  public var key: Key { Key(actor: actor, number: transaction.number) }
  /// The name of the object's entity.
  public var entityName: String { change.entityName ?? "" }
  /// What happened to the object.
  public var operation: ChangeType { change.type }
  /// The object.
  public var objectID: ObjectID { change.objectID }
  /// The object's URI, which names it outside of the store.
  public var objectIDURL: String {
    ObjectURI(store: transaction.storeID, entity: entityName, key: objectID.key).description
  }
  /// The names of the attributes that an update has set.
  public var updatedProperties: [String] { change.updatedProperties }
  /// The preserved values of a deleted object, each with its own type: a date stays a date.
  public var tombstone: [String: Value]? { change.tombstone }
  /// When the transaction was written, by the store's clock.
  public var timestamp: Date { transaction.timestamp }
  /// Who wrote it, or nothing.
  public var author: String? { transaction.author }
}

/// An observer: it is told about every group of changes, all of one transaction, one entity and one
/// operation.
public typealias HookCallback = @Sendable (_ group: [HookContext]) async throws -> Void

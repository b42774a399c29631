public import PersistentHistory

/// One object that a transaction changed, as passed to an observer.
///
/// It is a view into the fetched page; names and values are created on access.
public struct HookContext: Sendable {
  /// The identity of a delivery, for idempotent observers.
  ///
  /// An observer may receive the same key again: if its call threw and is retried, or after a
  /// restart before the cursor was recorded.
  public struct Key: Hashable, Sendable, Codable {
    /// The member that receives the change.
    public let actor: ActorID
    /// The number of the transaction.
    public let number: Int64

    /// Creates the key of a transaction's delivery to a member.
    public init(actor: ActorID, number: Int64) {
      self.actor = actor
      self.number = number
    }
  }

  /// The change as recorded in history.
  public let change: HistoryChange
  /// The transaction that contains the change.
  public let transaction: HistoryTransaction
  let actor: ActorID

  /// The key for idempotent processing.
  public var key: Key { Key(actor: actor, number: transaction.number) }
  /// The name of the object's entity.
  public var entityName: String { change.entityName ?? "" }
  /// The operation: insert, update or delete.
  public var operation: ChangeType { change.type }
  /// The identity of the object.
  public var objectID: ObjectID { change.objectID }
  /// The object's URI, which identifies the object outside of the store.
  public var objectIDURL: String {
    ObjectURI(store: transaction.storeID, entity: entityName, key: objectID.key).description
  }
  /// The names of the attributes that an update set.
  public var updatedProperties: [String] { change.updatedProperties }
  /// The preserved values of a deleted object, each with its original type, such as `Date`.
  public var tombstone: [String: Value]? { change.tombstone }
  /// The time at which the transaction was written, by the store's clock.
  public var timestamp: Date { transaction.timestamp }
  /// The author of the transaction, or `nil` if it has none.
  public var author: String? { transaction.author }
}

/// An observer, called with each group of changes of one transaction, one entity and one operation.
public typealias HookCallback = @Sendable (_ group: [HookContext]) async throws -> Void

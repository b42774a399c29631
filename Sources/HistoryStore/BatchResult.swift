public import PersistentHistory

/// The detail of a batch result (Core Data: `NSBatchInsertRequestResultType` and its counterparts).
public enum BatchResultType: Sendable, Hashable {
  /// The transaction only (Core Data: `statusOnly`).
  case status
  /// The number of objects (Core Data: `count`), which every result contains anyway.
  case count
  /// The IDs of the objects (Core Data: `objectIDs`); each takes 16 bytes of memory.
  case objectIDs
}

/// The outcome of a batch request (Core Data: `NSBatchInsertResult` and its counterparts).
public struct BatchResult: Sendable, Hashable {
  /// The transaction, or `nil` when no object matched or the store keeps no history.
  public let transaction: WrittenTransaction?
  /// The number of objects that were inserted, updated or deleted.
  public let count: Int
  /// The objects that were inserted, updated or deleted, in the order of the transaction's changes;
  /// empty unless the request asked for them.
  public let objectIDs: [ObjectID]

  init(_ outcome: ChangeOutcome) {
    transaction = outcome.transaction
    count = outcome.count
    objectIDs = outcome.objects
  }
}

/// The author and context name that a batch request is recorded with.
public struct BatchAuthor: Sendable, Hashable {
  /// The author, or `nil` for none.
  public var author: String?
  /// The name of the context, or `nil` for none.
  public var contextName: String?
  /// The time of the store's clock when the request started, if that was before it took the lock.
  package var begunAt: Date?

  /// Creates the authorship of a batch request.
  public init(_ author: String?, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }

  var authorship: Authorship {
    Authorship(author: author, contextName: contextName, begunAt: begunAt)
  }
}

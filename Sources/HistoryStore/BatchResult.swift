public import PersistentHistory

/// What a batch request tells about the objects that it changed
/// (Core Data: `NSBatchInsertRequestResultType` and its like).
public enum BatchResultType: Sendable, Hashable {
  /// Its transaction only (Core Data: `statusOnly`).
  case status
  /// How many there were (Core Data: `count`); that is known anyway.
  case count
  /// Which they were (Core Data: `objectIDs`): 16 bytes each in memory.
  case objectIDs
}

/// What a batch request did (Core Data: `NSBatchInsertResult` and its like).
public struct BatchResult: Sendable, Hashable {
  /// The transaction, or nothing when no object matched or the store keeps no history.
  public let transaction: WrittenTransaction?
  /// How many objects were inserted, updated or deleted.
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

/// Under whose name a batch request is written.
public struct BatchAuthor: Sendable, Hashable {
  /// The author, or nothing.
  public var author: String?
  /// The name of the context, or nothing.
  public var contextName: String?
  /// What the store's clock read when the request began, if it began before it takes the lock.
  package var begunAt: Date?

  /// Creates the name of a batch request's writer.
  public init(_ author: String?, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }

  var authorship: Authorship {
    Authorship(author: author, contextName: contextName, begunAt: begunAt)
  }
}

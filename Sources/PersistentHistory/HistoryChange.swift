/// One object inserted, updated or deleted by a transaction
/// (Core Data: `NSPersistentHistoryChange`).
///
/// A view into its ``HistoryPage``: names and values are made only when asked for.
public struct HistoryChange: Sendable {
  /// The page that holds the change.
  package let page: HistoryPage
  /// The position of the change in its page.
  package let index: Int

  package init(page: HistoryPage, index: Int) {
    self.page = page
    self.index = index
  }

  /// The plain numbers of the change.
  package var record: ChangeRecord { page.changes[index] }

  /// The object that changed.
  public var objectID: ObjectID { record.objectID }
  /// What happened to it.
  public var type: ChangeType { record.type }
  /// The attributes set by an update, one bit each in the entity's order; 0 otherwise.
  public var columns: UInt64 { record.columns }
  /// The name of the object's entity, or nothing if the model does not know its number.
  public var entityName: String? { page.model.entity(record.entity)?.name }

  /// The names of the attributes set by an update, in the entity's order.
  public var updatedProperties: [String] {
    page.model.entity(record.entity)?.names(in: columns) ?? []
  }

  /// The values that a deleted object left behind, by attribute name; nothing if it left none.
  ///
  /// Only attributes marked `preservesValueInHistoryOnDeletion` are here, with their own types.
  public var tombstone: [String: Value]? {
    guard let entity = page.model.entity(record.entity), record.tombstoneLength > 0 else {
      return nil
    }
    return Tombstone.decode(page.tombstoneBytes(of: record), of: entity)
  }
}

/// The plain numbers of one change: 32 bytes, no references.
@usableFromInline
package struct ChangeRecord: Hashable, Sendable {
  /// The object's key.
  @usableFromInline
  package var key: Int64
  /// The column bitmap of an update.
  @usableFromInline
  package var columns: UInt64
  /// The entity's number.
  @usableFromInline
  package var entity: Int32
  /// Where the tombstone starts in the page's tombstone bytes.
  @usableFromInline
  package var tombstoneStart: UInt32
  /// How many bytes the tombstone has; 0 is none.
  @usableFromInline
  package var tombstoneLength: UInt32
  /// What happened.
  @usableFromInline
  package var type: ChangeType

  @inlinable
  @inline(__always)
  package init(
    key: Int64,
    columns: UInt64,
    entity: Int32,
    tombstoneStart: UInt32,
    tombstoneLength: UInt32,
    type: ChangeType
  ) {
    self.key = key
    self.columns = columns
    self.entity = entity
    self.tombstoneStart = tombstoneStart
    self.tombstoneLength = tombstoneLength
    self.type = type
  }

  /// The object that changed.
  package var objectID: ObjectID { ObjectID(entity: entity, key: key) }
}

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
  /// The first 64 attributes set by an update, one bit each in the entity's order; 0 otherwise.
  public var columns: UInt64 { record.columns }
  /// The name of the object's entity, or nothing if the model does not know its number.
  public var entityName: String? { page.model.entity(record.entity)?.name }

  /// The names of the attributes set by an update, in the entity's order; `#n` for one that the model
  /// does not know, as of a file that Core Data wrote.
  public var updatedProperties: [String] {
    let attributes = page.model.entity(record.entity)?.attributes ?? []
    return columnNumbers.map { $0 < attributes.count ? attributes[$0].name : "#\($0)" }
  }

  /// The positions of the attributes set by an update, from 0, however many an entity has.
  public var columnNumbers: [Int] {
    guard type == .update else { return [] }
    let first = (0..<64).filter { columns >> UInt64($0) & 1 == 1 }
    guard record.tombstoneLength > 0 else { return first }
    return first
      + page.tombstoneBytes(of: record).enumerated().flatMap { index, byte in
        (0..<8).filter { byte >> UInt8($0) & 1 == 1 }.map { 64 + 8 * index + $0 }
      }
  }

  /// The values that a deleted object left behind, by attribute name; nothing if it left none.
  ///
  /// Only attributes marked `preservesValueInHistoryOnDeletion` are here, with their own types.
  public var tombstone: [String: Value]? {
    guard type == .delete, record.tombstoneLength > 0,
      let entity = page.model.entity(record.entity)
    else { return nil }
    return Tombstone.decode(page.tombstoneBytes(of: record), of: entity)
  }
}

/// The plain numbers of one change: 32 bytes, no references.
package struct ChangeRecord: Hashable, Sendable {
  /// The object's key.
  package var key: Int64
  /// The column bitmap of an update.
  package var columns: UInt64
  /// The entity's number.
  package var entity: Int32
  /// Where the tombstone of a delete starts in the page's tombstone bytes, or where the bits of an
  /// update's columns beyond the first 64 do, the least significant bit of each byte first.
  package var tombstoneStart: UInt32
  /// How many bytes these are; 0 is none.
  package var tombstoneLength: UInt32
  /// What happened.
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

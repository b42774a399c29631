/// One object inserted, updated or deleted by a transaction.
///
/// Core Data: `NSPersistentHistoryChange`.
///
/// A change is a view into its ``HistoryPage``: names and values are created on access.
public struct HistoryChange: Sendable, Identifiable {
  /// The page that contains the change.
  package let page: HistoryPage
  /// The index of the change in its page.
  package let index: Int

  package init(page: HistoryPage, index: Int) {
    self.page = page
    self.index = index
  }

  package var record: ChangeRecord { page.changeRecords[index] }

  /// The identity of the change: the transaction's number, and the index of the change within it.
  ///
  /// Every fetch of the change returns the same identity.
  ///
  /// - Complexity: logarithmic in the number of transactions of the page.
  public var id: ChangeID {
    let transaction = transaction.record
    let place =
      page.places.isEmpty
      ? transaction.firstPlace + index - transaction.firstChange : page.places[index]
    return ChangeID(transaction: TransactionNumber(transaction.number), place: place)
  }
  /// The transaction that made the change.
  ///
  /// - Complexity: logarithmic in the number of transactions of the page.
  public var transaction: HistoryTransaction {
    HistoryTransaction(page: page, index: page.transactionIndex(ofChange: index))
  }
  /// The identity of the changed object.
  public var objectID: ObjectID { record.objectID }
  /// The operation: insert, update or delete.
  public var type: ChangeType { record.type }
  /// The updated attributes among the entity's first 64, one bit each; 0 if this is not an update.
  package var columns: UInt64 { record.columns }
  /// The name of the object's entity, or `nil` if the model has no entity with its number.
  public var entityName: String? { page.model.entity(record.entity)?.name }

  /// The names of the attributes set by an update, in the entity's order.
  ///
  /// Core Data: `NSPersistentHistoryChange.updatedProperties`.
  ///
  /// An attribute that only the file's model has, because a newer program added it or a migration
  /// removed it, has the name from the file. An attribute that neither model defines, such as in a
  /// file that Core Data wrote, is named `#n`, where `n` is its index, as in ``columnNumbers``. The
  /// result is empty if this is not an update.
  ///
  /// - Complexity: linear in the number of attributes; no query.
  public var updatedProperties: [String] {
    let entity = page.model.entity(record.entity)
    let attributes = entity?.attributes ?? []
    let numbers = columnNumbers
    guard let last = numbers.last, last >= attributes.count else {
      return numbers.map { attributes[$0].name }
    }
    let others = entity?.othersInOrder ?? []
    return numbers.map { number in
      if number < attributes.count { return attributes[number].name }
      let place = number - attributes.count
      return (place < others.count ? others[place]?.name : nil) ?? "#\(number)"
    }
  }

  /// The indices of the attributes set by an update, from 0, in ascending order.
  ///
  /// The indices refer to ``Entity/attributes``. Attributes that the program's model lacks have
  /// indices of at least `attributes.count`. Files of Core Data may contain indices beyond 63. The
  /// result is empty if this is not an update.
  ///
  /// - Complexity: linear in the number of attributes; no query.
  public var columnNumbers: [Int] {
    guard type == .update else { return [] }
    let first = (0..<64).filter { columns >> UInt64($0) & 1 == 1 }
    guard record.tombstoneLength > 0 else { return first }
    let (start, count) = (Int(record.tombstoneStart), Int(record.tombstoneLength))
    return page.tombstones.withBytes(at: start, count: count) { bytes in
      first
        + bytes.enumerated().flatMap { index, byte in
          (0..<8).filter { byte >> UInt8($0) & 1 == 1 }.map { 64 + 8 * index + $0 }
        }
    }
  }

  /// The preserved values of a deleted object by attribute name, or `nil` if there are none.
  ///
  /// Core Data: `NSPersistentHistoryChange.tombstone`.
  ///
  /// The dictionary contains only attributes marked `preservesValueInHistoryOnDeletion`; each value
  /// has the attribute's type.
  ///
  /// - Complexity: linear in the bytes of the preserved values, which each access decodes; no query.
  public var tombstone: [String: Value]? {
    guard type == .delete, record.tombstoneLength > 0,
      let entity = page.model.entity(record.entity)
    else { return nil }
    return page.tombstone(of: record, in: entity)
  }
}

/// The identity of one change (Core Data: `NSPersistentHistoryChange.changeID`).
public struct ChangeID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The number of the transaction.
  public let transaction: TransactionNumber
  /// The index of the change within its transaction, from 0.
  public let place: Int

  /// Creates the identity of a change.
  ///
  /// - Parameters:
  ///   - transaction: The number of the transaction.
  ///   - place: The index of the change within its transaction, from 0.
  public init(transaction: TransactionNumber, place: Int) {
    self.transaction = transaction
    self.place = place
  }

  /// The transaction number and the index of the change, for logs.
  public var description: String { "#\(transaction)/\(place)" }
}

extension ChangeID: Comparable {
  /// Orders changes by their transactions' commit order, then by their index in the transaction.
  public static func < (left: ChangeID, right: ChangeID) -> Bool {
    left.transaction == right.transaction
      ? left.place < right.place : left.transaction < right.transaction
  }
}

/// The compact record of one change: 32 bytes that can be copied as they are.
@usableFromInline
package struct ChangeRecord: Hashable, Sendable, BitwiseCopyable {
  /// The key of the changed object within its entity.
  @usableFromInline
  package var key: Int64
  /// The updated columns among the entity's first 64, one bit each; 0 if this is not an update.
  @usableFromInline
  package var columns: UInt64
  /// The number of the changed object's entity.
  @usableFromInline
  package var entity: Int32
  /// The offset of the change's bytes in the page's tombstone buffer.
  ///
  /// The bytes of a delete are its tombstone. The bytes of an update are the bits of its columns
  /// beyond the first 64, least significant bit of each byte first.
  @usableFromInline
  package var tombstoneStart: UInt32
  /// The length of the change's bytes in the page's tombstone buffer; 0 if the change has none.
  @usableFromInline
  package var tombstoneLength: UInt32
  /// The operation on the object: insert, update or delete.
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

  /// The identity of the changed object.
  package var objectID: ObjectID { ObjectID(entity: entity, key: key) }
}

/// The operation on an object, with the raw values of `NSPersistentHistoryChangeType`.
public enum ChangeType: UInt8, Sendable, Hashable, Codable, CaseIterable, BitwiseCopyable {
  /// The transaction inserted the object.
  case insert = 0
  /// The transaction set attributes of the object.
  case update = 1
  /// The transaction deleted the object.
  case delete = 2
}

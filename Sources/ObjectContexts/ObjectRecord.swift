public import HistoryStore
public import HistoryTypes

/// A type whose properties are the attributes of one entity, such as a struct.
///
/// ```swift
/// struct Item: ObjectRecord {
///   var title: String
///   var count = 0
/// }
/// let item = try context.insert(Item(title: "Milk"))
/// let items = try context.records(Item.self, where: .compare("count", .equal, 0))
/// ```
/// Properties are optional where the attribute may be null. Integers, floating-point numbers,
/// strings, Boolean values, `Date`, `Data` and `UUID` are supported, and so are enumerations and
/// other types that encode as one of these.
public protocol ObjectRecord: Codable, Sendable {
  /// The name of the entity. The default is the name of the type.
  static var entityName: String { get }
}

extension ObjectRecord {
  /// The name of the type.
  public static var entityName: String { String(describing: Self.self) }
}

extension ObjectContext {
  /// Inserts an object with the values of a record into the context; the next save writes it.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity``, ``HistoryError/Code/unknownAttribute`` or
  ///   ``HistoryError/Code/unfitValue`` if the record does not fit the model.
  /// - Complexity: that of inserting an object with values.
  @discardableResult
  public func insert(_ record: some ObjectRecord) throws(HistoryError) -> StoredObject {
    let entity = type(of: record).entityName
    guard let description = store.model.number(of: entity).flatMap(store.model.entity) else {
      throw .unknownEntity(entity, in: store.model)
    }
    return try insert(entity, RecordEncoder.values(of: record, for: description))
  }

  /// Returns the sorted records of the objects that match a predicate, up to a limit.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  ///   - orders: The sort orders, the most significant first. The default is the order of the keys.
  ///   - limit: The maximum number of objects. The default `nil` is no limit.
  ///   - offset: The number of matching objects to skip. The default is 0.
  /// - Returns: The records, in the order of the objects.
  /// - Throws: the errors of `objects(_:where:sortedBy:limit:offset:)`, and
  ///   ``HistoryError/Code/unfitValue`` for an object whose values do not fit the record.
  /// - Complexity: that of `objects(_:where:sortedBy:limit:offset:)`.
  public func records<Record: ObjectRecord>(
    _ type: Record.Type,
    where predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(HistoryError) -> [Record] {
    let found = try objects(
      Record.entityName,
      where: predicate,
      sortedBy: orders,
      limit: limit,
      offset: offset
    )
    var records: [Record] = []
    for object in found { records.append(try object.record(Record.self)) }
    return records
  }
}

extension StoredObject {
  /// Returns the object's values, including unsaved edits, as a record.
  ///
  /// Attributes that the record lacks are left out.
  ///
  /// - Throws: ``HistoryError/Code/unknownObject`` if the object is deleted, and
  ///   ``HistoryError/Code/unfitValue`` if a value does not fit, such as null for a property that is
  ///   not optional.
  /// - Complexity: no query, or a query of one row if the object is not registered.
  public func record<Record: ObjectRecord>(
    _ type: Record.Type
  ) throws(HistoryError) -> Record {
    guard let entity = context.store.model.entity(id.entity), let row = try context.row(of: id)
    else { throw .unknownObject(id) }
    return try RecordDecoder.record(type, of: row, entity)
  }

  /// Sets the attributes whose values differ from a record's; the next save writes them.
  ///
  /// - Throws: ``HistoryError/Code/unknownObject``, ``HistoryError/Code/unknownAttribute`` or
  ///   ``HistoryError/Code/unfitValue``; no attribute is then set.
  /// - Complexity: no query, or a query of one row if the object is not registered.
  public func update(_ record: some ObjectRecord) throws(HistoryError) {
    guard let entity = context.store.model.entity(id.entity), let row = try context.row(of: id)
    else { throw .unknownObject(id) }
    let values = try RecordEncoder.values(of: record, for: entity)
    for (name, value) in values {
      // Equal Swift strings can have different bytes, and `order(to:)` compares the bytes.
      if let index = entity.index(of: name), row[index] == value, row[index].order(to: value) == 0 {
        continue
      }
      try set(value, for: name)
    }
  }
}

import HistoryTypes
import SQLiteStorage

/// An index or a uniqueness constraint of an entity in a file, with attributes given by number.
///
/// The numbers and columns of attributes stay the same when an attribute is renamed, so an index is
/// created once and keeps its name.
package struct StoredIndex: Hashable, Sendable {
  /// One attribute of an index.
  struct Element: Hashable, Sendable {
    let number: Int
    let isAscending: Bool
    let collation: TextCollation
  }

  let elements: [Element]
  /// Whether the index is a uniqueness constraint.
  let isUnique: Bool

  /// The attributes of the index with their current names.
  func orders(in entity: StoredEntity) -> [ObjectOrder] {
    elements.map { element in
      ObjectOrder(
        entity.attributes[element.number].attribute.name,
        isAscending: element.isAscending,
        collation: element.collation
      )
    }
  }
}

extension StoredEntity {
  /// Converts the indexes of a model's entity to the attribute numbers of this stored entity.
  func indexes(of entity: Entity) -> [StoredIndex] {
    entity.indexes.map { index($0, isUnique: false) }
      + entity.uniquenessConstraints.map { index($0.map { ObjectOrder($0) }, isUnique: true) }
  }

  private func index(_ orders: [ObjectOrder], isUnique: Bool) -> StoredIndex {
    let elements = orders.compactMap { order in
      let number = attributes.firstIndex { $0.attribute.name == order.attribute && !$0.isRemoved }
      return number.map {
        StoredIndex.Element(
          number: $0,
          isAscending: order.isAscending,
          collation: order.collation
        )
      }
    }
    return StoredIndex(elements: elements, isUnique: isUnique)
  }
}

extension StoredEntity {
  /// The model's indexes, and one index for each reference.
  ///
  /// A delete uses the index of a reference to find the objects that refer to the deleted object. If
  /// the model already has this index, the list contains the index once.
  var allIndexes: [StoredIndex] {
    let references = attributes.indices.filter {
      attributes[$0].attribute.reference != nil && !attributes[$0].isRemoved
    }.map {
      StoredIndex(
        elements: [.init(number: $0, isAscending: true, collation: .binary)],
        isUnique: false
      )
    }
    return indexes + references.filter { !indexes.contains($0) }
  }
}

// MARK: The text of a model

extension StoredIndex {
  /// The index as text, such as `0,2d`: the numbers of its attributes, in order.
  ///
  /// After a number, `d` means descending and `n` case-insensitive. A uniqueness constraint starts
  /// with `u`.
  var text: String { (isUnique ? "u" : "") + elements.map(\.text).joined(separator: ",") }

  /// Creates an index from its text, or returns `nil` for invalid text.
  init?(_ text: Substring, attributeCount: Int) {
    isUnique = text.hasPrefix("u")
    let parts = text.dropFirst(isUnique ? 1 : 0)
      .split(separator: ",", omittingEmptySubsequences: false)
    elements = parts.compactMap { Element($0) }
    guard elements.count == parts.count else { return nil }
    guard elements.allSatisfy({ $0.number < attributeCount }) else { return nil }
  }
}

extension StoredIndex.Element {
  fileprivate var text: String {
    "\(number)\(isAscending ? "" : "d")\(collation == .binary ? "" : "n")"
  }

  fileprivate init?(_ text: Substring) {
    let digits = text.prefix { $0.isNumber }
    let rest = text[digits.endIndex...]
    guard let number = Int(digits), ["", "d", "n", "dn"].contains(rest) else { return nil }
    self.number = number
    isAscending = !rest.hasPrefix("d")
    collation = rest.hasSuffix("n") ? .caseInsensitive : .binary
  }
}

// MARK: The schema of a file

extension StoredIndex {
  /// Returns the name of the index in the file.
  func name(of entity: Int) -> String {
    "history_\(isUnique ? "unique" : "index")_\(entity)_"
      + elements.map(\.text).joined(separator: "_")
  }

  /// Returns the SQL statement that creates the index on the table of an entity.
  func sql(of entity: StoredEntity, number: Int) -> String {
    let columns = elements.map { element in
      "\"\(entity.attributes[element.number].column)\"\(element.collation.sql)"
        + (element.isAscending ? "" : " DESC")
    }
    return """
      CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name(of: number)) ON "\(entity.table)"(\(columns.joined(separator: ", ")))
      """
  }
}

extension TextCollation {
  /// The `COLLATE` clause for a column of an index or a sort order; empty for SQLite's default.
  var sql: String {
    switch self {
    case .binary: ""
    case .caseInsensitive: " COLLATE NOCASE"
    }
  }
}

extension StoreCore {
  /// Drops the indexes that a newer model lacks, so that their columns can be dropped.
  func dropIndexes(of old: StoredModel, lackingIn new: StoredModel) throws {
    for (offset, entity) in old.entities.enumerated() where !entity.isRemoved {
      let kept = new.entities[offset].isRemoved ? [] : new.entities[offset].allIndexes
      for index in entity.allIndexes where !kept.contains(index) {
        try connection.execute("DROP INDEX IF EXISTS \(index.name(of: offset + 1))")
      }
    }
  }

  /// Applies the required attributes and the indexes of a newer model to its tables.
  ///
  /// Runs within the current write. SQLite can neither change whether a column may be null nor drop
  /// a foreign key, so the table is copied for either change
  /// (https://sqlite.org/lang_altertable.html#otheralter).
  ///
  /// - Throws: ``HistoryError/Code/missingValue`` for an object without a value for an attribute that
  ///   is required now.
  /// - Complexity: linear in the rows of the tables that are copied or get a new index.
  func adoptConstraints(of new: StoredModel, instead old: StoredModel) throws {
    for (offset, entity) in new.entities.enumerated() where !entity.isRemoved {
      guard offset < old.entities.count else { continue }
      var present = Set(old.entities[offset].allIndexes)
      if entity.needsCopy(after: old.entities[offset]) {
        try checkRequired(entity, number: Int32(offset) + 1)
        try Schema.copy(entity, of: new, connection)
        present = []
      }
      for index in entity.allIndexes where !present.contains(index) {
        do {
          try connection.execute(index.sql(of: entity, number: offset + 1))
        } catch {
          throw try duplicates(in: entity, number: Int32(offset) + 1, index) ?? error
        }
      }
    }
  }

  /// Returns the error for two objects that violate a uniqueness constraint, or `nil` if none do.
  private func duplicates(
    in entity: StoredEntity,
    number: Int32,
    _ index: StoredIndex
  ) throws -> HistoryError? {
    guard index.isUnique else { return nil }
    let columns = index.elements.map { "\"\(entity.attributes[$0.number].column)\"" }
    let query = try Statement(
      connection,
      """
      SELECT min(_key), max(_key) FROM "\(entity.table)"
      WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
      GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1
      """
    )
    guard try query.step() else { return nil }
    return .duplicate(
      [query.int(0), query.int(1)].map { ObjectID(entity: number, key: $0) },
      entity: entity.name,
      attributes: index.orders(in: entity).map(\.attribute)
    )
  }

  private func checkRequired(_ entity: StoredEntity, number: Int32) throws {
    for stored in entity.attributes where !stored.isRemoved && !stored.attribute.isOptional {
      let key = try connection.integer(
        "SELECT _key FROM \"\(entity.table)\" WHERE \"\(stored.column)\" IS NULL LIMIT 1"
      )
      guard let key else { continue }
      throw HistoryError.missingValue(
        ObjectID(entity: number, key: key),
        entity: entity.name,
        attribute: stored.attribute.name
      )
    }
  }
}

extension StoredEntity {
  /// Whether the table must be copied, because `NOT NULL` columns or a foreign key changed.
  fileprivate func needsCopy(after older: StoredEntity) -> Bool {
    let lostReference = zip(attributes, older.attributes).contains {
      $0.isRemoved && !$1.isRemoved && $1.attribute.reference != nil
    }
    if lostReference { return true }
    for (number, stored) in attributes.enumerated() where !stored.isRemoved {
      if number < older.attributes.count {
        if older.attributes[number].attribute.isOptional != stored.attribute.isOptional {
          return true
        }
      } else if !stored.attribute.isOptional && stored.attribute.defaultValue == .null {
        return true
      }
    }
    return false
  }
}

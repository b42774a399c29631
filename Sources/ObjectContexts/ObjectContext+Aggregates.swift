public import HistoryStore
public import HistoryTypes

extension ObjectContext {
  /// Returns the number of objects that match a predicate, unsaved edits included.
  ///
  /// Core Data: `NSManagedObjectContext.count(for:)`.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  /// - Returns: The number of objects, at least 0.
  /// - Throws: ``HistoryError`` if a name, a value or the predicate is invalid, or SQLite fails.
  /// - Complexity: one query, which scans the entity or an index; no object is registered.
  public func count(
    _ entity: String,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> Int {
    let number = try number(of: entity)
    return try state.withLock { state throws(HistoryError) in
      let query = ObjectQuery(predicate, excluding: state.editedKeys(of: number))
      return try (state.pinned ?? store).count(number, query)
        + state.editedRows(of: number, matching: predicate).count
    }
  }

  /// Returns the different values of an attribute in ascending order, unsaved edits included.
  ///
  /// Null is included, and comes first, if an object has no value. Core Data:
  /// `NSFetchRequest.returnsDistinctResults`.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - entity: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  /// - Returns: The values, each once.
  /// - Throws: ``HistoryError`` if a name, a value or the predicate is invalid, or SQLite fails.
  /// - Complexity: one query, which scans the entity or an index; no object is registered.
  public func distinctValues(
    of attribute: String,
    in entity: String,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> [Value] {
    let number = try number(of: entity)
    return try state.withLock { state throws(HistoryError) in
      let query = ObjectQuery(predicate, excluding: state.editedKeys(of: number))
      let stored = try (state.pinned ?? store).distinctValues(number, of: attribute, query)
      let edited = try state.editedValues(of: attribute, number, matching: predicate)
      guard !edited.isEmpty else { return stored }
      // Equal Swift strings can have different bytes, and `order(to:)` compares the bytes.
      return (stored + edited).sorted { $0.order(to: $1) < 0 }.reduce(into: []) { values, value in
        if values.last.map({ $0.order(to: value) }) != 0 { values.append(value) }
      }
    }
  }

  /// Returns the sum of the values of an attribute of type `int` or `double`, unsaved edits included.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - entity: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  /// - Returns: A value of the attribute's type; 0 if no object has a value.
  /// - Throws: ``HistoryError/Code/notANumber``, ``HistoryError/Code/sumTooLarge``, or
  ///   ``HistoryError`` if a name, a value or the predicate is invalid, or SQLite fails.
  /// - Complexity: one query, which scans the entity or an index; no object is registered.
  public func sum(
    of attribute: String,
    in entity: String,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> Value {
    let value = try aggregate(.sum, of: attribute, in: entity, where: predicate).value
    guard value == .null else { return value }
    let description = store.model.entity(try number(of: entity))
    let isInt = description?.attributes.first { $0.name == attribute }?.type == .int
    return isInt ? .int(0) : .double(0)
  }

  /// Returns the average of the values of an attribute of type `int` or `double`, unsaved edits
  /// included; `nil` if no object has a value.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - entity: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  /// - Returns: The average, or `nil`.
  /// - Throws: ``HistoryError/Code/notANumber``, or ``HistoryError`` if a name, a value or the predicate
  ///   is invalid, or SQLite fails.
  /// - Complexity: one query, which scans the entity or an index; no object is registered.
  public func average(
    of attribute: String,
    in entity: String,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> Double? {
    let found = try aggregate(.average, of: attribute, in: entity, where: predicate)
    return found.value.double.map { $0 / Double(found.count) }
  }

  /// Returns the least value of an attribute, unsaved edits included; null if no object has a value.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - entity: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  /// - Returns: A value of the attribute's type, or null.
  /// - Throws: ``HistoryError`` if a name, a value or the predicate is invalid, or SQLite fails.
  /// - Complexity: one query, which searches an index of the attribute or scans the entity; no object
  ///   is registered.
  public func minimum(
    of attribute: String,
    in entity: String,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> Value {
    try aggregate(.minimum, of: attribute, in: entity, where: predicate).value
  }

  /// Returns the greatest value of an attribute, like ``minimum(of:in:where:)``.
  ///
  /// - Throws: the errors of ``minimum(of:in:where:)``.
  /// - Complexity: that of ``minimum(of:in:where:)``.
  public func maximum(
    of attribute: String,
    in entity: String,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> Value {
    try aggregate(.maximum, of: attribute, in: entity, where: predicate).value
  }

  private func aggregate(
    _ aggregate: Aggregate,
    of attribute: String,
    in entity: String,
    where predicate: ObjectPredicate?
  ) throws(HistoryError) -> AggregatedValues {
    let number = try number(of: entity)
    return try state.withLock { state throws(HistoryError) in
      let query = ObjectQuery(predicate, excluding: state.editedKeys(of: number))
      var found = try (state.pinned ?? store).aggregate(aggregate, number, of: attribute, query)
      for value in try state.editedValues(of: attribute, number, matching: predicate) {
        guard found.add(value) else {
          throw .sumTooLarge(attribute, of: store.model.entities[Int(number) - 1])
        }
      }
      return found
    }
  }
}

extension ContextState {
  /// Returns the values of an attribute in the edited rows of an entity that match a predicate.
  fileprivate func editedValues(
    of attribute: String,
    _ entity: Int32,
    matching predicate: ObjectPredicate?
  ) throws(HistoryError) -> [Value] {
    guard let index = model.entity(entity)?.index(of: attribute) else { return [] }
    return try editedRows(of: entity, matching: predicate).map { $0.row[$0.row.startIndex + index] }
  }
}

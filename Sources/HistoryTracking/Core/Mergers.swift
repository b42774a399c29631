public import HistoryStore
public import HistoryTypes
public import ObjectContexts

/// A custom way to merge transactions into contexts, which replaces the default merge.
///
/// Core Data: the code in which an app calls
/// `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`.
public protocol TransactionMerger: Sendable {
  /// Merges the transactions of one page in commit order.
  ///
  /// The method may be called again with the same transactions.
  ///
  /// - Parameters:
  ///   - transactions: The transactions, at least one, in commit order.
  ///   - contexts: The contexts of the tracker.
  /// - Throws: Any error; the pass then fails and is retried.
  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws
}

/// The default merger, which merges transactions into every context that did not save them.
///
/// Core Data: `NSManagedObjectContext.mergeChanges(fromContextDidSave:)` for each context.
public struct DefaultMerger: TransactionMerger {
  /// Creates a merger that merges transactions into each context that did not save them.
  public init() {}

  /// Merges the transactions into every context that did not save them.
  ///
  /// - Throws: The errors of ``ObjectContexts/ObjectContext/merge(_:)``.
  /// - Complexity: that of ``ObjectContexts/ObjectContext/merge(_:)`` for each context.
  public func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) throws(HistoryError) {
    for context in contexts { try context.merge(transactions) }
  }
}

/// A type that finds and removes duplicates among the merged objects.
public protocol TransactionDeduplicator: Sendable {
  /// Removes duplicates of the objects in the transactions of one page.
  ///
  /// The contexts have merged the transactions; the cursor is not recorded yet.
  ///
  /// - Parameters:
  ///   - transactions: The merged transactions, at least one, in commit order.
  ///   - contexts: The contexts of the tracker.
  /// - Throws: Any error; the pass then fails and is retried.
  func deduplicate(
    _ transactions: [HistoryTransaction],
    in contexts: [ObjectContext]
  ) async throws
}

/// A deduplicator that removes objects of one entity that equal an older object in given attributes.
///
/// Of equal objects, the object with the least key is kept. All members make the same choice without
/// coordination, so concurrent deduplicators remove the same objects. One save writes the kept
/// object, redirects all references from the other equal objects to the kept object, and deletes
/// those other objects. If another writer has changed or deleted one of the objects, the save
/// conflicts, and the equal objects are read again. The pass that merges the removal finds no further
/// duplicates.
///
/// An object with null in one of the compared attributes is never a duplicate. A newer program's model
/// may have an entity that this program does not know. If an object of such an entity refers to a
/// duplicate, the duplicate stays until the newer program removes it.
///
/// ```swift
/// configuration.deduplicator = ObjectDeduplicator(store: store, entity: "Tag", by: ["name"])
/// ```
///
/// A store refuses objects that violate a uniqueness constraint of its own model. If a new version of
/// the model adds a constraint, first remove the objects that would violate it: the migration fails
/// while the file contains such objects.
///
/// ```swift
/// let tag = nextModel.entities[0]
/// configuration.deduplicator = ObjectDeduplicator(store: store, byUniquenessConstraintsOf: tag)
/// ```
public struct ObjectDeduplicator: TransactionDeduplicator {
  /// A closure that returns values to set in the one object that is kept of a group of duplicates.
  ///
  /// The arguments are the kept object, and the other objects of the group, which are deleted
  /// afterwards. If the closure throws, the pass fails and is retried.
  public typealias Combine =
    @Sendable (_ winner: StoredObject, _ losers: [StoredObject]) throws -> [String: Value]

  /// The maximum number of attempts to save the removal of one group of duplicates.
  ///
  /// An attempt is repeated if it conflicts with another save, or if another object, such as one
  /// that was just inserted, still refers to a duplicate.
  private static let attemptCountMax = 10
  /// The maximum number of keys for which one query finds duplicates.
  ///
  /// A key is the list of an object's values of the compared attributes.
  private static let keyCountMax = 5000

  private let store: Store
  private let entity: String
  /// The lists of compared attributes.
  ///
  /// Two objects are duplicates if they have equal values in all attributes of one list.
  private let constraints: [[String]]
  private let author: String?
  private let combine: Combine?

  /// Creates a deduplicator of the objects of an entity that are equal in some attributes.
  ///
  /// - Parameters:
  ///   - store: The store that contains the objects.
  ///   - entity: The name of the entity.
  ///   - attributes: The names of the compared attributes, at least one.
  ///   - author: The author of the saves. The default is `nil`, for none.
  ///   - combine: The closure that returns the values to set in the kept object. The default `nil`
  ///     leaves the kept object unchanged.
  public init(
    store: Store,
    entity: String,
    by attributes: [String],
    author: String? = nil,
    combining combine: Combine? = nil
  ) {
    self.init(store, entity, [attributes], author, combine)
  }

  /// Creates a deduplicator of the objects that violate a uniqueness constraint of an entity.
  ///
  /// The entity may come from the store's model, or from a later version of the model in which the
  /// entity and its attributes have the same names. The constraints apply one after another.
  ///
  /// - Parameters:
  ///   - store: The store that contains the objects.
  ///   - entity: The entity, with at least one uniqueness constraint.
  ///   - author: The author of the saves. The default is `nil`, for none.
  ///   - combine: The closure that returns the values to set in the kept object. The default `nil`
  ///     leaves the kept object unchanged.
  public init(
    store: Store,
    byUniquenessConstraintsOf entity: Entity,
    author: String? = nil,
    combining combine: Combine? = nil
  ) {
    precondition(
      !entity.uniquenessConstraints.isEmpty,
      "The entity \(entity.name) has no uniqueness constraint: declare one, or name the "
        + "attributes to compare."
    )
    self.init(store, entity.name, entity.uniquenessConstraints, author, combine)
  }

  private init(
    _ store: Store,
    _ entity: String,
    _ constraints: [[String]],
    _ author: String?,
    _ combine: Combine?
  ) {
    precondition(
      constraints.allSatisfy { !$0.isEmpty },
      "A deduplicator needs at least one attribute by which to compare objects."
    )
    self.store = store
    self.entity = entity
    self.constraints = constraints
    self.author = author
    self.combine = combine
  }

  /// Removes the duplicates of objects that were inserted, or updated in a compared attribute.
  ///
  /// The compared attributes are those given to the initializer, or those of the entity's
  /// uniqueness constraints.
  ///
  /// - Throws: ``HistoryError``; ``HistoryError/Code/conflict`` if other saves conflict with every
  ///   attempt.
  /// - Complexity: for each constraint, one query for each object that was inserted or whose compared
  ///   attributes were updated, and one scan of the entity for every 5000 distinct lists of compared
  ///   values; one save for each group of equal objects; for each removed object, one query of each
  ///   reference to the entity.
  public func deduplicate(
    _ transactions: [HistoryTransaction],
    in contexts: [ObjectContext]
  ) throws(HistoryError) {
    for attributes in constraints { try deduplicate(transactions, by: attributes) }
  }

  private func deduplicate(
    _ transactions: [HistoryTransaction],
    by attributes: [String]
  ) throws(HistoryError) {
    let context = store.backgroundContext(author: author, name: "deduplicator")
    let keys = try keys(of: candidates(in: transactions, by: attributes), attributes, in: context)
    for start in stride(from: 0, to: keys.count, by: Self.keyCountMax) {
      let end = min(start + Self.keyCountMax, keys.count)
      for key in try duplicated(Set(keys[start..<end]), attributes, in: context) {
        try removeDuplicates(of: key, attributes)
      }
    }
  }

  /// Returns the objects that may have become equal to other objects, sorted by identifier.
  private func candidates(
    in transactions: [HistoryTransaction],
    by attributes: [String]
  ) throws(HistoryError) -> [ObjectID] {
    guard let number = store.model.number(of: entity) else {
      throw .unknownEntity(entity, in: store.model)
    }
    let compared = Set(attributes)
    var found: Set<ObjectID> = []
    for change in transactions.lazy.flatMap(\.changes) where change.objectID.entity == number {
      switch change.type {
      case .insert: found.insert(change.objectID)
      case .update:
        if !compared.isDisjoint(with: change.updatedProperties) { found.insert(change.objectID) }
      case .delete: continue
      }
    }
    return found.sorted()
  }

  private func keys(
    of ids: [ObjectID],
    _ attributes: [String],
    in context: ObjectContext
  ) throws(HistoryError) -> [[Value]] {
    var keys: [[Value]] = []
    var known: Set<[Value]> = []
    for id in ids {
      guard let object = try context.object(id), let key = try key(of: object, attributes)
      else { continue }
      if known.insert(key).inserted { keys.append(key) }
    }
    return keys
  }

  /// Returns an object's values of the compared attributes, or `nil` if one of them is null.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the entity lacks a compared attribute.
  private func key(
    of object: StoredObject,
    _ attributes: [String]
  ) throws(HistoryError) -> [Value]? {
    var key: [Value] = []
    for attribute in attributes {
      guard let value = try object[attribute], value != .null else { return nil }
      key.append(value)
    }
    return key
  }

  /// Returns those lists of values in `keys` that two or more objects have in `attributes`.
  ///
  /// The objects are read in key order. When the second object with a list of values is read, that
  /// list is added to the result.
  private func duplicated(
    _ keys: Set<[Value]>,
    _ attributes: [String],
    in context: ObjectContext
  ) throws(HistoryError) -> [[Value]] {
    let values = Set(keys.compactMap(\.first))
    var counts: [[Value]: Int] = [:]
    var duplicated: [[Value]] = []
    for object in try context.objects(entity, where: .in(attributes[0], Array(values))) {
      guard let key = try key(of: object, attributes), keys.contains(key) else { continue }
      counts[key, default: 0] += 1
      if counts[key] == 2 { duplicated.append(key) }
    }
    return duplicated
  }

  /// Deletes all but the oldest of the objects whose compared attributes have the values of `key`.
  ///
  /// The objects are read again before each attempt to save.
  private func removeDuplicates(
    of key: [Value],
    _ attributes: [String]
  ) throws(HistoryError) {
    for attempt in 1... {
      let context = store.backgroundContext(author: author, name: "deduplicator")
      do throws(HistoryError) {
        try removeDuplicates(of: key, attributes, in: context)
        return
      } catch {
        // An object that has just been inserted may refer to one that is to be deleted.
        let isRepeated = error.code == .conflict || error.code == .deleteDenied
        guard isRepeated, attempt < Self.attemptCountMax else {
          // An object refers to the duplicate, and only a newer program's model has the object's
          // entity. The newer program removes the duplicate.
          if error.code == .deleteDenied { return }
          throw error
        }
      }
    }
  }

  private func removeDuplicates(
    of key: [Value],
    _ attributes: [String],
    in context: ObjectContext
  ) throws(HistoryError) {
    let equal = ObjectPredicate.all(
      zip(attributes, key).map { .compare($0, .equal, $1) }
    )
    let objects = try context.objects(entity, where: equal)
    guard let winner = objects.first, objects.count > 1 else { return }
    let losers = Array(objects.dropFirst())
    try winner.set(key[0], for: attributes[0])
    let combined: [String: Value]
    do { combined = try combine?(winner, losers) ?? [:] } catch { throw HistoryError(error) }
    for (attribute, value) in combined { try winner.set(value, for: attribute) }
    for loser in losers {
      try redirectReferences(from: loser, to: winner, except: losers)
      loser.delete()
    }
    try context.saveDenyingReferences()
  }

  /// Makes all objects that refer to `loser`, except `losers`, refer to `winner` instead.
  ///
  /// `losers` are the duplicates to delete, among them `loser`; `winner` is kept. If a referring
  /// object would then have the same unique values as another object, the referring object is
  /// deleted; an example is a link between objects that are already linked. An optional reference
  /// from `winner` to `loser` becomes null.
  private func redirectReferences(
    from loser: StoredObject,
    to winner: StoredObject,
    except losers: [StoredObject]
  ) throws(HistoryError) {
    for entity in store.model.entities {
      for attribute in entity.attributes where attribute.reference?.entity == self.entity {
        for object in try loser.objects(entity.name, referringBy: attribute.name)
        where !losers.contains(where: { $0.id == object.id }) {
          if object.id == winner.id, attribute.isOptional {
            try object.set(.null, for: attribute.name)
          } else if try isUnique(object, entity, with: attribute.name, of: winner) {
            try object.setDestination(winner, of: attribute.name)
          } else {
            object.delete()
          }
        }
      }
    }
  }

  /// Returns whether an object's unique values stay unique if `attribute` refers to `winner`.
  ///
  /// `attribute` is one of the object's references. `winner` is the duplicate that is kept.
  private func isUnique(
    _ object: StoredObject,
    _ entity: Entity,
    with attribute: String,
    of winner: StoredObject
  ) throws(HistoryError) -> Bool {
    for constraint in entity.uniquenessConstraints where constraint.contains(attribute) {
      var equal: [ObjectPredicate] = []
      for name in constraint {
        let value = name == attribute ? .int(winner.id.key) : try object[name] ?? .null
        if value != .null { equal.append(.compare(name, .equal, value)) }
      }
      guard equal.count == constraint.count else { continue }
      if try object.context.count(entity.name, where: .all(equal)) > 0 { return false }
    }
    return true
  }
}

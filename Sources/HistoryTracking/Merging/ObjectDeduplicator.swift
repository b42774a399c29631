public import HistoryStore
public import ObjectContexts
public import PersistentHistory

/// Removes objects of one entity that equal an older one in some attributes.
///
/// Of equal objects the one with the least key stays, which every actor knows without asking: several
/// that remove duplicates at once remove the same ones. What stays is written together with what goes,
/// so that a save notices when somebody else has deleted or changed it meanwhile, and looks again. What
/// is left has no duplicates any more, so the pass that merges the removal removes nothing. Objects
/// with a null in one of the attributes are nobody's duplicates.
///
/// ```swift
/// configuration.deduplicator = ObjectDeduplicator(store: store, entity: "Tag", by: ["name"])
/// ```
public struct ObjectDeduplicator: TransactionDeduplicator {
  /// What the object that stays takes over from those that go.
  public typealias Combine =
    @Sendable (_ winner: StoredObject, _ losers: [StoredObject]) -> [String: Value]

  /// How often a group is looked at again when somebody else was faster.
  private static let attemptCountMax = 10
  /// How many keys one query asks for.
  private static let keyCountMax = 5000

  private let store: Store
  private let entity: String
  private let attributes: [String]
  private let author: String?
  private let combine: Combine?

  /// Creates a deduplicator, which saves under an author or none.
  public init(
    store: Store,
    entity: String,
    by attributes: [String],
    author: String? = nil,
    combining combine: Combine? = nil
  ) {
    precondition(!attributes.isEmpty, "Objects are compared by one attribute at least.")
    self.store = store
    self.entity = entity
    self.attributes = attributes
    self.author = author
    self.combine = combine
  }

  /// Removes the duplicates of what the transactions inserted, or gave another value to compare by.
  ///
  /// - Throws: ``HistoryError``, ``HistoryError/conflict(_:)`` when others were faster again and again.
  /// - Complexity: a query for each object that may have duplicates, a scan of the entity, and one
  ///   save for each group of equal objects.
  public func deduplicate(
    _ transactions: [HistoryTransaction],
    in contexts: [ObjectContext]
  ) async throws {
    let context = store.backgroundContext(author: author, name: "deduplicator")
    let keys = try keys(of: candidates(in: transactions), in: context)
    for start in stride(from: 0, to: keys.count, by: Self.keyCountMax) {
      let end = min(start + Self.keyCountMax, keys.count)
      for key in try duplicated(Set(keys[start..<end]), in: context) {
        try removeDuplicates(of: key)
      }
    }
  }

  /// The objects that may have become equal to others.
  private func candidates(in transactions: [HistoryTransaction]) throws(HistoryError) -> [ObjectID]
  {
    guard let number = store.model.number(of: entity) else { throw .unknownEntity(entity) }
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
    in context: ObjectContext
  ) throws(HistoryError) -> [[Value]] {
    var keys: [[Value]] = []
    var known: Set<[Value]> = []
    for id in ids {
      guard let key = try context.object(id).flatMap(key) else { continue }
      if known.insert(key).inserted { keys.append(key) }
    }
    return keys
  }

  /// What an object is compared by, or nothing when an attribute of it is null.
  private func key(of object: StoredObject) -> [Value]? {
    let key = attributes.compactMap { object[$0] }
    return key.count == attributes.count && !key.contains(.null) ? key : nil
  }

  /// The keys that several objects have, in the order of the first of them.
  private func duplicated(
    _ keys: Set<[Value]>,
    in context: ObjectContext
  ) throws(HistoryError) -> [[Value]] {
    let values = Set(keys.compactMap(\.first))
    var counts: [[Value]: Int] = [:]
    var duplicated: [[Value]] = []
    for object in try context.objects(entity, where: .in(attributes[0], Array(values))) {
      guard let key = key(of: object), keys.contains(key) else { continue }
      counts[key, default: 0] += 1
      if counts[key] == 2 { duplicated.append(key) }
    }
    return duplicated
  }

  /// Removes all but one of the objects with a key, as they are at the moment of the save.
  private func removeDuplicates(of key: [Value]) throws(HistoryError) {
    for attempt in 1... {
      let context = store.backgroundContext(author: author, name: "deduplicator")
      do throws(HistoryError) {
        try removeDuplicates(of: key, in: context)
        return
      } catch {
        guard case .conflict = error, attempt < Self.attemptCountMax else { throw error }
      }
    }
  }

  private func removeDuplicates(
    of key: [Value],
    in context: ObjectContext
  ) throws(HistoryError) {
    let equal = ObjectPredicate.all(
      zip(attributes, key).map { .compare($0, .equal, $1) }
    )
    let objects = try context.objects(entity, where: equal)
    guard let winner = objects.first, objects.count > 1 else { return }
    let losers = Array(objects.dropFirst())
    try winner.set(key[0], for: attributes[0])
    for (attribute, value) in combine?(winner, losers) ?? [:] {
      try winner.set(value, for: attribute)
    }
    for loser in losers { loser.delete() }
    try context.save()
  }
}
